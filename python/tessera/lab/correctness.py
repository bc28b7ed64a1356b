"""Phase 3a: each version against torch, first under the CPU's sanitizer, then on the device. What fails is not timed.

A version has a process for each of the two. A case that hangs or faults ends its process, and the version fails with that case.
"""
import os
import time

from .lab_child.checks import NO_KERNEL
from .processes import Failed

SANITIZED, ON_DEVICE = "sanitizer", "device"


def request(settings, operator, contestant, device, log, threads=None):
    """What a child is told; `threads` are torch's on the CPU."""
    return {"kernels": settings.kernels, "op": operator.name, "contestant": contestant, "device": device, "log": log, "threads": threads}


class Correctness:
    """The cases of one operator."""

    def __init__(self, lab, operator):
        self.lab, self.settings, self.operator = lab, lab.settings, operator
        self.cases = operator.cases(self.settings.random, self.settings.seed)

    def version(self, version):
        """{"sanitizer": outcome, "device": outcome, "about": documentation and configurations}"""
        found = {}
        for step in self.steps():
            found[step] = self.step(version, step)
            if not found[step]["ok"]:
                break
        return found

    def steps(self):
        return [SANITIZED, ON_DEVICE] if self.settings.sanitize else [ON_DEVICE]

    def is_known(self, version):
        """Whether an earlier run has checked this version."""
        return all(self.lab.store.read(self.operator.name, self.key(version, step)) for step in self.steps())

    def key(self, version, step):
        device = "cpu" if step == SANITIZED else self.settings.device
        return self.lab.store.key("check", step, version, self.operator.source_hash(version), device, self.lab.tessera_stamp,
                                  [[case, seed] for _, case, seed in self.cases])

    def step(self, version, step):
        key = self.key(version, step)
        outcome = self.lab.store.read(self.operator.name, key)
        if outcome is None:
            begin = time.monotonic()
            outcome = self.run_cases(version, step)
            outcome["seconds"] = round(time.monotonic() - begin, 2)
            self.lab.store.write(self.operator.name, key, outcome)
        self.lab.screen.checked(self.operator.name, version, step, outcome)
        return outcome

    def run_cases(self, version, step):
        """{"ok", "passed", "cases", "worst"} or, with the first case that fails, "failed"."""
        child, outcome, launches = None, {"ok": True, "passed": 0, "cases": len(self.cases), "worst": 0.0}, 0
        server, device = (SANITIZED, "cpu") if step == SANITIZED else ("tessera", self.settings.device)
        try:
            child = self.lab.pool.start(server, request(self.settings, self.operator, version, device,
                                                        self.lab.log_path(self.operator.name, version, step), self.share_of_cores()))
            for turn, (label, case, seed) in enumerate(self.cases):
                self.lab.screen.progress(f"{self.operator.name} {version}: {step}, case {outcome['passed'] + 1} of {len(self.cases)}: {label}")
                said = self.one(child, case, seed, turn)
                if not said["ok"]:
                    return {**outcome, "ok": False, "failed": dict(self.without_folders(said), case=label, seed=seed)}
                outcome["passed"] += 1
                outcome["worst"] = max(outcome["worst"], said["error"])
                launches += said["launches"]
        except Failed as problem:
            return {**outcome, "ok": False, "failed": {"what": problem.kind, "message": str(problem), "case": "import", "seed": None}}
        finally:
            if child:
                child.end()
        if not launches:
            return {**outcome, "ok": False, "failed": {"what": "no-kernel", "message": NO_KERNEL, "case": "all cases", "seed": None}}
        return outcome

    def share_of_cores(self):
        """Checks run side by side, and torch's threads wait busily."""
        return max(1, len(os.sched_getaffinity(0)) // self.settings.jobs)

    def without_folders(self, said):
        """Paths in messages begin with kernels/, wherever that folder lies: records are kept and compared."""
        return {name: text.replace(self.settings.kernels, "kernels") if isinstance(text, str) else text for name, text in said.items()}

    def one(self, child, case, seed, turn):
        try:
            return child.ask("check", self.settings.limit, case=case, seed=seed, turn=turn)["outcome"]
        except Failed as problem:
            return {"ok": False, "what": problem.kind, "message": str(problem)}
