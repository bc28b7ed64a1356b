"""Compares code objects of AMD's GPUs with those of ld.lld: the same must be loaded, byte for byte.

    difference_to_lld(assembly, hsaco, "gfx942")      # "" if the same is loaded

Needs llvm-mc and ld.lld (Debian's llvm-22 and lld-22). The header's three fields about section headers do not count: sections are
for debuggers, and each linker writes its own.
"""
import os
import shutil
import struct
import subprocess
import tempfile

NAMES = {1: "LOAD", 2: "DYNAMIC", 4: "NOTE", 6: "PHDR", 0x6474E551: "GNU_STACK", 0x6474E552: "GNU_RELRO"}
SECTION_HEADER_FIELDS = ((0x28, 8), (0x3C, 2), (0x3E, 2))  # e_shoff, e_shnum, e_shstrndx


def loaded(file):
    """Returns the header, and each segment with its place, permissions and contents."""
    data = bytearray(file)
    for at, size in SECTION_HEADER_FIELDS:
        data[at:at + size] = bytes(size)
    offset, = struct.unpack_from("<Q", data, 0x20)
    size, count = struct.unpack_from("<HH", data, 0x36)
    segments = [("header", bytes(data[:64]))]
    for i in range(count):
        kind, flags, start, address, _, in_file, in_memory, align = struct.unpack_from("<IIQQQQQQ", data, offset + i * size)
        contents = bytes(data[start:start + in_file])
        segments.append((NAMES.get(kind, hex(kind)), flags, start, address, in_memory, align, contents))
    return segments


def difference(ours, theirs):
    """Returns the first difference of two code objects, for people; empty if the same is loaded."""
    a, b = loaded(ours), loaded(theirs)
    for mine, other in zip(a, b):
        if mine == other:
            continue
        if mine[:-1] != other[:-1]:
            return f"{mine[:-1]} instead of {other[:-1]}"
        at = next((i for i, (x, y) in enumerate(zip(mine[-1], other[-1])) if x != y), min(len(mine[-1]), len(other[-1])))
        return f"{mine[0]} at 0x{at:x}: {mine[-1][at:at + 16].hex()} instead of {other[-1][at:at + 16].hex()}"
    return "" if len(a) == len(b) else f"{len(a)} segments instead of {len(b)}"


def tool(name):
    """The path of a program of LLVM; None if there is none."""
    return shutil.which(f"{name}-22") or shutil.which(name)


def can_compare():
    return bool(tool("llvm-mc") and tool("ld.lld"))


def run(command):
    """Returns what went wrong; empty if nothing did."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stderr.strip() or f"exit status {result.returncode}" if result.returncode else ""


def difference_to_lld(assembly, ours, chip):
    """Returns how the code object of an assembly text differs from that of llvm-mc and ld.lld; empty if it does not."""
    with tempfile.TemporaryDirectory() as folder:
        text, object_file, theirs = (os.path.join(folder, name) for name in ("k.s", "k.o", "theirs"))
        with open(text, "wb") as file:
            file.write(assembly)
        problem = (run([tool("llvm-mc"), "-triple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-filetype=obj", text, "-o", object_file])
                   or run([tool("ld.lld"), "-shared", object_file, "-o", theirs]))
        if problem:
            return problem
        with open(theirs, "rb") as file:
            return difference(ours, file.read())
