"""PTX text to instructions.

    program = Program(text)
    program.threads, program.parameters, program.code[0].name, program.labels["$L__BB0_2"]

Registers and labels of a `{ ... }` block of inline assembly get names of their own.
"""
import dataclasses
import functools
import math
import re

LABEL = re.compile(r"(?:^|[;{}:])\s*([$\w.]+)\s*:(?!:)")


@dataclasses.dataclass
class Instruction:
    name: str  # "ld"
    modifiers: list  # ["global", "v4", "b32"]
    operands: list  # ["{%r1, %r2}", "[%rd1+16]"]
    predicate: str  # or None
    negated: bool
    text: str
    line: int  # of the PTX text
    plan: object = None  # what an instruction's method keeps of parsing it

    def one_of(self, *names):
        return next((word for word in self.modifiers if word in names), None)


def split_operands(text):
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def names_in(operand):
    """Of "{%r1, %r2}", or of one register."""
    return [name.strip() for name in operand.strip("{} ").split(",")]


class Program:
    def __init__(self, text):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n"), text, flags=re.S)
        text = re.sub(r"(?m)^\s*\.(loc|file|section)\b[^\n]*$", "", text)
        initialised = r"\.(?:global|const)\s+(?:\.align\s+\d+\s+)?\.b8\s+([\w$]+)\[\d+\]\s*=\s*\{([^}]*)\}"
        self.constants = {m.group(1): bytes(int(x) & 255 for x in m.group(2).split(",")) for m in re.finditer(initialised, text)}
        version = re.search(r"\.version\s+(\d+)\.(\d+)", text)
        self.version = int(version.group(1)) * 10 + int(version.group(2)) if version else 0
        entry = re.search(r"\.entry\s+[\w$.]+\s*\((.*?)\)(.*?)\{", text, re.S)
        self.parameters = [words.split()[-1].partition("[")[0] for words in entry.group(1).split(",") if words.strip()]
        self.threads = int(re.search(r"\.(?:req|max)ntid\s+(\d+)", entry.group(2)).group(1))
        together = re.search(r"\.reqnctapercluster\s+([\d,\s]+)", entry.group(2))
        self.cluster = tuple([*map(int, together.group(1).split(",")), 1, 1][:3]) if together else (1, 1, 1)
        self.cluster_size = math.prod(self.cluster)
        most = re.search(r"\.maxnreg\s+(\d+)", entry.group(2))
        known = min(255, 65536 // self.threads // 8 * 8) if ".reqntid" in entry.group(2) else 0
        self.registers_at_entry = int(most.group(1)) if most else known
        body, self.line = self.body(text, entry.end()), text.count("\n", 0, entry.end()) + 1
        local = re.search(r"\.local\s+\.align\s+\d+\s+\.b8\s+__local_depot0\[(\d+)\]", body)
        self.local_bytes = int(local.group(1)) if local else 0
        self.widths = {re.sub(r"<\d+>", "", name.strip()): int(m.group(1))
                       for m in re.finditer(r"\.reg\s+\.[bfsu](\d+)\s+([^;]*);", body) for name in m.group(2).split(",")}
        self.code, self.labels, self.scopes, self.blocks = [], {}, [], 0
        self.parse(body)

    @functools.cached_property
    def is_asynchronous(self):
        """Whether it has instructions that need vector clocks: wgmma, mbarriers, bulk copies, barriers of some warps."""
        return self.cluster_size > 1 or any(i.name in ("wgmma", "mbarrier", "setmaxnreg") or (i.name == "cp" and "bulk" in i.modifiers)
                   or (i.name in ("bar", "barrier") and ("arrive" in i.modifiers or len(i.operands) > 1 or i.operands[:1] not in ([], ["0"])))
                   for i in self.code if "warp" not in i.modifiers)

    @functools.cached_property
    def has_bulk_copies(self):
        return any(i.name == "cp" and "bulk" in i.modifiers for i in self.code)

    @functools.cached_property
    def group_registers(self):
        """Registers that wgmmas use for D and A."""
        return frozenset(name for i in self.code if i.name == "wgmma" for operand in i.operands if operand.startswith("{")
                         for name in names_in(operand))

    @staticmethod
    def body(text, begin):
        depth, end = 1, begin
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        return text[begin:end - 1]

    def width(self, register):
        return self.widths.get(re.sub(r"\d+$", "", register)) or self.widths.get(register)

    def parse(self, body):
        pending, place = "", 0
        while place < len(body):
            character = body[place]
            place += 1
            self.line += character == "\n"
            if character == "{" and pending.strip():  # operands, not a block
                end = body.index("}", place)
                self.line += body.count("\n", place, end)
                pending, place = pending + body[place - 1:end + 1], end + 1
            elif character == "{":
                self.blocks += 1
                self.scopes.append({label: f"{label}__{self.blocks}" for label in LABEL.findall(self.body(body, place))})
            elif character == "}":
                self.scopes.pop()
            elif character == ";":
                self.statement(pending.strip())
                pending = ""
            elif character == ":" and re.fullmatch(r"\s*[$\w.%]+\s*", pending) and body[place] != ":":
                self.labels[self.renamed(pending.strip())] = len(self.code)
                pending = ""
            else:
                pending += character
                pending = pending if pending.strip() else ""

    def renamed(self, text):
        """With the names that the blocks around it give: the innermost block's come first."""
        for scope in reversed(self.scopes):
            if scope:
                names = "|".join(map(re.escape, sorted(scope, key=len, reverse=True)))
                text = re.sub(rf"(?<![\w$%.])(?:{names})(?![\w$])", lambda match: scope[match.group()], text)
        return text

    def declare(self, kind, names):
        """Registers of the innermost block."""
        for name in names:
            repeated = re.fullmatch(r"(.*)<(\d+)>", name)
            for own in [f"{repeated.group(1)}{i}" for i in range(int(repeated.group(2)))] if repeated else [name]:
                self.scopes[-1][own] = f"{own}__{self.blocks}"
                if kind != "pred":
                    self.widths[f"{own}__{self.blocks}"] = int(kind[1:])

    def statement(self, text):
        declared = re.match(r"\.reg\s+\.(\w+)\s+(.*)", text, re.S)
        if declared and self.scopes:
            self.declare(declared.group(1), [name.strip() for name in declared.group(2).split(",")])
        if text.startswith("."):
            return
        text = self.renamed(text)
        guard = re.match(r"@(!?)\s*([%\w$]+)\s+(.*)", text, re.S)
        text = guard.group(3) if guard else text
        if not text:
            return
        words, operands = re.match(r"([\w.:]+)\s*(.*)", text, re.S).groups()
        name, *modifiers = words.replace("::", "_").split(".")
        self.code.append(Instruction(name, modifiers, split_operands(re.sub(r"\s+", " ", operands)), guard and guard.group(2),
                                     bool(guard and guard.group(1)), re.sub(r"\s+", " ", text), self.line))
