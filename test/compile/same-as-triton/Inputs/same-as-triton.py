"""Run by a Python with Triton: is our TTIR what Triton prints, up to value names and locations, and does it compile it?

    same_as_triton.py FILE.py KERNEL OURS.ttir TYPE...     (a type of the signature per parameter; numbers are constants)
"""
import difflib
import importlib.util
import os
import re
import sys
import tempfile

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGET = GPUTarget("cuda", 90, 32)


def triton_text(file, kernel, types):
    spec = importlib.util.spec_from_file_location("module", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, kernel)
    signature, constants, hints = {}, {}, {}
    for index, (name, entry) in enumerate(zip(function.arg_names, types)):
        kind, _, hint = entry.partition(":")
        if re.fullmatch(r"-?\d+", kind):
            kind, constants[(index,)] = "constexpr", int(kind)
        signature[name] = kind
        if hint:
            hints[(index,)] = [["tt.divisibility", int(hint)]]
    return triton.compile(ASTSource(function, signature, constants, hints), target=TARGET).asm["ttir"]


def normal(text):
    """Without locations, and with values numbered in the order they appear."""
    lines = [line for line in text.split("\n") if not line.startswith("#loc") and line.strip()]
    text = re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", "\n".join(lines))
    names = {}
    return re.sub(r"%[\w$.-]+", lambda match: names.setdefault(match.group(0), f"%{len(names)}"), text)


def without_constants(text):
    """With each constant written where it is used: both compilers put them first, in orders of their own."""
    constants = dict(re.findall(r"^ *(%[\w$.-]+) = (arith\.constant .*?)(?: loc\(.*)?$", text, re.M))
    text = re.sub(r"^ *%[\w$.-]+ = arith\.constant .*\n", "", text, flags=re.M)
    return re.sub(r"%[\w$.-]+", lambda match: constants.get(match.group(0), match.group(0)), text)


file, kernel, ours = sys.argv[1:4]
with open(ours) as stored:
    stored_text = stored.read()
reference_text = triton_text(file, kernel, sys.argv[4:])
mine, reference = normal(stored_text), normal(reference_text)
if mine != reference and normal(without_constants(stored_text)) == normal(without_constants(reference_text)):
    print("the same text but for the order of constants;", len(triton.compile(ours, target=TARGET).asm["cubin"]),
          "bytes of cubin from it")
    sys.exit(0)
if mine != reference:
    print("\n".join(difflib.unified_diff(reference.split("\n"), mine.split("\n"), "triton", "tessera", lineterm="")))
    sys.exit(1)
print("the same text;", len(triton.compile(ours, target=TARGET).asm["cubin"]), "bytes of cubin from it")
