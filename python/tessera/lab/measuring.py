"""Phase 3b: times of all contestants of one operator, interleaved, at each size.

    torch, torch.compile      what torch does, without and with its compiler
    torch:RIVAL               another function that reference.py names, such as one library's
    tessera:VERSION           the versions that passed phase 3a
    triton:VERSION            the same files under Triton, if it is installed; they must agree with torch at each size

At each size every contestant loads the same inputs and chooses its configurations, one contestant at a time; then all are compared with
torch. Then they take turns. A metronome runs before and after each round: if its time moves, so did the clocks, and the round does
not count. If fewer than half of the rounds count, the size is measured again once, then refused.
"""
import concurrent.futures
import contextlib
import subprocess
import threading
import time

from . import judging
from .correctness import request
from .processes import Failed

METRONOME = {"cuda": 1.05, "cpu": 1.4}  # how far a beat may be from the median of all


COMPARE_AT_ONCE = 4  # contestants
COMPARISON = 10  # times an operator's least traffic: the memory that a comparison takes
FOR_COMPARISONS = 0.4  # of a GPU's memory: contestants hold their inputs and results
REST = 2.0  # times the length of a turn: a GPU at its limit of power has steady clocks only if it rests


def server_of(contestant):
    return "tessera" if contestant.startswith("tessera:") else "plain"


class Team:
    """The children of one operator's contestants."""

    def __init__(self, lab, operator, contestants, kept=None):
        """`kept`: another team, whose contestants continue in this one."""
        self.lab, self.settings, self.operator = lab, lab.settings, operator
        self.children, self.failures = (kept.children, kept.failures) if kept else ({}, {})
        self.contestants = list(contestants)

    def start(self):
        with concurrent.futures.ThreadPoolExecutor(len(self.contestants)) as threads:
            list(threads.map(self.start_one, [c for c in self.contestants if c not in self.children and c not in self.failures]))
        return self

    def start_one(self, contestant):
        name = contestant if contestant.startswith("torch") else contestant.partition(":")[2]
        log = self.lab.log_path(self.operator.name, contestant.replace(":", "-"), "time")
        try:
            asked = request(self.settings, self.operator, name, self.settings.device, log)
            self.children[contestant] = self.lab.pool.start(server_of(contestant), asked)
        except Failed as problem:
            self.fail(contestant, str(problem))

    def fail(self, contestant, why):
        """Takes a contestant out of the current size, and out of all that follow if its process is gone."""
        self.failures[contestant] = why.replace(self.settings.kernels, "kernels")
        child = self.children.get(contestant)
        if child and not child.is_alive:
            del self.children[contestant]

    def ask(self, contestant, command, seconds=None, **keywords):
        """The answer, or None if the contestant failed now or before at this size."""
        child = self.children.get(contestant)
        if child is None or contestant in self.failures:
            return None
        try:
            return child.ask(command, seconds or self.settings.wait(), **keywords)
        except Failed as problem:
            self.fail(contestant, str(problem))
            return None

    def ask_all(self, command, at_once=64, **keywords):
        """In parallel: for steps that are not timed."""
        living = [c for c in self.contestants if c in self.children]
        with concurrent.futures.ThreadPoolExecutor(max(1, min(at_once, len(living)))) as threads:
            return dict(zip(living, threads.map(lambda c: self.ask(c, command, **keywords), living)))

    def revive(self):
        """A new size: what raised at the last one may work, what died or hung is gone."""
        self.failures = {c: why for c, why in self.failures.items() if c not in self.children}

    def end(self):
        for child in self.children.values():
            child.end()
        self.children.clear()


class Measuring:
    """One operator at one of its sizes. Its rounds are shorter than usual if they would end after `until`."""

    def __init__(self, lab, operator, team, until=float("inf")):
        self.lab, self.settings, self.operator, self.team, self.until = lab, lab.settings, operator, team, until
        self.seconds = {}  # step: how long it took

    @contextlib.contextmanager
    def step(self, name):
        begin = time.monotonic()
        yield
        self.seconds[name] = round(self.seconds.get(name, 0.0) + time.monotonic() - begin, 2)

    def size(self, size, case, facts):
        """{"case", "facts", "contestants": {name: {...}}, "clocks", ...}"""
        team, screen = self.team, self.lab.screen
        team.revive()
        screen.progress(f"{self.operator.name} {size}: inputs")
        with self.step("inputs"):
            team.ask_all("load", size=size, case=case, seed=self.settings.seed)
        if self.settings.device == "cuda":  # in parallel; what was compiled before comes from the caches
            screen.progress(f"{self.operator.name} {size}: all contestants compile")
            with self.step("compile"):
                team.ask_all("compile")
        with self.step("wait"):
            self.lab.quiet()
        with self.step("configurations"):
            found = {name: self.tuned(name, size) for name in team.contestants}
        screen.progress(f"{self.operator.name} {size}: comparison with torch")
        with self.step("compare"):
            self.compare(size, found, facts)
        samples, clocks = {}, None
        for attempt in range(2):
            with self.step("rounds"):
                samples, clocks = self.rounds(size, [name for name in team.contestants if name in team.children and name not in team.failures],
                                              rest=REST if attempt and self.settings.device == "cuda" else 0.0)
            if clocks["steady"] or self.settings.is_late() or time.monotonic() > self.until:
                break
        contestants = {}
        for name in team.contestants:
            if name in samples and name not in team.failures:
                contestants[name] = {**found[name], **samples[name]}
            else:
                contestants[name] = {"failed": team.failures.get(name, "not measured")}
        return {"case": case, "facts": facts, "contestants": contestants, "clocks": clocks, "seed": self.settings.seed,
                "attempts": attempt + 1, "seconds": self.seconds}

    def tuned(self, name, size):
        """Configuration and kernels of a contestant at this size; None if it failed."""
        if name not in self.team.children or name in self.team.failures:
            return None
        self.lab.screen.progress(f"{self.operator.name} {size}: {name} chooses its configuration")
        said = self.team.ask(name, "tune")
        return said and {"config": said["config"], "kernels": said["kernels"]}

    def compare(self, size, found, facts):
        """Compares results with torch; what is wrong fails."""
        room = FOR_COMPARISONS * self.lab.clocks.memory / (COMPARISON * max(1, facts.get("bytes", 0)))
        for name, said in self.team.ask_all("compare", at_once=max(1, min(COMPARE_AT_ONCE, int(room)))).items():
            if said and not said["outcome"]["ok"]:
                self.team.fail(name, f"wrong at {size}: {said['outcome']['message']}")
            elif said:
                found[name]["error"] = said["outcome"].get("error")

    def turn(self, contestants):
        """Seconds of a turn: at least a quarter of the usual ones."""
        left = (self.until - time.monotonic()) / (2 * self.settings.rounds * max(1, contestants))
        return min(self.settings.turn, max(self.settings.turn / 4, left))

    def rounds(self, size, names, rest=0.0):
        """({contestant: times}, clocks): all take turns, in alternating order, and rest so many times the length of a turn behind it."""
        team, samples = self.team, {name: {"cold": [[] for _ in range(self.settings.rounds)], "warm": [[] for _ in range(self.settings.rounds)]}
                                    for name in names}
        ways, beats, before, spend = {}, [], self.lab.clocks.now(), self.turn(len(names))
        keeper = "torch" if "torch" in team.children else next(iter(team.children), None)
        for turn in range(self.settings.rounds):
            self.lab.screen.progress(f"{self.operator.name} {size}: round {turn + 1} of {self.settings.rounds}, {len(names)} contestants")
            beats += self.beat(keeper)
            for name in names if turn % 2 else names[::-1]:
                for mode in ("cold", "warm"):
                    begin = time.monotonic()
                    said = team.ask(name, "time", spend=spend, mode=mode)
                    time.sleep(rest * (time.monotonic() - begin))
                    if said:
                        samples[name][mode][turn] = said["samples"]
                        ways[name] = said["clock"] or ways.get(name)
        beats += self.beat(keeper)
        clocks = {"beats_us": [round(b, 3) for b in beats], "before": before, "after": self.lab.clocks.now()}
        kept = judging.steady_rounds(beats, self.settings.rounds, METRONOME[self.settings.device])
        clocks["steady"], clocks["why"] = judging.steadiness(beats, kept, self.settings.rounds)
        clocks["rounds"] = [len(kept), self.settings.rounds]
        kept = kept if clocks["steady"] else range(self.settings.rounds)
        chosen = {name: {mode: [us for i in kept for us in rounds[i]] for mode, rounds in found.items()} for name, found in samples.items()}
        return {name: {**judging.summary(found), "clock": ways.get(name)} for name, found in chosen.items() if found["cold"]}, clocks

    def beat(self, keeper):
        said = self.team.ask(keeper, "beat") if keeper else None
        return [said["us"]] if said else []


class ClockReader:
    """What nvidia-smi says of the GPU's clocks, several times per second: MHz, degrees, watts. And what it says once of the GPU."""

    NAMES = ("clocks.sm", "clocks.mem", "temperature.gpu", "power.draw")

    def __init__(self, device):
        self.process, self.last, self.driver, self.memory = None, {}, {}, 16 << 30
        if device != "cuda":
            return
        query = ["nvidia-smi", "-i", "0", "--format=csv,noheader,nounits"]
        try:
            self.know(subprocess.run([*query, "--query-gpu=driver_version,memory.total,clocks.max.sm"], capture_output=True, text=True, timeout=20).stdout)
            self.process = subprocess.Popen([*query, "--query-gpu=" + ",".join(self.NAMES), "-lms", "250"], stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        except (OSError, subprocess.TimeoutExpired):
            return
        threading.Thread(target=self.read, daemon=True).start()

    def know(self, line):
        """Takes the line of what does not change: version of the driver, memory in MiB, highest clock in MHz."""
        try:
            driver, memory, highest = (word.strip() for word in line.split(","))
            self.driver = {"driver": driver, "highest_clock": float(highest)}
            self.memory = int(memory) << 20
        except ValueError:
            pass

    def read(self):
        for line in self.process.stdout:
            try:
                self.last = {name: float(value) for name, value in zip(self.NAMES, line.split(","))}
            except ValueError:
                pass

    def now(self):
        """The last reading; {} without nvidia-smi."""
        return dict(self.last)

    def close(self):
        if self.process:
            self.process.kill()
