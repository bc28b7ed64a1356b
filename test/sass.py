"""Reads machine code of NVIDIA GPUs as nvdisasm prints it: instructions, loops, and what runs while wgmma is in flight.

    code = sass.disassemble(cubin)
    code.count("HGMMA", "QGMMA", "IGMMA")     instructions by the first part of their names
    for loop in code.innermost_loops():
        loop.in_flight("MUFU.EX2")            (while a product is in flight, altogether), over one iteration

`HGMMA … gsb0` is the last instruction of a group; `WARPGROUP.DEPBAR.LE gsb0, n` waits until at most n groups are in flight. What
an iteration leaves in flight, the next one begins with.
"""
import dataclasses
import re
import subprocess
import tempfile

import features

PRODUCTS = ("HGMMA", "QGMMA", "IGMMA")  # of halves, of 8-bit floats, of integers
LABEL = re.compile(r"\s*(\.L_\w+):")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*)$")


@dataclasses.dataclass(frozen=True)
class Instruction:
    name: str  # "MUFU.EX2"
    operands: str

    @property
    def is_product(self):
        return self.name.split(".")[0] in PRODUCTS


class Code:
    def __init__(self, instructions, labels=None):
        self.instructions, self.labels = instructions, labels or {}

    def count(self, *names):
        return sum(i.name in names or i.name.split(".")[0] in names for i in self.instructions)

    def innermost_loops(self):
        """The code between each label and a branch back to it, unless another such branch lies inside."""
        spans = []
        for index, instruction in enumerate(self.instructions):
            target = re.search(r"`\((\.L_\w+)\)", instruction.operands) if instruction.name.startswith("BRA") else None
            start = self.labels.get(target.group(1)) if target else None
            if start is not None and start < index:  # `.L: BRA .L` at a kernel's end is padding
                spans.append((start, index + 1))
        inner = [(b, e) for b, e in spans if not any(b <= b2 and e2 <= e and (b, e) != (b2, e2) for b2, e2 in spans)]
        return [Code(self.instructions[begin:end]) for begin, end in inner]

    def in_flight(self, name):
        """(instructions of this name while a product is in flight, all of them) in an iteration after the first."""
        state = Flight()
        for _ in range(2):
            during = total = 0
            for instruction in self.instructions:
                state.step(instruction)
                if instruction.name == name:
                    total += 1
                    during += state.busy
        return during, total

    def left_in_flight(self):
        """Groups of products that an iteration hands to the next one."""
        state = Flight()
        for instruction in self.instructions:
            state.step(instruction)
        return state.groups


class Flight:
    def __init__(self):
        self.groups, self.open = 0, False

    @property
    def busy(self):
        return self.open or self.groups > 0

    def step(self, instruction):
        if instruction.is_product:
            is_last = "gsb0" in instruction.operands
            self.groups, self.open = self.groups + is_last, not is_last
        elif instruction.name.startswith("WARPGROUP.DEPBAR"):
            self.groups = min(self.groups, int(re.search(r",\s*(0x[0-9a-f]+)", instruction.operands).group(1), 16))


def parse(text):
    instructions, labels = [], {}
    for line in text.split("\n"):
        label, found = LABEL.match(line), INSTRUCTION.match(line)
        if label:
            labels[label.group(1)] = len(instructions)
        elif found:
            instructions.append(Instruction(*found.groups()))
    return Code(instructions, labels)


def disassemble(cubin):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        return parse(subprocess.run([features.nvdisasm(), "-c", file.name], capture_output=True, text=True, check=True).stdout)
