"""One worker process, with a watchdog: it is started when it is asked, and started again after it ended.

    worker = WorkerProcess("cuda:0", {"CUDA_VISIBLE_DEVICES": "3"})
    worker.start()                                      {"device": "NVIDIA H200", "target": "cuda:90", ...}; raises Unavailable
    worker.ask({"do": "look", "bundle": {...}, ...}, 60)

An answer without "ok" has `death`: "hang" (no answer in time; the process was killed), "killed" (by SIGKILL or SIGTERM: somebody
else's doing, or the system's for lack of memory) or "crash" (anything else), and `reason`, which people read.
"""
from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
START_SECONDS, START_TRIES = 120, 20


class Unavailable(Exception):
    """A worker that cannot start, in one line."""


class WorkerProcess:
    def __init__(self, device, environment=None):
        self.device, self.environment = device, environment or {}
        self.process, self.facts, self._sent, self._log, self._rest = None, {}, set(), None, b""

    def start(self):
        """Starts the process, unless it runs, and returns what it says of its device. One that is killed meanwhile is started again."""
        if self.process is not None and self.process.poll() is None:
            return self.facts
        for _ in range(START_TRIES):
            self._start()
            if self.facts.get("death") != "killed":
                break
        if not self.facts.get("ok"):
            self.kill()
            raise Unavailable(f"a process for '{self.device}' cannot start: {self.facts['reason']}")
        return self.facts

    def _start(self):
        self._sent, self._rest = set(), b""
        self._log = tempfile.TemporaryFile()
        paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), **self.environment}
        for name in ("TESSERA_RECORD", "TRITON_INTERPRET", "TESSERA_ON_COMPILE", "TESSERA_PACK"):
            environment.pop(name, None)
        self.process = subprocess.Popen([sys.executable, "-m", "tessera.tune.worker", self.device], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, bufsize=0)
        self.facts = self._answer(START_SECONDS)

    def ask(self, request, seconds):
        try:
            self.start()
        except Unavailable as problem:
            return {"ok": False, "death": "killed", "reason": str(problem)}
        identity = request["bundle"]["id"]
        if identity in self._sent:
            request = {**request, "bundle": identity}
        self._sent.add(identity)
        try:
            self.process.stdin.write((json.dumps(request) + "\n").encode())
        except OSError:  # it has ended; the answer says how
            pass
        return self._answer(seconds)

    def _answer(self, seconds):
        end = time.monotonic() + seconds
        stream = self.process.stdout.fileno()
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                self.kill()
                return {"ok": False, "death": "hang", "reason": f"it did not finish within {seconds:.0f} s"}
            data = os.read(stream, 1 << 20)
            if not data:
                return self._death()
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def _death(self):
        status = self.process.wait()
        words = self._last_words()
        if status in (-signal.SIGKILL, -signal.SIGTERM):
            return {"ok": False, "death": "killed", "reason": f"the process was ended by {signal.Signals(-status).name}"}
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        return {"ok": False, "death": "crash", "reason": f"the process ended {how}{words}"}

    def _last_words(self):
        """The last line that the process wrote to standard error, if it says something."""
        try:
            self._log.seek(0)
            lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        except (OSError, ValueError):
            return ""
        return f": {lines[-1][:160]}" if lines else ""

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        if self.process is not None:
            for stream in (self.process.stdin, self.process.stdout, self._log):
                try:
                    stream.close()
                except OSError:
                    pass
