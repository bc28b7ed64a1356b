#!/usr/bin/env python3
"""Parses the running interpreter's standard library twice and compares.

Every .py file below the interpreter's library folder is given to Tessera's
parser (all in one process) and to `ast.parse`. Both must accept it, with the
same tree and locations, or both must reject it on the same line. Columns and
messages of errors are compared as well, and their differences counted.

    python3 test/parse/stdlib.py build/unittests/ParseTool [FILE_OR_FOLDER...]

Skipped, by name and counted: files that are valid from Python 3.12 on but not
in an older interpreter that runs this (NEW_SYNTAX).
"""
import ast
import os
import re
import subprocess
import sys
import sysconfig
import warnings

NEW_312 = sys.version_info >= (3, 12)
# Files with syntax of Python 3.12 that an older interpreter rejects.
NEW_SYNTAX = {"test_type_aliases.py", "test_type_params.py", "test_type_params_generic.py"}


EMPTY_CONSTANT = re.compile(r", Constant\(value='', lineno=\d+, col_offset=\d+, "
                            r"end_lineno=\d+, end_col_offset=\d+\)\]")


def collect(roots):
    files = []
    for root in roots:
        if os.path.isfile(root):
            files.append(root)
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f not in ("site-packages", "dist-packages")]
            files += [os.path.join(folder, name) for name in names if name.endswith(".py")]
    return sorted(files)


class HideFStringLocations(ast.NodeTransformer):
    """Before 3.12, what is inside an f-string has no locations of its own."""

    def visit_JoinedStr(self, node):
        for inner in ast.walk(node):
            if inner is not node and hasattr(inner, "lineno"):
                inner.lineno = inner.end_lineno = 0
                inner.col_offset = inner.end_col_offset = 0
        return node


def hide_locations(text):
    """The same, on the text of a dump."""
    out, at = [], 0
    attributes = re.compile(r"lineno=\d+, col_offset=\d+, end_lineno=\d+, end_col_offset=\d+")
    hidden = "lineno=0, col_offset=0, end_lineno=0, end_col_offset=0"
    while True:
        begin = text.find("JoinedStr(", at)
        if begin < 0:
            break
        out.append(text[at:begin])
        end = matching(text, begin + len("JoinedStr"))
        inner = text[begin:end]
        tail = list(attributes.finditer(inner))[-1].start()
        out.append(attributes.sub(hidden, inner[:tail]) + inner[tail:])
        at = end
    return "".join(out) + text[at:]


TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[()]""", re.S)


def matching(text, begin):
    """The offset behind the bracket that closes the one at `begin`."""
    depth = 0
    for token in TOKEN.finditer(text, begin):
        if token.group() == "(":
            depth += 1
        elif token.group() == ")":
            depth -= 1
            if depth == 0:
                return token.end()
    raise ValueError("no closing bracket")


def reference(path):
    """("ok", dump) or ("error", line, column, message) by CPython."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        tree = ast.parse(source, path)
    except SyntaxError as error:
        return "error", error.lineno, error.offset, error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return "error", None, None, str(error)
    text = ast.dump(tree if NEW_312 else HideFStringLocations().visit(tree),
                    include_attributes=True)
    if NEW_312:  # early releases of 3.12 leave empty constants in format specifications
        text = EMPTY_CONSTANT.sub("]", text)
    return "ok", text


def compare(path, fields, want):
    """An explanation of how the two differ, and whether columns and messages agree."""
    if want[0] == "ok":
        if fields[1] != "ok":
            return f"rejected at {':'.join(fields[1:3])}: {fields[3]}; CPython accepts it", None
        got = EMPTY_CONSTANT.sub("]", fields[2]) if NEW_312 else hide_locations(fields[2])
        if got != want[1]:
            at = next((i for i, (a, b) in enumerate(zip(got, want[1])) if a != b),
                      min(len(got), len(want[1])))
            return (f"trees differ at {at}\n  ours:    ...{got[max(0, at - 60):at + 100]}"
                    f"\n  CPython: ...{want[1][max(0, at - 60):at + 100]}"), None
        return None, None
    _, line, column, message = want
    if fields[1] == "ok":
        return f"accepted; CPython says {line}:{column}: {message}", None
    if line and int(fields[1]) != line:
        return (f"rejected at {fields[1]}:{fields[2]}: {fields[3]}; "
                f"CPython says {line}:{column}: {message}"), None
    return None, (not line or int(fields[2]) == max(1, column), fields[3] == message)


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10000)
    tool = sys.argv[1]
    roots = sys.argv[2:] or [sysconfig.get_paths()["stdlib"]]
    files = collect(roots)
    arguments = [tool, "--dump"] + ([] if NEW_312 else ["--no-type-params"])
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    passed = failed = skipped = rejected = columns = messages = 0
    for path in files:
        process.stdin.write(os.fsencode(path) + b"\n")
        process.stdin.flush()
        line = process.stdout.readline().decode("utf-8", "surrogatepass").rstrip("\n")
        if not NEW_312 and os.path.basename(path) in NEW_SYNTAX:
            print(f"skipped {path}: syntax of Python 3.12")
            skipped += 1
            continue
        if not line:
            print(f"FAILED {path}: the parser died")
            failed += 1
            break
        problem, agreement = compare(path, line.split("\t", 3 if "\tok" not in line[:len(path) + 4]
                                                      else 2), reference(path))
        if problem:
            print(f"FAILED {path}: {problem}")
            failed += 1
            continue
        passed += 1
        if agreement:
            rejected += 1
            columns += agreement[0]
            messages += agreement[1]
    process.stdin.close()
    process.wait()
    print(f"of {rejected} files that both reject: same column in {columns}, "
          f"same message in {messages}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
