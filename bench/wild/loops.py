"""Counts the instructions of a kernel's innermost loops, in PTX: the text between a label and a branch back to it."""
import re

LABEL = re.compile(r"^\s*(\$?[\w$]+):\s*(?://.*)?$")
BRANCH = re.compile(r"\bbra(?:\.uni)?\s+(\$?[\w$]+)")
PLAIN = re.compile(r"^\s*(?://|\.|$)")


def instructions(ptx):
    """(labels, list of (text, target of a branch or None)) of the entry function; one element an instruction."""
    labels, found, begun = {}, [], ""
    for line in ptx.split("\n"):
        label = LABEL.match(line)
        if label:
            labels[label[1]] = len(found)
            continue
        if PLAIN.match(line) and not begun:
            continue
        # An instruction may go on in the next lines, up to a semicolon.
        *parts, begun = (begun + " " + line.split("//")[0]).split(";")
        begun = begun.lstrip("{} \t")
        for part in parts:
            part = part.strip("{} \t")
            if not part or part.startswith((".", "$")):
                continue
            branch = BRANCH.search(part)
            found.append((part, branch[1] if branch else None))
    return labels, found


def innermost(ptx):
    """[(first, last)] instruction numbers of the loops that hold no other loop."""
    labels, found = instructions(ptx)
    spans = {}
    for index, (_, target) in enumerate(found):
        if target in labels and labels[target] <= index:
            spans[labels[target]] = max(index, spans.get(labels[target], 0))
    # Threads that wait for a copy spin in loops of their own.
    loops = sorted((a, b) for a, b in spans.items() if not any("mbarrier." in text for text, _ in found[a:b + 1]) or b - a > 8)
    return [(a, b) for a, b in loops if not any((a, b) != (c, d) and a <= c and d <= b for c, d in loops)], found


def largest_loop(ptx):
    """Instructions of the largest innermost loop, 0 without one; and of the whole kernel."""
    loops, found = innermost(ptx)
    return max((b - a + 1 for a, b in loops), default=0), len(found)


def products_in_loop(ptx):
    """How many mma and wgmma instructions the largest innermost loop has."""
    loops, found = innermost(ptx)
    if not loops:
        return 0
    first, last = max(loops, key=lambda span: span[1] - span[0])
    return sum(bool(re.search(r"\b(mma|wgmma)\.", text)) for text, _ in found[first:last + 1])
