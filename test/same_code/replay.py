"""Compiles the requests of a corpus (collect.py) for every target with one build, and hashes what each stage made.

    with Replayer(build, files) as replayer:
        for request, codes in replayer.run(requests): codes == {"cuda:90": {"ttir": TEXT, "ptx": TEXT, ...}, "cpu": ...}

The compiler runs in processes of its own, one for each core, in a folder that holds the corpus's sources. A kernel that is
refused has one stage, "message". Requests go through the C interface, the launches of bench/wild through the build's Python
package. No assembler runs: what ptxas reports decides nothing here.
"""
import concurrent.futures
import ctypes
import os
import re
import shutil
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHIPS = [80, 86, 89, 90]
STAGES = {"cuda": ["ttir", "ttgir", "llir", "ptx"], "cpu": ["ttir", "llir", "asm"]}
TARGETS = ["cpu", *(f"cuda:{chip}" for chip in CHIPS)]
VERSION = re.compile(r"Tessera \d+\.\d+\.\d+[-+.\w]*")


def normalise(text, folder):
    """Without what may differ between builds of the same compiler: folders in locations, and the version."""
    return VERSION.sub("Tessera VERSION", text.replace(folder + os.sep, "").replace(folder, "."))


# ---- the child's side ------------------------------------------------------------------------------

def artifact(library, kernel, extension):
    size = ctypes.c_size_t()
    data = library.kernel_artifact(kernel, extension.encode(), ctypes.byref(size))
    return ctypes.string_at(data, size.value).decode(errors="backslashreplace") if data else ""


def compile_request(library, path, text, kernel, signature, options, target):
    stages = STAGES[target.partition(":")[0]]
    compiled, _ = library.compiled(path, text, kernel, signature, options, target, ",".join(stages))
    try:
        return {stage: artifact(library, compiled, stage) for stage in stages}
    finally:
        library.kernel_free(compiled)


class Captured(BaseException):
    """Ends a compilation by the Python package where the library has made the code."""


def capturing_session(native_session):
    """A session for the Python package that raises Captured with the code of all stages, and keeps nothing in a cache."""
    class Session:
        def __init__(self, settings=None):
            self.session = native_session({name: value for name, value in (settings or {}).items() if name == "libdevice"})

        def compile_program(self, program, target, options="", outputs=None):
            stages = STAGES[target.partition(":")[0]]
            kernel = self.session.compile_program(program, target, options, ",".join(stages))
            raise Captured({stage: (kernel.artifact(stage) or b"").decode(errors="backslashreplace") for stage in stages})
    return Session


def compile_launch(build, key, target):
    """A launch of bench/wild, by the build's Python package."""
    if "tessera" not in sys.modules:
        sys.path[:0] = [os.path.join(build, "python"), os.path.join(os.getcwd(), "bench", "wild"), os.path.join(os.getcwd(), "test")]
        import tessera
        tessera.install_as_triton()
        from tessera import _native
        _native.Session = capturing_session(_native.Session)
    import launches
    from triton.backends.compiler import GPUTarget
    backend, _, chip = target.partition(":")
    stored = compile_launch.stored = getattr(compile_launch, "stored", None) or launches.load_stored()[0]
    try:
        launches.compile_launch(stored[key], GPUTarget(backend, int(chip), 32) if chip else GPUTarget(backend, "native", 1))
    except Captured as code:
        return code.args[0]
    raise RuntimeError("nothing was compiled")


def serve_in(folder, build, connection):
    os.chdir(folder)
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
    from session import Library, Refused, Unsupported
    library = Library()
    while True:
        try:
            (path, text, kernel, signature, options), target = connection.recv()
        except EOFError:
            return
        try:
            codes = (compile_launch(build, path, target) if signature is None else
                     compile_request(library, path, text, kernel, signature, options, target))
        except (Unsupported, Refused) as problem:
            codes = {"message": str(problem)}
        except Exception as problem:
            codes = {"message": f"{type(problem).__name__}: {problem}"}
        connection.send({stage: normalise(text, folder) for stage, text in codes.items()})


# ---- the plan --------------------------------------------------------------------------------------

class Replayer:
    def __init__(self, build, files, jobs=None):
        self.build, self.files = os.path.abspath(build), files
        self.jobs = jobs or len(os.sched_getaffinity(0))

    def __enter__(self):
        os.environ["TESSERA_LIBRARY"] = os.path.join(self.build, "lib", "libtessera.so")
        sys.path[:0] = [os.path.join(ROOT, "test"), os.path.join(ROOT, "test", "run")]
        import features
        import session
        if features.libdevice():
            os.environ["TRITON_LIBDEVICE_PATH"] = features.libdevice()
        session.LIBRARY = os.environ["TESSERA_LIBRARY"]
        self.refused = session.Refused
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="same-code-"))
        for path, text in self.files.items():
            place = os.path.join(self.folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        folder, build = self.folder, self.build

        class Compiler(session.Session):
            seconds = 300
            starting = threading.Lock()

            def start(self):
                # One at a time: a process that inherits another's end of a pipe would keep it open when the other dies.
                with self.starting:
                    super().start()

            @staticmethod
            def serve(connection):
                serve_in(folder, build, connection)
        self.idle = [Compiler() for _ in range(self.jobs)]
        self.lock = threading.Lock()
        return self

    def __exit__(self, *_):
        for compiler in self.idle:
            if compiler.process:
                compiler.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def compile(self, request, targets=TARGETS):
        """{target: {stage: text}}"""
        with self.lock:
            compiler = self.idle.pop()
        fields = (request.path, request.text, request.kernel, request.signature, request.options)
        codes = {}
        try:
            for target in targets:
                try:
                    codes[target] = compiler.ask((fields, target))
                except self.refused as problem:
                    codes[target] = {"message": str(problem)}
        finally:
            with self.lock:
                self.idle.append(compiler)
        return codes

    def run(self, requests, targets=TARGETS):
        """(request, codes) of each, in order."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            window, requests = [], iter(requests)
            for request in requests:
                window.append((request, pool.submit(self.compile, request, targets)))
                if len(window) > 4 * self.jobs:
                    first, future = window.pop(0)
                    yield first, future.result()
            for request, future in window:
                yield request, future.result()
