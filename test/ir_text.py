"""MLIR text of two compilers, compared up to names and locations.

    plain(text)                                     lines without locations, values numbered
    difference(ours, theirs, ("ours", "theirs"))    the lines that differ, or None
"""
import difflib
import re

LOCATION = re.compile(r" loc\((?:[^()\"]|\"[^\"]*\"|\((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*\))*\)")
VALUE = re.compile(r"%[\w$.-]+")


def plain(text):
    """The lines of a module without locations, and with values numbered in the order of their definitions: the two
    compilers take names from different places. A name may mean another value in another region."""
    scopes, count, result = [{}], 0, []

    def define(scope, names):
        nonlocal count
        for name in names:
            scope[name] = f"%{count}"
            count += 1
    use = lambda match: next((scope[match[0]] for scope in reversed(scopes) if match[0] in scope), match[0])
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#loc"):
            continue
        line = LOCATION.sub("", line)
        if line.lstrip().startswith("}"):
            scopes.pop()
        left, equals, right = line.partition(" = ") if line.lstrip().startswith("%") else ("", "", line)
        define(scopes[-1], VALUE.findall(left))
        left = VALUE.sub(use, left)
        opens = line.rstrip().endswith("{")
        if opens:
            scopes.append({})
        if opens or right.lstrip().startswith("^"):  # loop variables, a function's and a block's arguments
            define(scopes[-1], re.findall(r"(%[\w$.-]+)(?=(?: =|:) )", right))
        result.append(left + equals + VALUE.sub(use, right))
    return result


def difference(first, second, names):
    lines = list(difflib.unified_diff(plain(first), plain(second), *names, lineterm="", n=0))
    return "\n".join(lines[:40]) if lines else None
