"""Transcripts: a kernel, commands on it, and exactly what they print and return.

A file of test/reject is a Python module followed by a transcript in comments:

    @triton.jit
    def add(x_ptr): ...

    # $ tessera compile unknown.py --kernel-name sub --signature "*fp32"
    # | error: ...
    # = 1

`$` begins a command, `|` is a line it prints (stdout and stderr together), `=` its exit status. Each
command runs under bash in a new folder that holds the module (without its transcript) under its own
name, and examples/add.py as add.py. What a command leaves in the folder, `+` names: a command that
fails must leave nothing. `scripts/bless` writes these lines; people read the diff.

A file opens with a comment that says what it shows. Lines `#: ...` at its head are no part of the module, so that its lines
are counted without them.

Two more: `# & mkdir folder` runs before the next command and is not part of what is checked;
`# % name() { ...; }` defines shell shorthand for all commands of the file.
"""
import dataclasses
import itertools
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "test", "reject")
BIN = os.path.join(ROOT, os.environ.get("BUILD", "build"), "bin")
LINE = re.compile(r"^# ([$|=+&%])(?: (.*))?$")


@dataclasses.dataclass
class Step:
    """One command and the lines expected after it, as they stand in the file (`| text`, `= 1`)."""
    command: str
    expected: list
    setup: list


@dataclasses.dataclass
class Transcript:
    path: str
    head: list  # the lines `#: ...` that say what the file shows
    module: str  # the file from there up to its first command
    steps: list
    between: list  # for each step, the lines that stand before it: comments, setup and blank lines
    prelude: list  # shell lines for every command

    @property
    def name(self):
        """The module's file name in the folder in which commands run."""
        return os.path.basename(self.path)

    @property
    def place(self):
        """The path below test/reject, which identifies the transcript."""
        return os.path.relpath(self.path, FOLDER)


def load(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")
    head = list(itertools.takewhile(lambda line: line.startswith("#: "), lines))
    lines = lines[len(head):]
    first = next((i for i, line in enumerate(lines) if line.startswith("# $ ")), len(lines))
    # The comment block just above the first command belongs to the transcript.
    begin = first
    while begin > 0 and (lines[begin - 1].startswith("#") or not lines[begin - 1].strip()):
        begin -= 1
    transcript = Transcript(path, head, "\n".join(lines[:begin]) + ("\n" if begin else ""), [], [], [])
    pending, setup = [], []
    for line in lines[begin:]:
        match = LINE.match(line)
        kind = match.group(1) if match else ""
        if kind == "$":
            transcript.steps.append(Step(match.group(2), [], setup))
            transcript.between.append(pending)
            pending, setup = [], []
        elif kind in ("|", "=", "+") and transcript.steps and not pending:
            transcript.steps[-1].expected.append(line[2:])
        else:
            pending.append(line)
            if kind == "&":
                setup.append(match.group(2))
            elif kind == "%":
                transcript.prelude.append(match.group(2))
    transcript.between.append(pending)
    return transcript


def load_all():
    """All transcripts of test/reject and its folders, except test modules and the fuzzers' findings."""
    paths = [os.path.join(home, name) for home, _, names in os.walk(FOLDER) for name in names
             if name.endswith(".py") and not name.startswith("test_") and os.path.basename(home) != "findings"]
    return [load(path) for path in sorted(paths)]


def processor():
    """What this machine's processor calls itself, which `tessera run` prints."""
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "\0")


def run(transcript, step, folder):
    """Runs one command in `folder`; returns the lines that the transcript should hold after it."""
    if transcript.module.strip():
        with open(os.path.join(folder, transcript.name), "w", encoding="utf-8", newline="") as file:
            file.write(transcript.module)
    shutil.copy(os.path.join(ROOT, "examples", "add.py"), folder)
    # A fixed environment: the user's cache, colours and tools play no part.
    environment = {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": os.path.join(folder, ".home"), "LC_ALL": "C.UTF-8"}
    if step.setup:
        subprocess.run(["bash", "-ec", "\n".join(step.setup)], cwd=folder, env=environment, check=True)
    before = set(os.listdir(folder))
    script = "\n".join([*transcript.prelude, step.command])
    try:
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    except subprocess.TimeoutExpired:
        return ["| (stopped after 300 s)", "= timeout"]
    text = done.stdout.decode("utf-8", errors="backslashreplace")
    for here, name in ((folder, "FOLDER"), (ROOT, "ROOT"), (processor(), "PROCESSOR")):
        text = text.replace(here, name)
    lines = [f"| {line}".rstrip() for line in text.split("\n")]
    while lines and lines[-1] == "|":
        lines.pop()
    left = sorted(name for name in set(os.listdir(folder)) - before if name not in (".home",))
    return lines + [f"+ {name}" for name in left] + [f"= {done.returncode}"]


def write(transcript, results):
    """Writes the file with each step's expectation replaced."""
    lines = transcript.head + transcript.module.split("\n")[:-1]
    for before, step, result in zip(transcript.between, transcript.steps, results):
        lines += before + [f"# $ {step.command}"] + [f"# {line}" for line in result]
    lines += transcript.between[-1]
    with open(transcript.path, "w", encoding="utf-8", newline="") as file:
        file.write("\n".join(lines))
