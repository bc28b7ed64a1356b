"""A server that forks a child for each contestant, and the commands that a child answers.

    python3 -c "...; serve(ADDRESS)"               torch, torch.compile and Triton
    python3 -m tessera -c "...; serve(ADDRESS)"    import triton = Tessera; with TRITON_INTERPRET=1 sanitized

The server imports torch and triton once, without touching the GPU, and forks for every request that it reads: a JSON object a
line. The child connects to ADDRESS, says its id, and answers commands, (name, keywords), with {"ok": True, ...} or {"ok": False,
"error": ...}. A child that hangs, crashes or loses its GPU context harms no other.
"""
import gc
import importlib.util
import json
import os
import select
import sys
import time
import traceback

SLOW = 0.2  # seconds: a contestant that takes longer has three turns, with a cold cache only


class Child:
    """One contestant: a version under this process's compiler, torch, torch.compile, or a rival of reference.py (torch:NAME)."""

    def __init__(self, request):
        self.request, self.device = request, request["device"]
        self.contestant = request["contestant"]
        self.args, self.kwargs, self.case, self.size = None, None, None, None

    # ---- commands

    def start(self):
        """Imports the operator and creates the GPU's context."""
        import torch
        from . import launches
        from .operators import Operator
        begin = time.perf_counter()
        if self.request.get("threads"):
            torch.set_num_threads(self.request["threads"])
        self.operator = Operator(self.request["kernels"], self.request["op"])
        kind, _, rival = self.contestant.partition(":")
        if kind in ("torch", "torch.compile"):
            self.operator.choose_torch(kind == "torch.compile", rival)
        else:
            self.operator.choose(self.contestant)
            launches.set_bench(launches.quick_bench(self.device))
        if self.device == "cuda":
            torch.zeros(1, device="cuda")
            torch.cuda.synchronize()
        return {"seconds": time.perf_counter() - begin}

    def describe(self, cases):
        """Documentation and configurations of the version, facts of the cases."""
        from . import launches
        module = self.operator.module
        return {"doc": (module.__doc__ or "").strip() if module else "",
                "configurations": launches.configurations(module) if module else {},
                "backward": bool(self.operator.option("backward")), "torch_compile": self.operator.option("torch_compile", True),
                "rivals": list(self.operator.option("rivals", {})),
                "op_doc": (sys.modules[self.operator.reference_module.__package__].__doc__ or "").strip(),
                "facts": {name: self.operator.facts(case) for name, case in cases.items()}}

    def check(self, case, seed, turn):
        """One case, every check of checks.py, with the configuration whose turn it is."""
        from . import checks, launches
        launches.use_configuration(turn)
        return {"outcome": checks.check_case(self.operator, case, seed, self.device)}

    def load(self, size, case, seed):
        """Makes the inputs of a size; drops those of the size before."""
        self.unload()
        self.args, self.kwargs = self.operator.large_inputs(case, self.device, seed)
        self.case, self.size, self.taken = case, size, {}
        return {}

    def unload(self):
        """Drops the inputs."""
        from .timing import forget
        self.args = self.kwargs = None
        forget(self.device)
        gc.collect()
        if self.device == "cuda":
            import torch
            torch.cuda.empty_cache()
        return {}

    def compile(self):
        """Compiles every configuration, each running once. Nothing is timed."""
        from . import launches
        begin = time.perf_counter()
        if self.operator.module:
            launches.set_bench(launches.only_compile)
        self.call()
        self.wait()
        return {"seconds": time.perf_counter() - begin}

    def tune(self):
        """Chooses the configuration by time."""
        from . import launches
        if not self.operator.module:
            self.measure_once()
            return {"kernels": [], "config": {}}
        launches.set_bench(launches.quick_bench(self.device))
        self.call()
        facts, self.kernels = launches.launched(self.call)
        self.measure_once()
        for each in facts:
            each["occupancy"] = launches.occupancy(each)
        return {"kernels": facts, "config": launches.chosen(self.operator.module)}

    def compare(self):
        """The result at this size against torch's in the same type, with twice the tolerance."""
        if self.contestant in ("torch", "torch.compile"):
            return {"outcome": {"ok": True}}
        try:
            return {"outcome": self.compared()}
        finally:
            if self.device == "cuda":
                import torch
                torch.cuda.empty_cache()  # other contestants need the memory that the comparison took

    def compared(self):
        from . import agree, checks
        if self.operator.module and not self.kernels:
            return {"ok": False, "what": "no-kernel", "message": checks.NO_KERNEL}
        own = self.operator.option("check")
        result = self.call()
        self.wait()
        if own:
            said = own(result, self.args, self.kwargs)
            return {"ok": not said, "what": "value", "message": said}
        wanted = self.reference()
        if wanted is None:
            return {"ok": True, "unchecked": "this torch has no reference in this type"}
        problem, error = agree.compare(result, wanted, wanted, lambda dtype: tuple(2 * t for t in self.operator.tolerance(dtype)))
        return {"ok": False, **problem} if problem else {"ok": True, "error": error}

    def reference(self):
        from . import inputs
        try:
            return self.operator.reference(*self.args, **self.kwargs)
        except (RuntimeError, NotImplementedError):
            elements = sum(t.numel() for t in inputs.tensors((self.args, self.kwargs)))
            return self.operator.high_precision(self.args, self.kwargs) if elements < 1 << 24 else None

    def time(self, spend, mode):
        """Samples of one turn of about `spend` seconds: [microseconds], and by which clock."""
        from .timing import clock_for
        clock = clock_for(self.device)
        taken = self.taken[mode] = self.taken.get(mode, 0) + 1
        if self.once > SLOW and (taken > 3 or mode == "warm"):
            return {"samples": [], "clock": None}
        count = max(1, min(50, int(spend / max(1e-6, self.once))))
        if mode == "cold":
            samples, way = clock.cold(self.call, count)
        else:
            samples, way = clock.warm(self.call, min(5, count), key=self.size)
        return {"samples": samples, "clock": way}

    def ceilings(self, dtypes):
        from .timing import ceilings, clock_for
        found = ceilings(self.device, dtypes)
        return {"ceilings": found, "cache_bytes": clock_for(self.device).cache_bytes}

    def dot_rate(self):
        from .timing import dot_rate
        return {"rate": dot_rate()}

    def beat(self):
        from .timing import Metronome
        if not hasattr(self, "metronome"):
            self.metronome = Metronome(self.device)
        return {"us": self.metronome.beat()}

    def machine(self):
        """The device and the versions of the software, for records."""
        import torch
        facts = {"torch": torch.__version__, "python": sys.version.split()[0]}
        if self.device == "cuda":
            properties = torch.cuda.get_device_properties(0)
            facts.update(name=properties.name, multiprocessors=properties.multi_processor_count, cuda=torch.version.cuda,
                         capability=f"{properties.major}.{properties.minor}", memory=properties.total_memory)
        else:
            facts.update(name=processor_name(), threads=torch.get_num_threads())
        return facts

    def explain(self, path):
        """Writes the explain page of the first kernel; Tessera alone has them."""
        for kernel in getattr(self, "kernels", []):
            if hasattr(kernel, "explain"):
                kernel.explain().save(path)
                return {"path": path}
        return {"path": None}

    # ---- helpers

    def measure_once(self):
        """About how long a call takes, with the clearing of the cache: seconds."""
        from .timing import clock_for
        clock = clock_for(self.device)
        self.call()
        self.wait()
        begin = time.perf_counter()
        clock.cold(self.call, 1)
        self.once = time.perf_counter() - begin

    def call(self):
        return self.operator.function(*self.args, **self.kwargs)

    def wait(self):
        if self.device == "cuda":
            import torch
            torch.cuda.synchronize()


def processor_name():
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        return names[0] if names else "CPU"
    except OSError:
        return "CPU"


# ---- the server -------------------------------------------------------------------------------------

def redirect(path):
    """Sends standard output and standard error to the contestant's log."""
    sys.stdout.flush()
    sys.stderr.flush()
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


def run_child(request, address):
    from multiprocessing.connection import Client

    from .checks import first_lines
    redirect(request["log"])
    connection = Client(address, "AF_UNIX")
    connection.send({"id": request["id"], "pid": os.getpid()})
    child, command = Child(request), ("start", {})
    while command[0] != "end":
        try:
            answer = dict(getattr(child, command[0])(**command[1]), ok=True)
        except BaseException as error:
            traceback.print_exc()
            answer = {"ok": False, "error": first_lines(error)}
        sys.stderr.flush()
        connection.send(answer)
        try:
            command = connection.recv()
        except EOFError:
            return


def compiler_facts():
    """Which compiler `import triton` means here, and its version; None without any."""
    if "tessera" in sys.modules:
        return {"compiler": "tessera", "version": sys.modules["tessera"].__version__}
    if importlib.util.find_spec("triton") is None:
        return {"compiler": None, "version": None}
    import triton
    return {"compiler": "triton", "version": triton.__version__}


def serve(address):
    """Answers {"ready": ...} on standard output, then forks a child for each request from standard input."""
    try:
        import torch
        facts = {"ready": True, "torch": torch.__version__, **compiler_facts()}
        if facts["compiler"]:
            import triton  # noqa: F401  before the forks
    except Exception as error:
        print(json.dumps({"ready": False, "error": f"{type(error).__name__}: {error}"}), flush=True)
        return
    print(json.dumps(facts), flush=True)
    buffer = b""
    while True:
        readable, _, _ = select.select([0], [], [], 0.2)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        if not readable:
            continue
        data = os.read(0, 65536)
        if not data:
            return
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            fork(json.loads(line), address)


def fork(request, address):
    if os.fork():
        return
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    status = 1
    try:
        run_child(request, address)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
