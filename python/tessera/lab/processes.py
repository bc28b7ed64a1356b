"""Servers that fork children, and handles to ask the children: each contestant has a process of its own, watched by a clock.

    pool = Pool(folder, {"tessera": (command, environment), "plain": (command, environment)})
    child = pool.start("tessera", {"op": "softmax", ...})
    child.ask("time", 30, seconds=0.02, mode="cold")        # raises Failed after 30 s, or if the process died

A server is a Python process that has imported torch and its compiler, so that a child starts in milliseconds.
"""
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from multiprocessing.connection import Listener

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(os.path.dirname(HERE))  # the folder that holds the package tessera


class Failed(Exception):
    """Why a step has no outcome, in one line. `kind`: raised, hung, died."""

    def __init__(self, message, kind="raised"):
        super().__init__(message)
        self.kind = kind


def server_command(kind, interpreter=None):
    """(command, environment) of a server: "plain" has Triton if it is installed, "tessera" and "sanitizer" have Tessera."""
    interpreter = interpreter or sys.executable
    code = f"import sys; sys.path.insert(0, {HERE!r}); import lab_child.main as m; sys.path.remove({HERE!r}); m.serve(sys.argv[1])"
    environment = {name: value for name, value in os.environ.items() if name not in ("TRITON_INTERPRET", "TESSERA_EXPLAIN")}
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep)
             if path and os.path.basename(path) != "_as_triton" and not os.path.isdir(os.path.join(path, "tessera"))]
    if kind != "plain":
        paths.insert(0, PACKAGE)
    if kind == "sanitizer":
        environment.update(TRITON_INTERPRET="1", CUDA_VISIBLE_DEVICES="")
    environment.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # children are many, and each would start a process per core
    environment.update(PYTHONPATH=os.pathsep.join(paths), PYTHONDONTWRITEBYTECODE="1", TRITON_CACHE_AUTOTUNING="0")
    return [interpreter] + (["-m", "tessera"] if kind != "plain" else []) + ["-c", code], environment


class Server:
    """One server process."""

    def __init__(self, command, environment, address, cache, log):
        self.log = log
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(command + [address], env=dict(environment, TRITON_CACHE_DIR=cache,
                                                                               TORCHINDUCTOR_CACHE_DIR=cache + "-inductor"), text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        self.lock, self.facts = threading.Lock(), None

    def ready(self):
        line = self.process.stdout.readline()
        self.facts = json.loads(line) if line.startswith("{") else {"ready": False, "error": f"the process ended; see {self.log}"}
        return self.facts

    def ask(self, request):
        with self.lock:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()


class Pool:
    """The servers, and the connections of their children."""

    def __init__(self, work, commands):
        os.makedirs(work, exist_ok=True)
        self.work, self.count, self.waiting, self.lock = work, 0, {}, threading.Lock()
        self.folder = tempfile.mkdtemp(prefix="lab-")  # a socket's path must be short
        self.address = os.path.join(self.folder, "socket")
        self.listener = Listener(self.address, "AF_UNIX", backlog=64)
        self.servers = {}
        for name, (command, environment) in commands.items():
            cache = os.environ.get("TRITON_CACHE_DIR") if name != "plain" else None
            self.servers[name] = Server(command, environment, self.address, cache or os.path.join(work, "cache-" + name),
                                        os.path.join(work, f"server-{name}.log"))
        self.facts = {name: server.ready() for name, server in self.servers.items()}
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

    def start(self, server, request, seconds=120):
        """A child that has answered `start`."""
        with self.lock:
            self.count += 1
            identity, arrived = self.count, queue.Queue()
            self.waiting[identity] = arrived
        self.servers[server].ask(dict(request, id=identity))
        try:
            child = Handle(*arrived.get(timeout=60), request.get("log"))
        except queue.Empty:
            raise Failed("the process did not start", "died") from None
        child.answer(seconds)
        return child

    def close(self):
        for server in self.servers.values():
            server.close()
        self.listener.close()
        for path in (self.address, self.folder):
            try:
                os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
            except OSError:
                pass


class Handle:
    """A running child."""

    def __init__(self, connection, pid, log):
        self.connection, self.pid, self.log, self.is_alive = connection, pid, log, True

    def answer(self, seconds):
        if not self.connection.poll(seconds):
            self.kill()
            raise Failed(f"hung: no answer within {seconds:.0f} s", "hung")
        try:
            said = self.connection.recv()
        except (EOFError, OSError):
            self.is_alive = False
            raise Failed("the process died" + last_words(self.log), "died") from None
        if not said.pop("ok"):
            raise Failed(said["error"])
        return said

    def ask(self, command, seconds, **keywords):
        if not self.is_alive:
            raise Failed("the process is gone", "died")
        try:
            self.connection.send((command, keywords))
        except OSError:
            self.is_alive = False
            raise Failed("the process died" + last_words(self.log), "died") from None
        return self.answer(seconds)

    def end(self):
        if self.is_alive:
            try:
                self.connection.send(("end", {}))
            except OSError:
                pass
        self.is_alive = False
        self.connection.close()

    def kill(self):
        self.is_alive = False
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def last_words(log):
    """The last line of a log that says something, for messages about a process that died."""
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
    except (OSError, TypeError):
        return ""
    return f" ({lines[-1][:200]})" if lines else " (a fault in native code; its log is empty)"
