"""Finds every kernel that tests, examples and benchmarks compile, for scripts/same-code.

    collect(build, progress) -> Corpus

Four sources: what the tests of test/run would launch on a GPU (they note it, see session.note_request), what the FileCheck
tests of test/compile pass to `tessera compile` and `tessera run` (a program in the place of tessera notes it), the
signatures that examples/ and test/ state (test/signatures.py), and the launches of bench/ (bench/wild/stored/launches.json,
bench/gpu, bench/cpu). A corpus carries the sources that it was collected from, so that it can be compiled again after
files have moved.
"""
import dataclasses
import glob
import hashlib
import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = "/usr/bin/python3"
SOURCE_FOLDERS = ["examples", "test", "bench"]
FLAG_NAMES = {"-n": "--kernel-name", "-s": "--signature", "-w": "--num-warps", "-ns": "--num-stages"}
# Options of `tessera compile` that change the code of a kernel and take a value; the other ones name outputs and tools.
VALUE_OPTIONS = {"--num-warps", "--num-stages", "--num-ctas", "--maxnreg", "--ptx-version", "--default-dot-precision"}
FLAG_OPTIONS = {"--enable-fp-fusion", "--enable-reflect-ftz", "--debug", "--print-every-thread", "--print-rows", "--sanitize-overflow", "--sanitize",
                "--line-info", "--launch-cooperative-grid", "--launch-pdl"}
SKIPPED_OPTIONS = {"--target", "-t", "--emit", "-e", "--out-path", "-o", "--out-name", "-on", "--grid", "-g", "--arg", "--save",
                   "--device", "--time", "--seed", "--ptxas-options", "--ptxas", "--cache-dir", "--dump-dir", "--print-passes",
                   "--print-path", "--debug-dir", "--mcpu", "--symbol", "--ir-override"}

NOTING_PROGRAM = """#!{python}
import json, os, sys
if sys.argv[1:2] in (["compile"], ["run"]):
    with open({log!r}, "a") as log:
        log.write(json.dumps([os.getcwd(), sys.argv[2:]]) + "\\n")
os.execv({tessera!r}, [{tessera!r}, *sys.argv[1:]])
"""


@dataclasses.dataclass(frozen=True)
class Request:
    """One kernel with one signature; compiled for every target."""
    path: str  # relative to the folder of the sources; of a launch, its key in launches.json
    text: str | None  # None: the file's
    kernel: str
    signature: str | None  # None: a launch of bench/wild/stored/launches.json
    options: str = ""

    @property
    def key(self):
        digest = hashlib.sha256(json.dumps(dataclasses.astuple(self)).encode()).hexdigest()[:10]
        return f"{self.kernel}#{digest}"


@dataclasses.dataclass
class Corpus:
    requests: dict = dataclasses.field(default_factory=dict)  # Request: the test or benchmark that compiles it first
    files: dict = dataclasses.field(default_factory=dict)  # path: contents

    def add(self, request, origin):
        self.requests.setdefault(request, origin)


# ---- test/run --------------------------------------------------------------------------------------

def add_run_tests(corpus, build, progress):
    folder = os.path.join(ROOT, "test", "run")
    modules = sorted(os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, "**", "test_*.py"), recursive=True))
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "requests")
        for number, module in enumerate(modules, 1):
            progress(f"collecting test/run {number}/{len(modules)} {module}")
            environment = dict(os.environ, TESSERA_TEST_REQUESTS=log, TESSERA_TEST_DEVICE="cuda:0", BUILD=build,
                               PYTHONDONTWRITEBYTECODE="1")
            subprocess.run([PYTHON, "-m", "pytest", "-q", "--rootdir", ROOT, "-p", "no:cacheprovider", f"--basetemp={scratch}/tmp",
                            os.path.join(folder, module)], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200)
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                path, text, kernel, signature, options, test = json.loads(line)
                path = path if text is not None else os.path.relpath(path, ROOT)
                corpus.add(Request(path, text, kernel, signature, options), test)


# ---- test/compile ----------------------------------------------------------------------------------

def noting_build(build, scratch):
    """A build folder whose tessera writes its command lines to a log; (folder, log)."""
    folder, log = os.path.join(scratch, "build"), os.path.join(scratch, "commands")
    os.makedirs(os.path.join(folder, "bin"))
    for name in os.listdir(os.path.join(build, "bin")):
        os.symlink(os.path.join(build, "bin", name), os.path.join(folder, "bin", name))
    program = os.path.join(folder, "bin", "tessera")
    os.unlink(program)
    with open(program, "w", encoding="utf-8") as file:
        file.write(NOTING_PROGRAM.format(python=PYTHON, log=log, tessera=os.path.join(build, "bin", "tessera")))
    os.chmod(program, stat.S_IRWXU)
    for name in ("lib", "python", "unittests", "include"):
        if os.path.exists(os.path.join(build, name)):
            os.symlink(os.path.join(build, name), os.path.join(folder, name))
    return folder, log


def read_command(words):
    """(file, kernel, signature, options) of a command line of tessera compile or run; None if it is of another form."""
    file, kernel, signature, options = None, "", "", []
    words = iter(words)
    for word in words:
        flag, _, value = word.partition("=") if word.startswith("--") else (FLAG_NAMES.get(word, word), "", "")
        if flag in SKIPPED_OPTIONS:
            value or next(words, None)
        elif flag in VALUE_OPTIONS or flag in ("--kernel-name", "--signature"):
            value = value or next(words, "")
            kernel = value if flag == "--kernel-name" else kernel
            signature = value if flag == "--signature" else signature
            options += [f"{flag[2:]}={value}"] if flag in VALUE_OPTIONS else []
        elif flag in FLAG_OPTIONS:
            options.append(f"{flag[2:]}={value or 'true'}")
        elif not word.startswith("-"):
            file = file or word
    return (file, kernel, signature, ",".join(options)) if file else None


def add_command(corpus, scratch, directory, words):
    command = read_command(words)
    if command is None or not os.path.isfile(os.path.join(directory, command[0])):
        return
    file, kernel, signature, options = command
    path = os.path.realpath(os.path.join(directory, file))
    if path.startswith(ROOT + os.sep):
        relative = os.path.relpath(path, ROOT)
    else:  # written by the test: it may import its neighbours
        relative = os.path.join("written", os.path.relpath(path, os.path.realpath(scratch)))
        for home, _, names in os.walk(os.path.dirname(path)):
            for name in names:
                add_file(corpus, os.path.join(home, name), os.path.join(os.path.dirname(relative), os.path.relpath(os.path.join(home, name), os.path.dirname(path))))
    if relative.endswith((".py", ".ttir", ".ttgir", ".llir")):
        corpus.add(Request(relative, None, kernel, signature, options), f"{os.path.basename(file)} {shlex.join(words)}"[:200])


def add_compile_tests(corpus, build, progress):
    progress("collecting test/compile")
    lit = shutil.which("lit-22") or "/usr/lib/llvm-22/bin/lit"
    with tempfile.TemporaryDirectory() as scratch:
        folder, log = noting_build(build, scratch)
        subprocess.run([lit, "-q", f"-j{len(os.sched_getaffinity(0))}", "--no-progress-bar", "test/compile"], cwd=ROOT,
                       env=dict(os.environ, BUILD=folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(log, encoding="utf-8") as lines:
            for line in sorted(set(lines)):
                add_command(corpus, scratch, *json.loads(line))


# ---- signatures in comments, and benchmarks --------------------------------------------------------

def add_signatures(corpus):
    import signatures
    for case in signatures.cases():
        command = read_command([case.file, "-n", case.kernel, "-s", case.signature, *case.options])
        corpus.add(Request(command[0], None, *command[1:]), str(case))


class NotingDevice:
    """Stands in for bench/cpu's device: notes what kernels are asked for."""

    def __init__(self, corpus, origin):
        self.corpus, self.origin = corpus, origin

    def kernel(self, file, kernel, signature, options=""):
        self.corpus.add(Request(file, None, kernel, signature, options), self.origin)
        return self

    def bind(self, *_):
        return None


def add_cpu_benchmarks(corpus, progress):
    sys.path.insert(0, os.path.join(ROOT, "bench", "cpu"))
    import compile as compile_time
    for name, file, kernel, signature, options in compile_time.cases():
        corpus.add(Request(file, None, kernel, signature, options), f"bench/cpu/compile.py {name}")
    for module in ("operators", "products"):
        progress(f"collecting bench/cpu/{module}.py")
        measured = __import__(module)
        for case in measured.cases(NotingDevice(corpus, f"bench/cpu/{module}.py"), 1):
            case().ours()


def add_gpu_benchmarks(corpus):
    """Every group of bench/gpu with every configuration, in its middle size: others differ in no more than that."""
    sys.path.insert(0, os.path.join(ROOT, "bench", "wild"))
    import launches
    folder = os.path.join(ROOT, "bench", "gpu")
    cases, compilers = (launches.module_at(os.path.join(folder, name)) for name in ("cases.py", "compilers.py"))
    for group in cases.groups():
        case = group.cases[len(group.cases) // 2]
        for config in case.configs:
            words = [kind if hint is None else f"{kind}:{hint}" for kind, hint in map(compilers.describe, case.arguments)]
            signature = ",".join([*words, *(str(value) for _, value in config.constants)])
            options = f"num-warps={config.num_warps},num-stages={config.num_stages}"
            corpus.add(Request("bench/gpu/kernels.py", None, case.kernel, signature, options), f"bench/gpu {case.name}")
    stored, _ = launches.load_stored()
    for key, launch in stored.items():
        corpus.add(Request(key, None, launch.kernel, None), f"bench/wild {launch.operator}")


# ---- sources ---------------------------------------------------------------------------------------

def add_file(corpus, path, relative):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            corpus.files[relative] = file.read()
    except (UnicodeDecodeError, OSError):
        pass


def add_sources(corpus):
    for folder in SOURCE_FOLDERS:
        for home, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                path = os.path.join(home, name)
                if name.endswith((".py", ".ttir", ".ttgir", ".llir")) or name == "launches.json":
                    add_file(corpus, path, os.path.relpath(path, ROOT))


def collect(build, progress):
    sys.path.insert(0, os.path.join(ROOT, "test"))
    corpus = Corpus()
    add_signatures(corpus)
    add_gpu_benchmarks(corpus)
    add_cpu_benchmarks(corpus, progress)
    add_compile_tests(corpus, build, progress)
    add_run_tests(corpus, build, progress)
    add_sources(corpus)
    return corpus
