"""How wide a kernel's accesses to global memory are, read from its PTX; registers and spills, from ptxas.

    report = access_widths.read(ptx)                    every access: kind, bytes, source line
    access_widths.compare(ours, theirs)                 lines where `ours` moves fewer bytes an instruction than `theirs`
    access_widths.assemble(ptx, "sm_90a", ptxas)        registers, stack and spilled bytes

    python3 bench/wild/access_widths.py ours.ptx [theirs.ptx]

An access is an instruction as it stands in the text, so that a loop counts once and an unrolled one as often as it was
unrolled. Two compilers unroll and peel differently; the bytes that one instruction moves can be compared, per source line and
kind, and their number only together with them. Copies that bypass registers (cp.async) are loads.
"""
import collections
import dataclasses
import os
import re
import subprocess
import sys
import tempfile

# ld.global.L1::evict_last.v4.b32, @%p1 st.global.v2.b16, red.global.add.noftz.v4.f16x2: the name up to the operands.
INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+\s+)?(ld|st|atom|red)((?:\.[\w:]+)*\.global(?:\.[\w:]+)*)\s")
COPY = re.compile(r"^\s*(?:@!?%\w+\s+)?cp\.async\.(?:ca|cg)\.shared(?:::\w+)?\.global[\w.:]*\s+"
                  r".*?\]\s*,\s*\[.*?\]\s*,\s*(0x[0-9a-fA-F]+|\d+)")
BULK = re.compile(r"^\s*(?:@!?%\w+\s+)?cp\.(?:async\.bulk|reduce\.async\.bulk)[\w.:]*\.(?:global|shared)")
LOCATION = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
KINDS = {"ld": "load", "st": "store", "atom": "atomic", "red": "atomic"}


@dataclasses.dataclass(frozen=True)
class Access:
    kind: str  # load, store, atomic, bulk
    bytes: int  # of one thread; 0 for bulk copies, whose size is in a register
    file: str
    line: int
    name: str  # of the instruction


@dataclasses.dataclass(frozen=True)
class Resources:
    registers: int
    stack: int
    spill_stores: int  # bytes
    spill_loads: int
    shared: int


def width_of(suffixes):
    """The bytes that `.v4.b32` and its like move: None where the last suffix is no type."""
    lanes, bits = 1, None
    for suffix in suffixes.split("."):
        if re.fullmatch(r"v\d", suffix):
            lanes = int(suffix[1:])
        scalar = re.fullmatch(r"([busf]|bf)(\d+)(x2)?", suffix)
        if scalar:
            bits = int(scalar[2]) * (2 if scalar[3] else 1)
    return lanes * bits // 8 if bits else None


def access_of(line, file, number):
    """The access that a line of PTX makes; None for other instructions."""
    copy = COPY.match(line)
    if copy:
        return Access("load", int(copy[1], 0), file, number, "cp.async")
    if BULK.match(line):
        return Access("bulk", 0, file, number, "cp.async.bulk")
    found = INSTRUCTION.match(line)
    width = width_of(found[2]) if found else None
    return Access(KINDS[found[1]], width, file, number, found[1]) if width else None


def read(ptx):
    """The accesses of a PTX module, in the order of its text."""
    files = {match[1]: os.path.basename(match[3] or match[2]) for match in map(FILE.match, ptx.split("\n")) if match}
    accesses, file, number = [], "", 0
    for line in ptx.split("\n"):
        place = LOCATION.match(line)
        if place:
            # Line 0 says that the instruction has no line of its own: it belongs to what stands before it.
            if place[2] != "0":
                file, number = files.get(place[1], ""), int(place[2])
            continue
        for part in line.strip().lstrip("{").split(";"):  # inline assembly may hold several in a line
            access = access_of(part, file, number)
            if access:
                accesses.append(access)
    return accesses


def widths(accesses):
    """{(kind, file, line): Counter of bytes}"""
    table = collections.defaultdict(collections.Counter)
    for access in accesses:
        table[access.kind, access.file, access.line][access.bytes] += 1
    return dict(table)


def mean(counter):
    return sum(width * count for width, count in counter.items()) / sum(counter.values())


def text(counter):
    return " ".join(f"{count}x{width}" for width, count in sorted(counter.items(), reverse=True))


def is_narrower(ours, theirs, is_copied):
    """Whether ours move fewer bytes an instruction, on average, and it matters.

    A tile with fewer elements than threads is one instruction of a few bytes where each thread takes its own, and one of many
    bytes where several threads take the same: the first is as good. Copies that a pipeline starts ahead of its loop stand in
    the text several times, so their number says something only if it is less than half.
    """
    certain = 2 if is_copied else 1
    return mean(ours) < 0.99 * mean(theirs) and certain * sum(ours.values()) > sum(theirs.values())


def compare(ours, theirs):
    """[(kind, file, line, our widths, their widths)] of the lines that both access and where ours are narrower.

    Lines that only one of them has are compared together, for each kind: locations of inlined and hoisted code differ.
    """
    mine, other = widths(ours), widths(theirs)
    copied = {(access.kind, access.file, access.line) for access in [*ours, *theirs] if access.name == "cp.async"}
    rows = [(key, mine[key], other[key]) for key in mine if key in other]
    for kind in sorted({key[0] for key in {**mine, **other}}):
        left = sum((mine[key] for key in mine if key[0] == kind and key not in other), collections.Counter())
        right = sum((other[key] for key in other if key[0] == kind and key not in mine), collections.Counter())
        if left and right:
            rows.append(((kind, "", 0), left, right))
    return [(*key, left, right) for key, left, right in rows if is_narrower(left, right, key in copied)]


def wider(ours, theirs):
    """As compare, where theirs are narrower."""
    return [(kind, file, line, left, right) for kind, file, line, right, left in compare(theirs, ours)]


def assemble(ptx, chip, ptxas="ptxas", timeout=600):
    """What ptxas says of the kernel; None if it refuses the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ptx)
        done = subprocess.run([ptxas, "-v", f"-arch={chip}", path, "-o", os.path.join(folder, "kernel.cubin")], timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return None if done.returncode else resources(done.stdout)


def resources(report):
    """Reads `ptxas -v`. Of several functions, the largest of each number."""
    def largest(pattern):
        return max((int(number) for number in re.findall(pattern, report)), default=0)
    return Resources(registers=largest(r"Used (\d+) registers"), stack=largest(r"(\d+) bytes stack frame"),
                     spill_stores=largest(r"(\d+) bytes spill stores"), spill_loads=largest(r"(\d+) bytes spill loads"),
                     shared=largest(r"(\d+) bytes smem"))


def main(paths):
    reports = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            reports.append(read(file.read()))
    for (kind, file, line), counter in sorted(widths(reports[0]).items()):
        print(f"{kind:7} {file}:{line}: {text(counter)}")
    if len(reports) == 2:
        for kind, file, line, left, right in compare(*reports):
            print(f"narrower: {kind} {file}:{line}: {text(left)} instead of {text(right)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
