#!/usr/bin/env python3
"""Breaks pieces of the standard library at random and compares the errors.

Each case is a few lines of a library file with one to three tokens or
characters deleted, inserted, replaced or swapped. Tessera's parser and the
running interpreter's must agree whether it is Python, and on the line of the
error; columns and messages are counted. The cases follow from the seed.

    python3 test/parse/mutations.py build/unittests/ParseTool [CASES [SEED]]

Skipped and counted: if the interpreter is older than 3.12, cases with f-strings,
type statements and escapes, which it reads or places in its own way; and the
one difference on purpose, "Perhaps you forgot a comma?" behind a name like `t`
(lib/Source/README.md).
"""
import ast
import glob
import os
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import warnings

PIECES = re.compile(r"\w+|[^\w\s]|\s+")
INSERTS = """( ) [ ] { } , : ; . = == := + - * ** / // -> @ if else for in not lambda x 1 "s" f"{x}"
await async yield def class return import from as with try except finally raise global match case _
type print None True ... ! ~ < <> \\ # 0x 1_ 09 1e " ' \"\"\" f" $ ? é € b"x" del assert pass while
elif is or and & | % += nonlocal""".split() + ["\n", "\n    ", "    ", "\t", "\\\n"]
# What an interpreter older than 3.12 reads, or places, differently.
NEW_312 = re.compile(r"""\b(f|rf|fr)["']|\btype\s+\w|\\[xuUN]""", re.I)


def pick(rnd, library):
    """Some lines of a file, shifted to the left."""
    lines = rnd.choice(library)
    begin = rnd.randrange(len(lines))
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    out = []
    for line in lines[begin:begin + rnd.choice((1, 2, 3, 8, 20))]:
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            break
        out.append(line[indent:])
    return "\n".join(out) + "\n"


def mutate(rnd, text):
    for _ in range(rnd.choice((1, 1, 1, 2, 3))):
        pieces = PIECES.findall(text) if rnd.random() < 0.75 else list(text)
        if not pieces:
            return text
        at, other = rnd.randrange(len(pieces)), rnd.randrange(len(pieces))
        action = rnd.random()
        if action < 0.3:
            del pieces[at]
        elif action < 0.6:
            pieces.insert(at, rnd.choice(INSERTS) + rnd.choice(("", " ")))
        elif action < 0.75:
            pieces[at] = rnd.choice(INSERTS)
        elif action < 0.85:
            pieces.insert(at, pieces[other])
        else:
            pieces[at], pieces[other] = pieces[other], pieces[at]
        text = "".join(pieces)
    return text


def reference(text):
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error.lineno, error.offset, error.msg
    return None


def main():
    warnings.simplefilter("ignore")
    tool = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 4000
    rnd = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    folder = sysconfig.get_paths()["stdlib"]
    library = []
    for path in sorted(glob.glob(os.path.join(folder, "*.py"))):
        with open(path, encoding="utf-8", errors="replace") as file:
            library.append(file.read().split("\n"))
    process = subprocess.Popen([tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    counts = dict(passed=0, failed=0, skipped=0, rejected=0, columns=0, messages=0)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "case.py")
        for _ in range(cases):
            text = mutate(rnd, pick(rnd, library))
            if (sys.version_info < (3, 12) and NEW_312.search(text)) or "coding" in text[:200]:
                counts["skipped"] += 1
                continue
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            process.stdin.write(os.fsencode(path) + b"\n")
            process.stdin.flush()
            fields = process.stdout.readline().decode().rstrip("\n").split("\t")
            judge(text, fields, reference(text), counts)
    process.stdin.close()
    process.wait()
    print("of {rejected} cases that both reject: same column in {columns}, same message in "
          "{messages}".format(**counts))
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] else 0


def judge(text, fields, want, counts):
    accepted = len(fields) > 1 and fields[1] == "ok"
    if accepted != (want is None) or len(fields) < 2:
        print(f"FAILED: ours {fields[1:]}, CPython {want}\n{text!r}")
        counts["failed"] += 1
    elif accepted:
        counts["passed"] += 1
    elif int(fields[1]) == want[0]:
        counts["passed"] += 1
        counts["rejected"] += 1
        counts["columns"] += int(fields[2]) == max(1, want[1])
        counts["messages"] += fields[3] == want[2]
    elif fields[3].endswith("Perhaps you forgot a comma?"):
        counts["skipped"] += 1
    else:
        print(f"FAILED: ours {fields[1:]}, CPython {want}\n{text!r}")
        counts["failed"] += 1


if __name__ == "__main__":
    sys.exit(main())
