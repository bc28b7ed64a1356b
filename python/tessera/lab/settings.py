"""The settings of a run, and the folder that keeps outcomes so that a run can continue."""
import dataclasses
import hashlib
import json
import os
import time


@dataclasses.dataclass
class Settings:
    kernels: str                      # the folder of operators
    device: str = "cpu"               # cpu or cuda
    logs: str = "logs"
    work: str = "build/lab"           # outcomes, caches, the children's output
    versions: tuple = ()              # some versions; all if empty
    sizes: tuple = ()                 # some sizes; all if empty
    seed: int = 0
    random: int = 3                   # random cases for each version
    rounds: int = 0                   # turns of each contestant at each size; 0 chooses
    turn: float = 0.0                 # seconds of a turn; 0 chooses
    budget: float = 0.0               # seconds for the whole run; 0 is no limit
    limit: float = 60.0               # seconds that one step of a child may take
    compile: bool = None              # torch.compile as a contestant; by default on a GPU
    triton: str = None                # the Python that has Triton; "no" for none
    sanitize: bool = True
    time: bool = True
    fresh: bool = False               # do not use stored outcomes
    explain: bool = False             # write explain pages
    jobs: int = 0

    def __post_init__(self):
        self.begin = time.monotonic()
        self.rounds = self.rounds or (7 if self.device == "cuda" else 5)
        self.turn = self.turn or (0.01 if self.device == "cuda" else 0.05)
        self.jobs = self.jobs or min(16, len(os.sched_getaffinity(0)))
        self.compile = self.device == "cuda" if self.compile is None else self.compile

    def left(self):
        """Seconds until the budget is spent."""
        return self.budget - (time.monotonic() - self.begin) if self.budget else float("inf")

    def part(self, parts, reserve):
        """Seconds of one of so many equal parts of what is left of the budget."""
        return max(0.0, self.left() - reserve) / parts

    def is_late(self, reserve=0.0):
        return self.left() <= reserve

    def wait(self):
        """How long a step may take: the limit, and never much longer than the budget."""
        return max(5.0, min(self.limit, self.left() + 15.0))


class Store:
    """Outcomes by key, one file each, written to a temporary name and renamed."""

    def __init__(self, folder, fresh=False, stamp=""):
        self.folder, self.fresh, self.stamp, self.own = folder, fresh, stamp, set()
        os.makedirs(folder, exist_ok=True)

    def key(self, *parts):
        return hashlib.sha256(json.dumps([self.stamp, *parts], sort_keys=True).encode()).hexdigest()[:20]

    def path(self, op, key):
        return os.path.join(self.folder, f"{op}-{key}.json")

    def read(self, op, key):
        if self.fresh and key not in self.own:
            return None
        try:
            with open(self.path(op, key), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def write(self, op, key, outcome):
        self.own.add(key)
        path = self.path(op, key)
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(outcome, file)
        os.replace(path + ".part", path)
