"""Records the kernels that a program launches, so that they can be compiled before the program runs again.

    tessera record -o recorded -- python serve.py       a whole program, and the Python processes that it starts
    TESSERA_RECORD=recorded python serve.py             the same
    with tessera.record("recorded"): ...                a part of a program

writes recorded/kernels.toml, a manifest with a row for every variant: the signature, the options, the targets, how often it was
launched and whether autotune chose it; recorded/programs/, the sources and values that each kernel reads (docs/program.md); and
recorded/tuning/, what `tessera tune` needs to tune autotuned kernels (tuning/problem.py).
Further runs add to both (recorded_manifest.py). Variants that only autotune's trials used are left out.

Rows with `because` were not launched: a launch whose ints are divisible by 16, equal to 1 or neither, or whose pointers are aligned
differently, would need them (siblings()).
"""
from __future__ import annotations

import atexit
import hashlib
import itertools
import json
import os
import sys
import time
from _thread import allocate_lock

from ..errors import level_of_program
from .specialize import TRIED_BY_AUTOTUNE

LIMIT = 64  # variants of a kernel that are added for all combinations of its parameters
_SECONDS_BETWEEN_WRITES = 0.5
_recordings: list = []  # those that are active
_of_environment: dict = {}  # path -> Recording


def record(path="recorded", limit=LIMIT):
    """Starts to record; a context manager, whose end (or `stop()`) writes the last counts. Kernels that are already compiled are
    recorded, too, with the launches from now on. `limit`: if a kernel has more combinations of divisibility than that, its
    parameters vary one at a time."""
    found = Recording(path, limit)
    from .jit import live_functions
    for fn in live_functions():
        for each in fn.specializations():
            found.add(fn, each, from_now=True)
    _recordings.append(found)
    return found


def note_choice(kernel, choice, path, describe=None):
    """Autotune chose a configuration; `choice` is tuning/tables.py's, or None if JSON cannot hold it. `describe()` returns the
    problem for `tessera tune` and its programs (tuning/problem.py)."""
    _start_recording(path)
    described = describe() if describe is not None and _recordings else None
    for found in list(_recordings):
        if choice is not None:
            found.choices.append((kernel, choice))
        if described is not None:
            found.problems.append(described)


def _start_recording(path):
    if path and path not in _of_environment:
        _of_environment[path] = found = Recording(path, LIMIT)
        _recordings.append(found)
        atexit.register(found.stop)


def note(fn, specialization, path):
    """A variant was compiled, or loaded from the cache. `path` is that of TESSERA_RECORD, or empty."""
    _start_recording(path)
    for found in list(_recordings):
        found.add(fn, specialization)
        found.write_soon()


def note_compilation(kernel, options, path):
    """A program has compiled a kernel that it launches by itself, as torch.compile does. How often it launches it is not known."""
    note(kernel.src.fn, _Compiled(kernel, options), path)


class _Compiled:
    """What stands for the Specialization of such a kernel."""
    why, launches, trials = "compiled by the program", 0, 0

    def __init__(self, kernel, options):
        self.kernel, self._request = kernel, self
        self.options, self.target = options, kernel._made.job.plan.backend.target


class Recording:
    """Variants of this process, and the folder that they are added to."""

    def __init__(self, path, limit):
        self.path, self._limit = os.path.abspath(path), limit
        self._noted = {}  # id of a Specialization -> _Noted
        self.choices = []  # (kernel, what autotune chose)
        self.problems = []  # (a problem of `tessera tune`, its programs)
        self._lock = allocate_lock()
        self._written, self._process = 0.0, None

    def add(self, fn, specialization, from_now=False):
        noted = _Noted(fn, specialization)
        noted.counted = specialization.launches if from_now else 0
        noted.since = noted.counted
        with self._lock:
            self._noted.setdefault(id(specialization), noted)
        util = sys.modules.get("multiprocessing.util")
        if util is not None and self._process != os.getpid():  # its processes end without atexit
            self._process = os.getpid()
            util.Finalize(None, self.write, exitpriority=1)

    def write_soon(self):
        """Writes, unless that was done a moment ago: a process may be killed before its end."""
        if time.monotonic() - self._written > _SECONDS_BETWEEN_WRITES:
            self.write(is_last=False)

    def write(self, is_last=True):
        """Adds what is new to the files. `is_last`: no search of autotune is under way."""
        from .recorded_manifest import Manifest
        with self._lock:
            if not self._noted:
                return
            self._written = time.monotonic()
            try:
                with Manifest.locked(self.path) as manifest:
                    for noted in self._noted.values():
                        if noted.is_used(is_last):
                            noted.add_to(manifest, self._limit)
                    for kernel, choice in self.choices:
                        manifest.add_choice(kernel, choice)
                    for problem, programs in self.problems:
                        manifest.keep_problem(problem, programs)
                    self.problems.clear()
            except (OSError, ValueError) as error:  # the program goes on
                self._noted.clear()
                if self in _recordings:
                    _recordings.remove(self)
                import warnings
                warnings.warn(f"kernels are not recorded: {error}", RuntimeWarning, stacklevel=level_of_program())

    def stop(self):
        if self in _recordings:
            _recordings.remove(self)
        self.write()

    def start_in_child(self):
        """After a fork: the parent writes the launches so far."""
        self._lock = allocate_lock()
        for noted in self._noted.values():
            noted.counted = noted.since = noted.specialization.launches

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class _Noted:
    """One variant, with its program as it was when it was compiled."""

    def __init__(self, fn, specialization):
        self.specialization = specialization
        request, self.name = specialization._request, fn.__name__
        self.file, program, self.arguments, self.symbol = split_program(self.name, specialization.kernel.src.program.text)
        self.program = program
        function = program["functions"][program["kernel"]]
        self.source = f"{os.path.basename(function.get('path', '?'))}:{function.get('line', '?')}"
        self.options = _flags_of(request.options, specialization.kernel)
        self.target = request.target.backend if request.target.backend == "cpu" else f"{request.target.backend}:{request.target.arch}"
        self.parameters = list(fn.params)
        self.counted = self.since = 0  # launches that are written; that there were when recording began

    def is_used(self, is_last):
        """Returns whether the program launches the variant. One that autotune compiled is used if it is launched outside of its
        search, whose launches are told apart when the search has ended."""
        if self.specialization.why == TRIED_BY_AUTOTUNE:
            return self.specialization.launches > self.since and bool(self.specialization.trials or is_last)
        return self.since == 0 or self.specialization.launches > self.since

    def add_to(self, manifest, limit):
        launches, trials = self.specialization.launches, self.specialization.trials
        kernel = manifest.kernel(self.name, self.file, self.source)
        manifest.keep_program(self.file, {**self.program, "arguments": self.arguments, **({"symbol": self.symbol} if self.symbol else {})})
        kernel.add(self.arguments, self.options, self.target, launches - self.counted, is_tuned=bool(trials))
        self.counted = launches
        found, total = siblings(self.parameters, self.arguments, limit)
        if total > limit:
            kernel.note = f"parameters vary one at a time: {total} combinations are more than {limit}"
        for arguments, reason in found:
            kernel.add(arguments, self.options, self.target, because=reason)


def split_program(kernel, text):
    """(the file, the program without its arguments, the arguments, the symbol or None) of a program's JSON."""
    program = json.loads(text)
    arguments, symbol = program.pop("arguments"), program.pop("symbol", None)
    # Another run may have the same files in another folder.
    same = json.dumps({**program, **{kind: [{**each, "path": ""} for each in program.get(kind, ())] for kind in ("functions", "classes")}},
                      sort_keys=True)
    return f"{kernel}.{hashlib.sha256(same.encode()).hexdigest()[:12]}.program", program, arguments, symbol


def _flags_of(options, kernel):
    """The options of a launch as the library names them, and those that knobs add."""
    from ..backends.description import describe
    flags = flags_of_options(options)
    usual = {each["name"]: each["default"] for each in describe()["options"]}
    added = json.loads(kernel.flags or "{}")
    return {**flags, **{flag: value for flag, value in added.items() if flag not in flags and value != usual.get(flag)}}


def flags_of_options(options):
    """The options of a launch as the library names them."""
    from ..backends.description import keyword_options
    known = keyword_options()
    return {known[name][0]: value for name, value in options.items() if value is not None and name in known}


def siblings(parameters, arguments, limit):
    """([(arguments, the reason)], the number of all combinations): the variants that other values of the same types would need."""
    choices = [_alternatives(param, argument) for param, argument in zip(parameters, arguments)]
    total = 1
    for each in choices:
        total *= len(each)
    if total <= limit:
        combinations = itertools.product(*choices)
    else:
        own = [each[0] for each in choices]
        combinations = ([*own[:i], other, *own[i + 1:]] for i, each in enumerate(choices) for other in each[1:])
    found = []
    for combination in combinations:
        reasons = [reason for _, reason in combination if reason]
        if reasons:
            found.append(([argument for argument, _ in combination], " and ".join(reasons)))
    return found, total


def _alternatives(param, argument):
    """[(ARGUMENT of docs/program.md, the reason)]; the given one first, without a reason."""
    own = [(argument, "")]
    is_one = argument == {"constant": {"int": "1"}} and not param.is_constexpr
    if param.do_not_specialize or not (isinstance(argument, str) or is_one):
        return own
    kind, _, hint = ("i32", "", "") if is_one else argument.rpartition(":") if argument.endswith((":16", ":S", ":16S")) else (argument, "", "")
    small = "S" * hint.endswith("S")  # stays: whether a tensor is large rarely changes from launch to launch
    is_pointer = kind.startswith(("*", "tensordesc<"))
    if not is_pointer and (kind[0] not in "iu" or kind == "u1"):
        return own
    what = "aligned to 16 bytes" if is_pointer else "divisible by 16"
    others = [(f"{kind}:S" if small else kind, f"{param.name} may not be {what}")]
    if not param.do_not_specialize_on_alignment:
        others.append((f"{kind}:16{small}", f"{param.name} may be {what}"))
    if not is_pointer and not param.annotation_type:
        others.append(({"constant": {"int": "1"}}, f"{param.name} may be 1"))
    return own + [each for each in others if each[0] != argument]


def _start_in_child():
    for found in _recordings:
        found.start_in_child()


os.register_at_fork(after_in_child=_start_in_child)
