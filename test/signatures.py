"""Every kernel of examples/ and test/ with the signatures it is compiled for: one list for tests, scripts and benchmarks.

    for case in signatures.cases():
        case.file, case.kernel, case.signature, case.options     # options: ["--num-warps", "8"]

Above a kernel stand comments with the signatures that it is for, and flags of `tessera compile` if it wants any:

    # signature: *fp32,*fp32,i32,1024
    # signature: *fp16:16,*fp16:16,i32,4096 --num-warps 8
    @triton.jit
    def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):

A file in test/compile that compiles itself says the same in its RUN lines, `tessera compile %s ... -s "..."`.
    python3 test/signatures.py      prints the list, and the kernels that have none
"""
import dataclasses
import os
import re
import shlex
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["examples", "test/run/kernels", "test/compile"]


@dataclasses.dataclass(frozen=True)
class Case:
    file: str  # relative to the root
    kernel: str
    signature: str
    options: tuple = ()

    def __str__(self):
        return " ".join([f"{self.file}:{self.kernel}", self.signature, *self.options])

    @property
    def entries(self):
        return [entry.strip() for entry in self.signature.split(",")]

    def command(self, tessera, emit="ttir", output="-"):
        return [tessera, "compile", os.path.join(ROOT, self.file), "--kernel-name", self.kernel, "--signature",
                self.signature, *self.options, "--emit", emit, "-o", output]


def commented(path, text):
    """The cases of `# signature:` lines, each of the function that follows."""
    waiting = []
    for line in text.split("\n"):
        if line.startswith("# signature:"):
            signature, *options = shlex.split(line[len("# signature:"):])
            waiting.append((signature, tuple(options)))
        elif match := re.match(r"def (\w+)\(", line):
            for signature, options in waiting:
                yield Case(path, match[1], signature, options)
            waiting = []


def from_run_lines(path, text):
    """The cases of RUN lines that compile a file of the tree and expect success."""
    places = {"%s": path, "%examples/": "examples/", "%kernels/": "test/run/kernels/"}
    for line in re.findall(r"^# RUN: (.*)", re.sub(r"\\\n# RUN:", " ", text), re.M):
        if not line.startswith("tessera compile ") or "--target cpu" in line or "-t cpu" in line:
            continue  # something else, or what only another target takes
        words = shlex.split(line.split("|")[0].split("2>")[0])
        source = next((word for word in words if word == "%s" or word.endswith(".py")), "")
        for short, long in places.items():
            source = source.replace(short, long)
        found = {}
        for flag, value in zip(words, words[1:]):
            for name in ("kernel-name", "signature", "num-warps", "num-stages"):
                if flag in (f"--{name}", {"kernel-name": "-n", "signature": "-s"}.get(name)):
                    found[name] = value
        if "signature" in found and "kernel-name" in found and os.path.exists(os.path.join(ROOT, source)):
            options = [word for name in ("num-warps", "num-stages") if name in found for word in (f"--{name}", found[name])]
            yield Case(source, found["kernel-name"], found["signature"], tuple(options))


def files():
    for folder in FOLDERS:
        for home, folders, names in sorted(os.walk(os.path.join(ROOT, folder))):
            folders[:] = [name for name in folders if name not in ("Inputs", "__pycache__")]
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.relpath(os.path.join(home, name), ROOT)


def cases(pattern=""):
    """Every case once, those whose text matches the pattern."""
    found = {}
    for path in files():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for case in [*commented(path, text), *from_run_lines(path, text)]:
            if re.search(pattern, str(case)):
                found.setdefault(case)
    return list(found)


def without_signature():
    """(file, function) of the jit functions that look like kernels, that is, take a pointer first and are named by
    no other function of their file, and that no case names."""
    known = {(case.file, case.kernel) for case in cases()}
    for path in files():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for name, first in re.findall(r"^@triton\.jit.*\n(?:@.*\n)*def (\w+)\(\s*(\w*)", text, re.M):
            is_used = len(re.findall(rf"\b{name}\b(?!\[)", text)) > 1
            if (path, name) not in known and first.endswith("_ptr") and not is_used:
                yield path, name


if __name__ == "__main__":
    for case in cases(sys.argv[1] if len(sys.argv) > 1 else ""):
        print(case)
    for path, name in without_signature():
        print(f"{path}:{name} has no signature")
