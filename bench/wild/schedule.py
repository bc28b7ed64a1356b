"""Who runs when: first every operator once, on all cores; then the two compilers in turns, one pair at a time on the GPU.

1. check   under each compiler: compile, call, compare with the reference and with each other. Fills both caches.
2. time    the children of some pairs start side by side (imports, contexts) and prepare (inputs, first launches, results);
           then one pair at a time has the GPU for itself, while nobody prepares, and its children take turns: kernels,
           kernels, ..., host.

Each step's outcome is a file of the work folder, so that a second call continues where the first one stopped.
"""
import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Listener

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = ("triton", "tessera")
CHUNK = 4  # operators that a child serves, if none fails
CHECK_SHARE = 0.6  # of the minutes, after which no check starts, so that a call that is cut short has times to show
CHECK_GRACE = 20.0  # seconds for checks that have started by then
OUT_OF_RESOURCES = re.compile(r"OutOfResources|out of resource", re.I)


class Quiet:
    """Many may be busy at once; who measures is alone, and goes first."""

    def __init__(self):
        self.changed = threading.Condition()
        self.busy, self.measuring, self.waiting = 0, False, 0

    @contextlib.contextmanager
    def while_busy(self):
        with self.changed:
            self.changed.wait_for(lambda: not self.measuring and not self.waiting)
            self.busy += 1
        try:
            yield
        finally:
            with self.changed:
                self.busy -= 1
                self.changed.notify_all()

    @contextlib.contextmanager
    def while_measuring(self):
        with self.changed:
            self.waiting += 1
            self.changed.wait_for(lambda: not self.measuring and not self.busy)
            self.waiting -= 1
            self.measuring = True
        try:
            yield
        finally:
            with self.changed:
                self.measuring = False
                self.changed.notify_all()


class Failed(Exception):
    """One line: why a step has no outcome."""


class Server:
    """child.py under one compiler."""

    def __init__(self, compiler, options, address):
        environment = dict(os.environ, WILD_PACKAGES=options.packages or "")
        environment["TRITON_CACHE_DIR"] = os.path.join(options.work, "cache-" + compiler)
        is_tessera = compiler == "tessera" or options.itself
        paths = [options.tessera] if is_tessera else []
        environment["PYTHONPATH"] = os.pathsep.join(paths + [p for p in [environment.get("PYTHONPATH")] if p])
        prefix = [sys.executable] + (["-m", "tessera"] if is_tessera else [])
        self.process = subprocess.Popen(prefix + [os.path.join(HERE, "child.py"), "serve", address], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock, self.facts = threading.Lock(), None

    def ready(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed("the server of a compiler did not start")
        self.facts = json.loads(line)

    def ask(self, request):
        with self.lock:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)


class Pool:
    """Both servers, and the connections of their children."""

    def __init__(self, options):
        self.options, self.count, self.waiting = options, 0, {}
        self.lock = threading.Lock()
        self.address = os.path.join(options.work, f"socket-{os.getpid()}")
        self.listener = Listener(self.address, "AF_UNIX", backlog=64)
        names = COMPILERS if options.device == "cuda" or options.itself else ("tessera",)
        self.servers = {name: Server(name, options, self.address) for name in names}
        for server in self.servers.values():
            server.ready()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection = self.listener.accept()
                hello = connection.recv()
            except (OSError, EOFError):
                if os.path.exists(self.address):
                    continue
                return
            with self.lock:
                waiting = self.waiting.pop(hello["id"], None)
            if waiting:
                waiting.put((connection, hello["pid"]))

    def start(self, compiler, request):
        with self.lock:
            self.count += 1
            request["id"] = self.count
            arrived = self.waiting[self.count] = queue.Queue()
        self.servers[compiler].ask(request)
        try:
            return Handle(*arrived.get(timeout=60))
        except queue.Empty:
            raise Failed("the child did not start") from None

    def close(self):
        for server in self.servers.values():
            server.close()
        self.listener.close()
        if os.path.exists(self.address):
            os.unlink(self.address)


def drop(handles, compiler):
    """Ends a child that is not to be asked again."""
    handle = handles.pop(compiler, None)
    if handle:
        handle.end()


class Handle:
    """A running child."""

    def __init__(self, connection, pid):
        self.connection, self.pid, self.serves = connection, pid, None

    def answer(self, seconds):
        if not self.connection.poll(seconds):
            self.kill()
            raise Failed(f"no answer within {seconds:.0f} s")
        try:
            said = self.connection.recv()
        except (EOFError, OSError):
            raise Failed("the process died (the log may say why)") from None
        if not said["ok"]:
            raise Failed(said["error"])
        return said

    def ask(self, command, seconds):
        try:
            self.connection.send(command)
        except OSError:
            raise Failed("the process died (the log may say why)") from None
        return self.answer(seconds)

    def end(self):
        try:
            self.connection.send("end")
        except OSError:
            pass
        self.connection.close()

    def kill(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


# ---- files ----------------------------------------------------------------------------------------

class Store:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def stem(self, name, compiler, step):
        return os.path.join(self.folder, f"{name}.{compiler}.{step}")

    def read(self, name, compiler, step):
        try:
            with open(self.stem(name, compiler, step) + ".json", encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def write(self, name, compiler, step, outcome):
        path = self.stem(name, compiler, step) + ".json"
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(outcome, file)
        os.replace(path + ".part", path)


# ---- the two steps --------------------------------------------------------------------------------

class Bench:
    def __init__(self, options, operators, store, pool):
        self.options, self.operators, self.store, self.pool = options, operators, store, pool
        self.compilers = list(pool.servers)
        self.begin = time.monotonic()
        self.deadline = self.begin + options.minutes * 60
        self.quiet, self.screen = Quiet(), threading.Lock()
        self.check_share = CHECK_SHARE if "time" in options.steps else 1.0
        self.done, self.total = 0, 0

    def progress(self, step, name, text):
        with self.screen:
            self.done += 1
            left = max(0, self.deadline - time.monotonic())
            print(f"[{self.done}/{self.total}] {step} {name}: {text}  ({left:.0f} s left)", flush=True)

    def late(self, share=1.0):
        return time.monotonic() > self.begin + share * (self.deadline - self.begin)

    def request(self, name, compiler, mode, choice):
        operator = self.operators[name]
        other = self.compilers[1] if compiler == self.compilers[0] and len(self.compilers) > 1 else self.compilers[0]
        return {"folder": operator.folder, "module": operator.module, "operator": name, "device": self.options.device,
                "mode": mode, "choice": choice, "stem": self.store.stem(name, compiler, mode),
                "same": self.store.stem(name, compiler, "check") + ".pt" if mode == "time" else None,
                "other": self.store.stem(name, other, "check") + ".pt" if other != compiler else None}

    # -- step 1

    def missing(self, name, compiler, step):
        found = self.store.read(name, compiler, step)
        return found is None or (self.options.retry and not found["ok"])

    def ready(self, handles, compiler, request, limit):
        """A child that has the operator loaded: that of the operator before, where it is of the same module and well."""
        serves = (request["module"], request["choice"])
        handle = handles.get(compiler)
        if handle and handle.serves == serves:
            return handle, handle.ask(request, limit)
        drop(handles, compiler)
        handle = handles[compiler] = self.pool.start(compiler, request)
        handle.serves = serves
        return handle, handle.answer(limit)

    def check_one(self, handles, name, compiler, choice):
        begin = time.monotonic()
        end = self.begin + self.check_share * (self.deadline - self.begin) + CHECK_GRACE
        limit = min(self.operators[name].limit, max(5.0, end - begin))
        try:
            handle, outcome = self.ready(handles, compiler, self.request(name, compiler, "check", choice), limit)
            outcome.update(handle.ask("prepare", max(1, limit - (time.monotonic() - begin))))
        except Failed as error:
            drop(handles, compiler)
            outcome = {"ok": False, "error": str(error)}
        return dict(outcome, choice=choice, seconds=time.monotonic() - begin)

    def check_chunk(self, names):
        handles = {}
        for name in names:
            self.check(handles, name)
        for compiler in list(handles):
            drop(handles, compiler)

    def check(self, handles, name):
        choice = None
        for compiler in self.compilers:
            if not self.missing(name, compiler, "check"):
                choice = self.store.read(name, compiler, "check").get("choice")
                continue
            if self.late(self.check_share):
                return
            for choice in [choice] if choice else [self.options.configs, "first", "last"]:
                outcome = self.check_one(handles, name, compiler, choice)
                if outcome["ok"] or not OUT_OF_RESOURCES.search(outcome["error"]):
                    break
            if outcome["ok"] or not self.late(self.check_share):
                self.store.write(name, compiler, "check", outcome)
            self.progress("check", f"{name} {compiler}", verdict(outcome))

    # -- step 2

    def measure_chunk(self, names):
        handles = {}
        for name in names:
            self.measure(handles, name)
        for compiler in list(handles):
            drop(handles, compiler)

    def measure(self, handles, name):
        checks = {compiler: self.store.read(name, compiler, "check") for compiler in self.compilers}
        able = {compiler: check for compiler, check in checks.items() if check and check["ok"]}
        if self.late() or len(able) < len(checks) or not any(self.missing(name, compiler, "time") for compiler in able):
            return  # what only one of them runs has no ratio
        outcomes = {compiler: {"ok": True, "kernels": [], "host": []} for compiler in able}
        for compiler, check in able.items():
            request = self.request(name, compiler, "time", check["choice"])
            self.attempt(outcomes[compiler], lambda c=compiler, r=request: self.ready(handles, c, r, 90))
        mine = {c: handles[c] for c in able if c in handles}
        with self.quiet.while_busy():
            for compiler, handle in mine.items():
                outcomes[compiler].update(self.attempt(outcomes[compiler], lambda h=handle: h.ask("prepare", 60)) or {})
        with self.quiet.while_measuring():
            if self.late():
                return
            self.take_turns(mine, outcomes)
        for compiler, outcome in outcomes.items():
            if not outcome["ok"]:
                drop(handles, compiler)
            self.store.write(name, compiler, "time", outcome)
        self.progress("time", name, comparison(outcomes))

    @staticmethod
    def attempt(outcome, step):
        """Does a step unless one before failed; a failure is the outcome."""
        if not outcome["ok"]:
            return None
        try:
            return step()
        except Failed as error:
            outcome.update(ok=False, error=str(error))
            return None

    def take_turns(self, handles, outcomes):
        for command in ["kernels"] * self.options.rounds + ["host"] * 2:
            for compiler, handle in handles.items():
                said = self.attempt(outcomes[compiler], lambda h=handle: h.ask(command, 30))
                if said:
                    outcomes[compiler][command].append(said)

    def chunks(self, names):
        """Neighbours of one module, a few at a time, which children serve one after the other."""
        chunks = []
        for name in names:
            last = chunks[-1] if chunks else []
            if last and len(last) < CHUNK and self.operators[last[0]].module == self.operators[name].module:
                last.append(name)
            else:
                chunks.append([name])
        # What takes long begins first.
        return sorted(chunks, key=lambda chunk: -max(self.operators[name].limit for name in chunk))

    def run(self):
        from concurrent.futures import ThreadPoolExecutor
        names = list(self.operators)
        todo = [n for n in names if any(self.missing(n, c, "check") for c in self.compilers)]
        self.done, self.total = 0, len(todo) * len(self.compilers)
        if "check" in self.options.steps:
            with ThreadPoolExecutor(self.options.workers) as threads:
                list(threads.map(self.check_chunk, self.chunks(todo)))
        todo = [n for n in names if any(self.missing(n, c, "time") for c in self.compilers)]
        self.done, self.total = 0, len(todo)
        if "time" in self.options.steps:
            with ThreadPoolExecutor(max(1, self.options.workers // 2)) as threads:
                list(threads.map(self.measure_chunk, self.chunks(todo)))


def verdict(outcome):
    if not outcome["ok"]:
        return "failed: " + outcome["error"][:160]
    said = outcome.get("against_reference")
    if not said and "against_other" in outcome:
        said = f"no reference; beside the other compiler: {outcome['against_other']}"
    return f"{said or 'no reference'}, {outcome['seconds']:.1f} s"


def comparison(outcomes):
    if not all(o["ok"] for o in outcomes.values()):
        return "; ".join(f"{c}: {o['error'][:120]}" for c, o in outcomes.items() if not o["ok"])
    import report
    times = {c: report.gpu_us(o) for c, o in outcomes.items()}
    if len(times) == 2 and all(times.values()):
        return f"{times['triton']:.1f} and {times['tessera']:.1f} us, ratio {times['tessera'] / times['triton']:.2f}"
    return ", ".join(f"{c} {t} us" for c, t in times.items())
