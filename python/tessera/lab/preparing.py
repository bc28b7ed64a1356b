"""Steps 2 and 3: what needs no quiet machine runs on all cores: checks, and compiling for the times. Nothing is timed here.

    torch.compile   compiles at every size; its process is kept for the times, because compiled graphs live in it
    each version    is checked (correctness.py); if it is right, it compiles every configuration at every size, under Tessera and
                    under Triton. Their caches on disk serve the processes that are timed

Jobs start in this order: torch.compile, which takes longest; the checks, v4 and later before v1 to v3, of all operators; compilations as
versions pass. With a budget, a job that has not begun when a share of it is spent is left out: versions that were not checked are not
timed, and what was not compiled compiles before its times.
"""
import concurrent.futures
import threading

from . import operators
from .correctness import Correctness
from .measuring import Team

SHARE = 0.55  # of the budget, at most, is for these steps if times follow
GPU_SHARE = 0.6  # of a GPU's memory is for processes that compile; checks use little
COPIES = 3  # of an operator's least traffic: inputs, the result and what torch keeps besides


class Preparation:
    def __init__(self, lab, able):
        self.lab, self.settings, self.able = lab, lab.settings, able
        self.room = Room(GPU_SHARE * lab.clocks.memory)
        self.reserve = (1 - SHARE) * self.settings.budget if self.settings.time else 0.0

    def run(self):
        first = [lambda found=found: self.compile(found, "torch.compile") for found in self.able if self.compiles(found) and "torch.compile" in self.lab.contestants(found)]
        checks = sorted(((found, version) for found in self.able for version in self.lab.chosen_versions(found)), key=lambda job: job[1] in operators.USUAL[:3])
        first += [lambda job=job: self.check(*job) for job in checks]
        with concurrent.futures.ThreadPoolExecutor(self.settings.jobs) as threads:
            waiting = {threads.submit(job) for job in first}
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                waiting |= {threads.submit(job) for each in done for job in each.result() or ()}

    def compiles(self, found):
        return self.settings.time and self.settings.device == "cuda" and self.lab.missing_sizes(found)

    def check(self, found, version):
        """Step 2 of one version. Returns the jobs of step 3."""
        told = found.versions[version]
        if "ok" in told:  # its import failed
            self.lab.screen.checked(found.operator.name, version, "device", {"ok": False, "failed": told["failed"], "passed": 0, "cases": 0})
            return []
        correctness = Correctness(self.lab, found.operator)
        if self.settings.is_late(self.reserve) and not correctness.is_known(version):
            told.update(ok=False, left_out=f"it was not checked before the budget of {self.settings.budget:g} s was needed for times")
            return []
        outcomes = correctness.version(version)
        told.update(outcomes, ok=all(outcome["ok"] for outcome in outcomes.values()))
        for phase, outcome in outcomes.items():
            if not outcome["ok"]:
                told.update(failed=outcome["failed"], phase=phase)
        if not told["ok"] or not self.compiles(found):
            return []
        return [lambda name=name: self.compile(found, name) for name in self.lab.contestants(found) if name.endswith(":" + version)]

    def compile(self, found, contestant):
        """Step 3 of one contestant."""
        if self.settings.is_late(self.reserve):
            return
        team = Team(self.lab, found.operator, [contestant]).start()
        for size, case in self.lab.missing_sizes(found).items():
            if contestant not in team.children or self.settings.is_late(self.reserve):
                break
            self.lab.screen.progress(f"{found.operator.name}: {contestant} compiles for {size}")
            team.revive()
            with self.room.of(COPIES * found.facts[size].get("bytes", 0)):
                team.ask(contestant, "load", size=size, case=case, seed=self.settings.seed)
                team.ask(contestant, "compile")
                team.ask(contestant, "unload")
        if contestant == "torch.compile":
            team.revive()
            found.kept = team
        else:
            team.end()


class Room:
    """An amount of memory that processes share: a part is waited for, and one alone may have more than there is."""

    def __init__(self, amount):
        self.amount, self.free, self.changed = amount, amount, threading.Condition()

    def of(self, part):
        return _Part(self, min(part, self.amount))


class _Part:
    def __init__(self, room, part):
        self.room, self.part = room, part

    def __enter__(self):
        with self.room.changed:
            self.room.changed.wait_for(lambda: self.room.free >= self.part)
            self.room.free -= self.part

    def __exit__(self, *_):
        with self.room.changed:
            self.room.free += self.part
            self.room.changed.notify_all()
