"""AMDGCN assembly text, as LLVM prints it, to instructions.

    program = Program(text)
    program.chip, program.threads, program.arguments, program.code[0].name, program.labels[".LBB0_2"]

Names of instructions lose their encoding's suffix (`_e32`), and names that only some chips have become those of gfx9
(`v_add_nc_u32` is `v_add_u32`), so that one method serves all chips.
"""
import ast
import dataclasses
import functools
import re

from ..numbers import Fault
from ..program import split_operands
from .chips import chip_of
from .operands import SELECTED, Operand

FLAGS = {"glc", "slc", "dlc", "sc0", "sc1", "nt", "offen", "idxen", "lds", "clamp", "gds", "tfe", "high", "tid"}
WORDS = re.compile(r'(?:[^\s\[(]|\[[^\]]*\]|\([^)]*\))+')
ENCODING = re.compile(r"_(e32|e64|dpp|sdwa|e64_dpp|dpp8|e32_dpp|gfx\d+)$")
RENAMED = [(re.compile(pattern), name) for pattern, name in (
    (r"^v_dual_(\w+)$", r"v_\1"), (r"^v_(add|sub|subrev)_nc_([ui]\d+)$", r"v_\1_\2"), (r"^v_add_co_ci_u32$", "v_addc_co_u32"), (r"^v_sub_co_ci_u32$", "v_subb_co_u32"),
    (r"^v_subrev_co_ci_u32$", "v_subbrev_co_u32"), (r"^v_mad_co_([ui]64_[ui]32)$", r"v_mad_\1"), (r"^([vs]_\w+)_num_(f\d+)$", r"\1_\2"),
    (r"^v_clz_i32_u32$", "v_ffbh_u32"), (r"^v_cls_i32$", "v_ffbh_i32"), (r"^v_ctz_i32_b32$", "v_ffbl_b32"),
    (r"^s_(add|sub)_co_([ui]32)$", r"s_\1_\2"), (r"^s_add_co_ci_u32$", "s_addc_u32"), (r"^s_sub_co_ci_u32$", "s_subb_u32"),
    (r"^s_(add|sub|mul)_nc_u64$", r"s_\1_u64"), (r"^s_(and|or)_not1_(\w+)$", r"s_\1n2_\2"), (r"^s_(and|or)_not0_(\w+)$", r"s_\1n1_\2"),
    (r"^s_ctz_i32_(b\d+)$", r"s_ff1_i32_\1"), (r"^s_clz_i32_u(\d+)$", r"s_flbit_i32_b\1"), (r"^s_cls_i32(\w*)$", r"s_flbit_i32\1"),
    (r"^v_(\w+)_legacy_(u16|f16|i16)$", r"v_\1_\2"), (r"^s_addk_co_i32$", "s_addk_i32"),
    (r"^([vs])_(pk_)?(min|max)imum(3?)_(f\d+)$", r"\1_\2\3nan\4_\5"))]


@functools.lru_cache(maxsize=None)
def canonical(name):
    while ENCODING.search(name):
        name = ENCODING.sub("", name)
    for pattern, instead in RENAMED:
        name = pattern.sub(instead, name)
    return name


@dataclasses.dataclass
class Instruction:
    name: str  # "v_add_u32"
    operands: list  # of Operand: what is written comes first
    modifiers: dict  # {"offset": "16", "glc": "1"}
    text: str
    line: int  # of the assembly text
    parts: tuple = ()  # two instructions that execute at once
    execute: object = None  # the method of Group, once it was looked up
    plan: object = None  # what an instruction's method keeps of parsing it

    def number(self, name, default=0):
        return int(self.modifiers.get(name, default), 0) if name in self.modifiers else default

    def list(self, name, default):
        """`op_sel:[0,1]` filled up with the default's rest."""
        given = ast.literal_eval(self.modifiers[name]) if name in self.modifiers else []
        return [*given, *default[len(given):]]


def parse_instruction(text, line):
    if "::" in text:
        parts = tuple(parse_instruction(part.strip(), line) for part in text.split("::"))
        return Instruction("dual", [], {}, text, line, parts)
    name, _, rest = text.partition(" ")
    pieces, modifiers = split_operands(rest), {}
    if name.startswith(("s_waitcnt", "s_wait_", "s_delay", "s_sendmsg")):
        return Instruction(name, [], {}, text, line)
    if pieces:
        first, *words = WORDS.findall(pieces.pop())
        if first in FLAGS or re.match(r"\w+:", first):
            words.insert(0, first)
        else:
            pieces.append(first)
        for word in words:
            key, _, value = word.partition(":")
            modifiers[key] = value or "1"
    operands = [Operand(piece) for piece in pieces]
    for place, key in enumerate(("src0_sel", "src1_sel"), 2 if "_co_" in name else 1):
        if modifiers.get(key, "DWORD") != "DWORD":
            operands[place].selection = SELECTED[modifiers[key]]
    return Instruction(canonical(name), operands, modifiers, text, line)


RETURNS = re.compile(r"\b(glc|sc0|TH_ATOMIC\w*RETURN)\b")
DATA = {".byte": 1, ".short": 2, ".2byte": 2, ".long": 4, ".4byte": 4, ".quad": 8, ".8byte": 8}


class Program:
    """One kernel. `directives` are those of .amdhsa_kernel, without the prefix."""

    def __init__(self, text):
        self.code, self.labels, self.directives, self.constants, self.lds = [], {}, {}, {}, {}
        self.section, self.symbol, self.distance = ".text", None, 0
        assembly, _, metadata = text.partition("\t.amdgpu_metadata")
        for number, line in enumerate(assembly.split("\n"), 1):
            self.parse_line(line.split(";")[0].rstrip(), number)
        target = re.search(r'\.amdgcn_target\s+"[^"]*?-(gfx\w+)', text)
        if not target:
            raise Fault("the assembly has no .amdgcn_target")
        self.chip_name = target.group(1)
        self.chip = chip_of(self.chip_name)
        self.arguments = re.findall(r"- (?:[^-]|-(?! ))*?\.offset:\s+(\d+)\s+\.size:\s+(\d+)\s+\.value_kind:\s+(\w+)", metadata)
        self.arguments = [(int(offset), int(size), kind) for offset, size, kind in self.arguments]
        most = re.search(r"\.max_flat_workgroup_size:\s+(\d+)", metadata)
        if not most:
            raise Fault("the assembly has no metadata")
        self.threads = int(most.group(1))
        self.is_asynchronous = False  # no part of the chip may act in several orders here
        self.returns_atomics = any("_atomic_" in i.name and RETURNS.search(i.text) for i in self.code)

    def directive(self, name):
        return int(self.directives.get(name, "0"), 0)

    @property
    def shared_bytes(self):
        return self.directive("group_segment_fixed_size")

    @property
    def private_bytes(self):
        return self.directive("private_segment_fixed_size")

    # ---- lines ------------------------------------------------------------------------------------

    def parse_line(self, line, number):
        label = re.match(r'^"?([.\w$@]+)"?:', line)
        text = line.strip()
        if label:
            self.set_label(label.group(1))
        elif text.startswith("."):
            self.parse_directive(text)
        elif text and self.section == ".text" and re.match(r"[a-z]", text):
            self.code.append(parse_instruction(self.without_distance(re.sub(r"\s+", " ", text)), number))

    def without_distance(self, text):
        """`table@rel32@lo+12`: the number is the distance of the literal from the end of s_getpc, and an offset in the table. The offset is kept."""
        if text.startswith("s_getpc_b64"):
            self.distance = 0
            return text
        if "rel32@" not in text:
            self.distance += 4  # s_sext and waits of gfx12; nothing else is in between
            return text
        text = re.sub(r"(rel32@(?:lo|hi))\+(\d+)", lambda found: f"{found[1]}+{int(found[2]) - self.distance - 4}", text)
        self.distance += 8
        return text

    def set_label(self, name):
        self.symbol = name
        if self.section == ".text":
            self.labels[name] = len(self.code)
        elif self.section.startswith(".rodata"):
            self.constants[name] = bytearray()

    def parse_directive(self, text):
        word, _, rest = text.partition("\t") if "\t" in text else text.partition(" ")
        rest = rest.strip()
        if word == ".section":
            self.section = rest.split(",")[0].strip('"')
        elif word in (".text", ".data"):
            self.section = word
        elif word.startswith(".amdhsa_"):
            name, _, value = text[len(".amdhsa_"):].partition(" ")
            self.directives[name] = value.strip()
        elif word == ".amdgpu_lds":
            name, size, *_ = [part.strip() for part in rest.split(",")]
            self.lds[name] = int(size)
        elif self.section.startswith(".rodata") and self.symbol in self.constants:
            self.constants[self.symbol] += self.data_of(word, rest)

    @staticmethod
    def data_of(word, rest):
        if word in DATA:
            size = DATA[word]
            return b"".join((int(value, 0) & ((1 << 8 * size) - 1)).to_bytes(size, "little") for value in rest.split(",") if re.match(r"\s*-?\d", value))
        if word == ".zero":
            return bytes(int(rest.split(",")[0], 0))
        if word in (".ascii", ".asciz"):
            return ast.literal_eval("b" + rest) + (b"\0" if word == ".asciz" else b"")
        return b""
