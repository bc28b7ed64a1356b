"""What runs when: facts, correctness, times, the choice; for one operator or for all of them.

    1. describe    documentation, configurations and facts, from a child
    2. check       every version of every operator, on all cores (preparing.py, correctness.py)
    3. compile     on a GPU: every contestant compiles every configuration at every size, on all cores; nothing is timed
    4. time        one operator at a time (measuring.py); the next one's processes start while this one's load their inputs
    5. choose      and write the log, the record and the picture

Outcomes are kept in the work folder. A run that was interrupted, or whose budget was spent, continues with the same command. A budget is
shared: steps 2 and 3 have a part of it (preparing.py); in step 4 each operator has an equal part of what is left, and measures its sizes
in the order IMPORTANT. What was left out stands in the record and in the log.
"""
import concurrent.futures
import datetime
import hashlib
import os
import sys
import time

from . import judging, operators, processes
from .correctness import request
from .measuring import ClockReader, Measuring, Team
from .preparing import Preparation
from .processes import Failed
from .settings import Store

IMPORTANT = ("Large", "Small", "Final", "Medium")  # sizes, the most important first
OVER = 1.5  # an operator may take this many times its part of the budget; its turns become shorter before
LAST_WORDS = 4.0  # seconds for ending processes and writing logs


class Found:
    """All that is known of one operator in this run."""

    def __init__(self, operator):
        self.operator = operator
        self.about = {}        # documentation, definition
        self.facts = {}        # size: facts
        self.versions = {}     # version: {"doc", "configurations", "sanitizer", "device"}
        self.sizes = {}        # size: measured
        self.left_out = {}     # size: why it was not measured
        self.kept = None       # the team of torch.compile, after it has compiled
        self.record = None
        self.problem = None    # why there is nothing

    def passed(self):
        """The versions that are right; before all are checked, those that may be."""
        return [v for v, told in self.versions.items() if told.get("ok", True)]


class Lab:
    def __init__(self, settings, screen):
        self.settings, self.screen = settings, screen
        os.makedirs(os.path.join(settings.work, "output"), exist_ok=True)
        self.store = Store(os.path.join(settings.work, "outcomes"), settings.fresh, lab_stamp())
        self.tessera_stamp = compiler_stamp()
        self.ceilings, self.machine, self.cache_bytes = None, {}, 0
        self.pool = None
        self.when_timed = lambda found: None  # called with each operator as soon as it is measured
        self.quiet = lambda: None  # waits until no process starts

    # ---- processes

    def open(self):
        wanted = {"tessera": None}
        if self.settings.sanitize:
            wanted["sanitizer"] = None
        if self.settings.time:
            wanted["plain"] = self.settings.triton if self.settings.triton != "no" else None
        self.screen.progress("starting Python, torch and the compilers")
        self.clocks = ClockReader(self.settings.device if self.settings.time else "cpu")
        self.pool = processes.Pool(self.settings.work, {name: processes.server_command(name, python) for name, python in wanted.items()})
        bad = {name: facts["error"] for name, facts in self.pool.facts.items() if not facts["ready"]}
        if bad:
            self.close()
            raise Failed("; ".join(f"the process for {name} did not start: {why}" for name, why in bad.items()))
        return self

    def close(self):
        if self.pool:
            self.clocks.close()
            self.pool.close()

    @property
    def has_triton(self):
        facts = self.pool.facts.get("plain", {})
        return self.settings.device == "cuda" and self.settings.triton != "no" and facts.get("compiler") == "triton"

    def log_path(self, op, name, step):
        return os.path.join(self.settings.work, "output", f"{op}-{name}-{step}.log")

    # ---- the run

    def run(self, names):
        """{operator: Found}"""
        found = {}
        for name in names:
            try:
                found[name] = Found(operators.load(self.settings.kernels, name))
            except operators.Missing as problem:
                found[name] = Found(None)
                found[name].problem = str(problem)
        able = [each for each in found.values() if each.operator]
        with concurrent.futures.ThreadPoolExecutor(self.settings.jobs) as threads:
            list(threads.map(self.describe, able))
            for each in able:
                self.screen_facts(each)
        self.screen.step("started")
        Preparation(self, able).run()
        self.screen.step("checked" + (" and compiled" if self.settings.time and self.settings.device == "cuda" else ""))
        if self.settings.time:
            self.time_all([each for each in able if not each.problem and each.passed()])
        for each in able:
            is_checked = not any("left_out" in told for told in each.versions.values())
            if not each.problem and each.record is None and is_checked and not (self.settings.time and each.passed()):
                each.record = {"kind": "check", **self.record_head(each, {})}
        return found

    def screen_facts(self, found):
        if not self.screen.brief and not found.problem:
            from . import summary
            summary.facts(self.screen, found, self)

    def chosen_versions(self, found):
        if found.problem:
            return []
        asked = self.settings.versions
        return [v for v in found.operator.versions if not asked or v in asked or v.split("_")[0] in asked]

    def chosen_sizes(self, found):
        sizes = found.operator.sizes_for(self.settings.device)
        return {name: case for name, case in sizes.items() if not self.settings.sizes or name in self.settings.sizes}

    # ---- step 1

    def describe(self, found):
        """Step 1; a version that cannot be imported fails here."""
        operator = found.operator
        self.screen.progress(f"{operator.name}: facts")
        for version in [*self.chosen_versions(found), None]:
            if version is None and found.facts:
                break
            try:
                asked = request(self.settings, operator, version or "torch", "cpu", self.log_path(operator.name, version or "torch", "import"))
                child = self.pool.start("tessera", asked)
            except Failed as problem:
                self.cannot_import(found, version, problem)
                continue
            try:
                told = child.ask("describe", self.settings.limit, cases=self.chosen_sizes(found))
                found.facts = told.pop("facts")
                found.about = {name: told.pop(name) for name in ("op_doc", "torch_compile", "backward", "rivals")}
                if version:
                    found.versions[version] = told
            except Failed as problem:
                self.cannot_import(found, version, problem)
            finally:
                child.end()

    def cannot_import(self, found, version, problem):
        if version is None:
            found.problem = f"the reference cannot be used: {problem}"
            return
        failed = {"what": problem.kind, "message": str(problem), "case": "import", "seed": None}
        found.versions[version] = {"doc": "", "configurations": {}, "ok": False, "failed": failed, "phase": "import"}

    # ---- what is timed

    def contestants(self, found):
        passed = found.passed()
        names = ["torch"]
        if self.settings.compile and found.about.get("torch_compile", True):
            names.append("torch.compile")
        if self.settings.device == "cuda":
            names += ["torch:" + rival for rival in found.about.get("rivals", [])]
        names += ["tessera:" + version for version in passed]
        return names + (["triton:" + version for version in passed] if self.has_triton else [])

    def size_key(self, found, size, case):
        return self.store.key("time", size, case, self.settings.device, found.operator.source_hash(), self.tessera_stamp,
                              self.contestants(found), self.settings.seed, {n: f.get("version") for n, f in self.pool.facts.items()})

    def missing_sizes(self, found):
        """The sizes without an outcome, the most important first."""
        return {size: case for size, case in by_importance(self.chosen_sizes(found)).items()
                if self.store.read(found.operator.name, self.size_key(found, size, case)) is None}

    # ---- step 4

    def time_all(self, able):
        with concurrent.futures.ThreadPoolExecutor(1) as ahead:
            teams = {}
            for i, found in enumerate(able):
                for each in able[i:i + 2]:
                    name = each.operator.name
                    if name not in teams and self.missing_sizes(each) and not self.settings.is_late(2 * LAST_WORDS):
                        teams[name] = ahead.submit(Team(self, each.operator, self.contestants(each), each.kept).start)
                waiting = teams.get(found.operator.name)
                self.quiet = lambda: concurrent.futures.wait(teams.values())
                self.time_one(found, waiting.result() if waiting else None, self.settings.part(len(able) - i, LAST_WORDS))
            for waiting in teams.values():
                waiting.result().end()

    def time_one(self, found, team, seconds):
        """One operator, in about so many seconds."""
        operator, begin = found.operator, time.monotonic()
        until = begin + seconds
        sizes = self.chosen_sizes(found)
        for i, size in enumerate(by_importance(sizes)):
            key = self.size_key(found, size, sizes[size])
            told = self.store.read(operator.name, key)
            if told is None and team is not None and not self.is_spent(found, begin + OVER * seconds):
                self.know_machine(team)
                now = time.monotonic()
                told = Measuring(self, operator, team, now + (until - now) / (len(sizes) - i)).size(size, sizes[size], found.facts[size])
                told["ceilings"], told["machine"], told["cache_bytes"] = self.ceilings, self.machine, self.cache_bytes
                self.store.write(operator.name, key, told)
            if told is not None:
                found.sizes[size] = told
            else:
                found.left_out[size] = f"the budget of {self.settings.budget:g} s was spent"
        found.sizes = {size: found.sizes[size] for size in sizes if size in found.sizes}
        if team is not None:
            self.explain(found, team)
            team.end()
        if found.sizes:
            self.finish(found)
            self.screen.step(f"timed {operator.name} at {', '.join(found.sizes)} ({spent(found.sizes.values())})")
            self.when_timed(found)

    def is_spent(self, found, until):
        """Whether no further size may begin. An operator's first size may exceed its part of the budget."""
        return self.settings.is_late(LAST_WORDS) or bool(found.sizes) and time.monotonic() > until

    def know_machine(self, team):
        """The device's name and ceilings, measured once in a run."""
        if self.ceilings is not None:
            return
        self.screen.progress("measuring what the device can do")
        keeper = "torch" if "torch" in team.children else next(iter(team.children), None)
        dtypes = ["float32", "float16", "bfloat16"] if self.settings.device == "cuda" else ["float32"]
        told = team.ask(keeper, "ceilings", 90, dtypes=dtypes) if keeper else None
        if told is None:
            raise Failed("the device's ceilings cannot be measured: " + team.failures.get(keeper, "no process is left"))
        self.ceilings, self.cache_bytes = told["ceilings"], told["cache_bytes"]
        if self.settings.device == "cpu":
            ours = next((c for c in team.children if c.startswith("tessera:")), None)
            said = team.ask(ours, "dot_rate") if ours else None
            if said:
                rates = self.ceilings["matmul"]
                rates["float32"] = max(rates.get("float32", 0.0), said["rate"])
        self.machine = team.ask(keeper, "machine")

    def explain(self, found, team):
        if not self.settings.explain:
            return
        folder = os.path.join(self.settings.logs, "explain")
        os.makedirs(folder, exist_ok=True)
        for name in team.contestants:
            if name.startswith("tessera:"):
                team.ask(name, "explain", path=os.path.abspath(os.path.join(folder, f"{found.operator.name}-{name[8:]}.html")))

    # ---- step 5

    def finish(self, found):
        """Judges the times, chooses, and appends the record if this run has measured anything."""
        some = next(iter(found.sizes.values()))
        ceilings, machine = some.get("ceilings"), some.get("machine", {})
        for size in found.sizes.values():
            for entry in size["contestants"].values():
                if "failed" not in entry:
                    size["bound"] = judging.judge(entry, size, size["ceilings"], self.settings.device, size["cache_bytes"])
            size["best"] = judging.choice(size)
            for name in ("ceilings", "machine", "cache_bytes"):
                size.pop(name, None)
        found.record = {"kind": "time", **self.record_head(found, machine), "ceilings": ceilings, "left_out": found.left_out,
                        "sizes": found.sizes, "choice": {name: size["best"] for name, size in found.sizes.items()}}

    def record_head(self, found, machine):
        """What every record has: date, device, versions of the software, outcomes of the checks."""
        return {
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "device": {"type": self.settings.device, **{k: v for k, v in machine.items() if k not in ("torch", "python")}, **self.clocks.driver},
            "versions": {"tessera": self.pool.facts["tessera"].get("version"), "stamp": self.tessera_stamp, "python": machine.get("python"),
                         "torch": machine.get("torch") or self.pool.facts["tessera"]["torch"],
                         "triton": self.pool.facts.get("plain", {}).get("version") if self.has_triton else None},
            "command": " ".join(["tessera lab", *sys.argv[1:]]), "seed": self.settings.seed, "source": found.operator.source_hash(),
            "correctness": {v: summary_of(told) for v, told in found.versions.items()},
            "configurations": {v: told["configurations"] for v, told in found.versions.items()}}


def by_importance(sizes):
    return dict(sorted(sizes.items(), key=lambda each: IMPORTANT.index(each[0]) if each[0] in IMPORTANT else len(IMPORTANT)))


def summary_of(told):
    """The part of a version's checks that a record keeps."""
    kept = {"ok": told.get("ok", False)}
    for step in ("sanitizer", "device"):
        if step in told:
            kept[step] = {name: told[step].get(name) for name in ("ok", "passed", "cases", "worst")}
    if "failed" in told:
        kept["failed"] = {name: value for name, value in told["failed"].items() if name != "trace"}
        kept["phase"] = told.get("phase")
    if "left_out" in told:
        kept["left_out"] = told["left_out"]
    return kept


def spent(sizes):
    """Where the time of some sizes went: inputs 1.2 s, compile 0.5 s, ..."""
    total = {}
    for size in sizes:
        for step, seconds in size.get("seconds", {}).items():
            total[step] = total.get(step, 0.0) + seconds
    return ", ".join(f"{step} {seconds:.1f} s" for step, seconds in total.items())


def lab_stamp():
    """A hash of what children run, so that outcomes of another lab are not used."""
    folder = os.path.join(processes.HERE, "lab_child")
    digest = hashlib.sha256()
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
        with open(os.path.join(folder, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def compiler_stamp():
    """A hash of the compiler's library, so that outcomes of another build are not used."""
    import tessera
    package = os.path.dirname(os.path.abspath(tessera.__file__))
    for folder in (os.path.join(package, "lib"), os.path.join(os.path.dirname(os.path.dirname(package)), "lib"), package):
        path = os.path.join(folder, "libtessera.so")
        if os.path.exists(path):
            digest = hashlib.sha256()
            with open(path, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
            return digest.hexdigest()[:16]
    return tessera.__version__
