"""Runs operators under the compiler that `import triton` means here: each in a forked child, told what to do over a socket.

    python3 child.py serve SOCKET              Triton, as installed
    python3 -m tessera child.py serve SOCKET   the same programs, import triton = Tessera

The server imports torch and triton once, without touching the GPU, and forks for every request that it reads (a JSON object a
line: id, folder, operator, device, mode, choice, stem). A child connects to SOCKET, says its id, and then answers commands:

    prepare   make the inputs, call once, compare with the reference, save a sample of the results at STEM.pt
    kernels   GPU times of the kernels of some calls, by the profiler: [[name, microseconds], ...] a call
    host      times of whole calls: without and with waiting for the GPU
    end       leave

An answer is {"ok": true, ...} or {"ok": false, "error": ...}. A command may also be a new request, for another operator of the
same module: a context on the GPU takes seconds. After a failure a child is not asked again, so one that dies or hangs hurts
nobody but its row.
"""
import gc
import json
import os
import re
import select
import statistics
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agree  # noqa: E402
import corpus  # noqa: E402


# ---- autotuning: one configuration, the same under both compilers ---------------------------------

def cut(configs, choice):
    """`choice`: middle, first, last; or a number, so many of the list, evenly spread."""
    configs = list(configs)
    if len(configs) <= 1 or choice == "all":
        return configs
    if choice in ("first", "middle", "last"):
        return [configs[{"first": 0, "middle": len(configs) // 2, "last": -1}[choice]]]
    count = min(int(choice), len(configs))
    return [configs[i * len(configs) // count] for i in range(count)]


def limit_autotuning(choice):
    """Replaces triton.autotune: what a program lists is cut after its own pruning."""
    import triton
    original = triton.autotune

    def autotune(configs, *arguments, prune_configs_by=None, **keywords):
        prune = dict(prune_configs_by or {})
        early = prune.get("early_config_prune")
        if not early:
            return original(cut(configs, choice), *arguments, **keywords)

        def pruned(all_configs, *more, **named):
            return cut(early(all_configs, *more, **named), choice)
        return original(configs, *arguments, prune_configs_by={"early_config_prune": pruned}, **keywords)
    triton.autotune = autotune
    for name in ("triton.runtime", "triton.runtime.autotuner"):
        if name in sys.modules and hasattr(sys.modules[name], "autotune"):
            setattr(sys.modules[name], "autotune", autotune)


# ---- which kernels an operator launches -----------------------------------------------------------

class LaunchNames:
    """The names of the kernels that are launched while it is entered."""

    def __init__(self):
        self.names = []

    def note(self, metadata):
        try:
            facts = getattr(metadata, "data", None)  # not get(), which runs what the program adds
            self.names.append((facts or metadata.get())["name"])
        except Exception:
            pass

    def __enter__(self):
        from triton import knobs
        self.hook = knobs.runtime.launch_enter_hook
        self.hook.add(self.note)
        return self

    def __exit__(self, *_):
        self.hook.remove(self.note)
        if not self.names:  # launched behind the hook's back: every kernel that is defined
            self.names = [o.__name__ for o in gc.get_objects() if type(o).__name__ == "JITFunction"]


def uses_dot(names):
    """Whether a kernel of these names, or a function that it calls, has a matrix product."""
    sources = {o.__name__: getattr(o, "src", "") for o in gc.get_objects() if type(o).__name__ == "JITFunction"}
    seen, todo = set(), [name for name in names if name in sources]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if re.search(r"\bdot(_scaled)?\s*\(", sources[name]):
            return True
        todo += [word for word in set(re.findall(r"\w+", sources[name])) if word in sources]
    return False


# ---- a child --------------------------------------------------------------------------------------

class Child:
    def __init__(self, request):
        self.request, self.device = request, request["device"]
        self.names, self.call_s, self.case, self.is_new = [], 0.01, None, True

    def renew(self, request):
        """Another operator; the memory of the one before is given back."""
        import torch
        self.request, self.case, self.is_new = request, None, False
        gc.collect()
        if self.device == "cuda":
            torch.cuda.empty_cache()
        return self.start()

    def start(self):
        """All that needs no turn on the GPU: imports, the context, the profiler's own start."""
        import torch
        write_log(self.request)
        begin = time.perf_counter()
        if self.is_new:
            limit_autotuning(self.request["choice"])
        operators = corpus.load(self.request["folder"], self.request["module"])
        self.operator = operators[self.request["operator"]]
        if self.device == "cuda" and self.is_new:
            torch.zeros(1, device="cuda")
            torch.cuda.synchronize()
            if self.request["mode"] == "time":
                self.profiled(lambda: torch.zeros(1, device="cuda"), 1)
        return {"import_s": time.perf_counter() - begin}

    def seed(self):
        import random
        import torch
        random.seed(0)
        torch.manual_seed(0)

    def wait(self):
        if self.device == "cuda":
            import torch
            torch.cuda.synchronize()

    def timed(self, function):
        begin = time.perf_counter()
        function()
        self.wait()
        return time.perf_counter() - begin

    def once(self):
        self.seed()
        return self.case.call()

    def prepare(self):
        self.seed()
        self.case = self.operator.case(corpus.World(self.device))
        begin = time.perf_counter()
        with LaunchNames() as launched:
            results = self.once()
            self.wait()
        first = time.perf_counter() - begin
        self.names = launched.names
        answer = {"first_s": first, "launched": launched.names[:200], "dot": uses_dot(set(launched.names))}
        answer.update(self.check(results) if self.request["mode"] == "check" else self.compare_runs(results))
        del results
        self.call_s = min(self.timed(self.once) for _ in range(2))
        answer["call_s"] = self.call_s
        return answer

    def samples(self, results):
        return [(path, agree.sample(t), tuple(t.shape)) for path, t in corpus.flatten(results)]

    def check(self, results):
        import torch
        found = self.samples(results)
        torch.save(found, self.request["stem"] + ".pt")
        answer = {"results": len(found)}
        if self.case.reference:
            wanted = self.samples(self.case.reference())
            said, worst = agree.compare(found, wanted, self.case)
            answer.update(against_reference=said or "agrees", reference_error=worst)
        return answer | self.compare_files(found, self.request.get("other"), "against_other")

    def compare_runs(self, results):
        """With what the same program gave in another process, under the same compiler and under the other one."""
        found = self.samples(results)
        return (self.compare_files(found, self.request.get("same"), "against_itself")
                | self.compare_files(found, self.request.get("other"), "against_other"))

    def compare_files(self, found, path, key):
        import torch
        if not path or not os.path.exists(path):
            return {}
        said, worst = agree.compare(found, torch.load(path), self.case)
        return {key: said or "agrees", key + "_error": worst}

    def profiled(self, call, count):
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            for _ in range(count):
                call()
            self.wait()
        return sorted((e.time_range.start, e.name, e.device_time_total) for e in seen.events()
                      if str(e.device_type).endswith("CUDA"))

    def kernels(self, seconds=0.03):
        count = max(2, min(10, int(seconds / max(self.call_s, 1e-6))))
        if self.device != "cuda":  # the CPU has no profiler: the whole call stands for its kernels
            return {"calls": [[["call", self.timed(self.once) * 1e6]] for _ in range(count)], "whole_us": 0.0}
        events = self.profiled(self.once, count)
        own = set(self.names)
        mine = [[name, us] for _, name, us in events if name in own]
        per_call, rest = divmod(len(mine), count)
        calls = [mine[i * per_call:(i + 1) * per_call] for i in range(count)] if not rest else [mine]
        return {"calls": calls, "uneven": bool(rest), "of": count, "whole_us": sum(us for *_, us in events) / count}

    def host(self, seconds=0.04):
        count = max(3, min(40, int(seconds / max(self.call_s, 1e-6))))
        queued, waited = [], []
        self.wait()
        for _ in range(count):
            begin = time.perf_counter()
            self.case.call()
            queued.append(time.perf_counter() - begin)
        self.wait()
        for _ in range(count):
            waited.append(self.timed(self.case.call))
        return {"queued_us": statistics.median(queued) * 1e6, "waited_us": statistics.median(waited) * 1e6,
                "waited_least_us": min(waited) * 1e6}


def write_log(request):
    """Standard output and standard error go to the operator's log."""
    sys.stdout.flush()
    sys.stderr.flush()
    log = os.open(request["stem"] + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


def run_child(request, address):
    from multiprocessing.connection import Client
    import torch
    write_log(request)
    torch.set_num_threads(1)  # there are as many children as cores
    connection = Client(address, "AF_UNIX")
    connection.send({"id": request["id"], "pid": os.getpid()})
    child = Child(request)
    command = "start"
    while command != "end":
        try:
            answer = dict(child.renew(command) if isinstance(command, dict) else getattr(child, command)(), ok=True)
        except BaseException as error:
            traceback.print_exc()
            answer = {"ok": False, "error": first_lines(error)}
        sys.stderr.flush()
        connection.send(answer)
        command = connection.recv()
    sys.stdout.flush()


def first_lines(error):
    text = f"{type(error).__name__}: {error}"
    lines = [line for line in text.split("\n") if line.strip()]
    loud = [line for line in lines[1:] if re.search(r"\berror\b", line, re.I)]
    return " | ".join((lines[:2] + loud[:1]))[:500] if lines else type(error).__name__


def serve(address):
    import torch  # noqa: F401  before the forks, without touching the GPU
    import triton  # noqa: F401
    print(json.dumps({"ready": True, "torch": torch.__version__, "triton": triton.__version__,
                      "compiler": "tessera" if "tessera" in sys.modules else "triton"}), flush=True)
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
        buffer += data
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            if os.fork() == 0:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                status = 1
                try:
                    run_child(json.loads(line), address)
                    status = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    sys.stderr.flush()
                    os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[2])
