"""Decides what is compiled and measured when, and keeps what comes out of it.

    Scheduler(problems, executor, options, screen).run()       [Job], each with its choice

A job is a problem on one kind of device. Its plan (runtime/tuning/guided.py) suggests configurations; those are compiled ahead of the
measurements, measured shortly on any free device of the kind, and the fastest ones then in turns on one device, as autotune does.
On the CPU nothing is compiled while something is measured.

Every result goes to the store that autotune reads as soon as it is known, so an interrupt, a full budget or a dead scheduler lose
what is being measured at that moment and nothing else; the next run takes the results from there.

If the process of a task ends:
    killed by SIGKILL or SIGTERM    the task is given out again, up to RETRIES times: something else ended it
    crashed                         it is tried once more in a new process; if that crashes as well, the configuration is a fault
    no answer in time               the configuration is a fault
A fault is named with its reason, and stored, so that it is not tried again here or in programs.
"""
from __future__ import annotations

import collections
import signal
import threading
import time

from .. import knobs
from ..runtime.tuning import guided, search
from ..runtime.tuning.progress import milliseconds
from ..runtime.tuning.store import PassedOver

RETRIES = 5


class Options:
    """What the command line says. `budget` in seconds, or 0; `limit`: seconds that a task may take; `fraction` of each list of
    configurations to measure, or None: that of spaces, and all of lists."""

    def __init__(self, budget=0.0, limit=120.0, fraction=None, retry_faults=False, any_target=False, fresh=False):
        self.budget, self.limit, self.fraction = budget, limit, fraction
        self.retry_faults, self.any_target, self.fresh = retry_faults, any_target, fresh


class Interrupts:
    """While it lasts, Ctrl-C sets `are_there`. An exception in the middle of something may be lost, as in a destructor, or leave work
    half done. A second Ctrl-C is an exception."""

    def __init__(self):
        self.are_there, self._before = False, None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, *_):
        if self.are_there:
            raise KeyboardInterrupt
        self.are_there = True

    def __exit__(self, *_):
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


class Job:
    """One problem on one kind of device."""

    def __init__(self, problem, slot, options):
        self.problem, self.device, self.target, self.tools = problem, slot.device, slot.target, slot.tools
        self.bundle = problem.bundle()
        self.store = problem.store(knobs.cache.dir, slot.device, slot.tools)
        self.trials = [search.Trial(index, config) for index, config in enumerate(problem.configs)]
        count, fraction = len(self.trials), options.fraction or problem.data.get("space", 1.0)
        self.plan = guided.Plan([config.all_kwargs() for config in problem.configs], guided.trials_of(count, fraction))
        self.ready, self.binaries, self.running = collections.deque(), {}, set()
        self.deaths = collections.Counter()
        self.new, self.race_tries, self.is_finished, self.note = set(), 0, False, ""  # new: indices of what was tried now
        if not options.fresh:
            self._recall(options.retry_faults)

    def _recall(self, retry_faults):
        self.store.fetch()
        known = self.store.read()
        tried = sum("ms" in known.get(text, ()) or "failure" in known.get(text, ()) for text in self.problem.texts)
        if tried < self.plan.least:  # an earlier search was to measure fewer
            known = {text: result for text, result in known.items() if "passed" not in result}
        for trial, text in zip(self.trials, self.problem.texts):
            result = known.get(text)
            if result is None or "suspect" in result or retry_faults and result.get("fault"):
                continue
            trial.is_stored = True
            if "passed" in result:
                trial.error = PassedOver(result["passed"])
                self.plan.skip(trial.index, result["passed"])
            elif "failure" in result:
                self._fail(trial, result["failure"])
            else:
                trial.timing = result["ms"]
                self.plan.tell(trial.index, search.promise(result["ms"]))

    # ---- outcomes ---------------------------------------------------------------------------------

    def keep(self, results):
        """Stores {index: result}."""
        self.store.add({self.problem.texts[index]: result for index, result in results.items()}, replace=True)

    def fail(self, index, line, result=None):
        """A configuration failed. `result` is stored, if the failure will last."""
        trial = self.trials[index]
        trial.is_stored = False
        self._fail(trial, line)
        self.new.add(index)
        if result is not None:
            self.keep({index: result})

    def _fail(self, trial, line):
        trial.error, trial.timing = line, None
        self.plan.tell(trial.index, None)

    def measured(self, index, result, again=False):
        """A configuration was measured; `again` in a race, which makes its timing better and is no new trial."""
        trial = self.trials[index]
        trial.timing, trial.is_stored, trial.error = result["ms"], False, None
        self.plan.tell(index, search.promise(result["ms"]))
        if not again:
            self.new.add(index)
        self.keep({index: {name: result[name] for name in ("ms", "registers", "spills") if name in result}})

    def pass_over(self, index, reason):
        self.trials[index].error = PassedOver(reason)
        self.plan.skip(index, reason)
        self.keep({index: {"passed": reason}})

    def text_of(self, config):
        """A configuration in short: what differs between those of the problem."""
        from ..runtime.tuning.progress import short_text
        every = [each.all_kwargs() for each in self.problem.configs]
        shown = [f"{name}: {value}" for name, value in config.all_kwargs().items() if any(each.get(name) != value for each in every)]
        return ", ".join(shown) or short_text(config)

    # ---- state ------------------------------------------------------------------------------------

    @property
    def works(self):
        return [trial for trial in self.trials if trial.timing is not None]

    @property
    def best(self):
        return search.choose(self.works, True) if self.works else None

    @property
    def first(self):
        """The timing of the first configuration, if it has one."""
        return self.trials[0].timing

    @property
    def failures(self):
        """[(trial, reason)]"""
        return [(trial, trial.error) for trial in self.trials if isinstance(trial.error, str)]

    def contenders(self):
        fastest = min(trial.timing[0] for trial in self.works)
        found = [trial for trial in self.works if trial.timing[0] <= fastest * search.CONTENDER_RATIO]
        return [trial.index for trial in sorted(found, key=lambda trial: trial.timing[0])[:2 * search.MOST_CONTENDERS]]

    def is_for(self, slot):
        return slot.is_device and (slot.device, slot.target, slot.tools) == (self.device, self.target, self.tools)

    def finish(self, note=""):
        """No more trials. Without a note the search is complete, and what it passed over is stored."""
        self.is_finished, self.note = True, note
        if not note:
            rest = [trial for trial in self.trials if trial.timing is None and trial.error is None]
            for trial in rest:
                trial.error = PassedOver("others promised more")
            if rest:
                self.keep({trial.index: {"passed": str(trial.error)} for trial in rest})


class Scheduler:
    """`screen` is the lab's Screen; `solved(job)` is called for each job that is finished."""

    def __init__(self, problems, executor, options, screen, solved=lambda job: None):
        self.problems, self.executor, self.options, self.screen, self.solved = problems, executor, options, screen, solved
        self.jobs, self.tasks, self.unmatched = [], {}, []
        self.count = 0

    def run(self):
        with Interrupts() as interrupts:
            return self._run(interrupts)

    def _run(self, interrupts):
        begin = time.monotonic()
        try:
            slots = self.executor.start()
            self._make_jobs([slot for slot in slots if slot.is_device])
            self.idle, self.compilers = list(slots), sum(not slot.is_device for slot in slots)
            self.end = begin + self.options.budget if self.options.budget else float("inf")
            while not all(job.is_finished for job in self.jobs):
                if interrupts.are_there:
                    raise KeyboardInterrupt
                if time.monotonic() > self.end:
                    self._give_up("the budget is used up")
                    break
                self._start_tasks()
                for token, answer in self.executor.outcomes(0.2):
                    self._end_task(token, answer)
                self._show()
        except KeyboardInterrupt:
            self._give_up("interrupted")
            raise
        finally:
            self.executor.stop()
            self.screen.clear()
        return self.jobs

    def _make_jobs(self, devices):
        kinds = {(slot.device, slot.target, slot.tools): slot for slot in devices}
        for problem in self.problems:
            fitting = [slot for slot in kinds.values() if self.options.any_target or slot.target == problem.target]
            self.jobs += [Job(problem, slot, self.options) for slot in fitting]
            if not fitting:
                self.unmatched.append(problem)
        self.kinds = list(kinds.values())

    def _give_up(self, note):
        for job in self.jobs:
            if not job.is_finished:
                job.finish(note)
                self.solved(job)

    # ---- giving out tasks -------------------------------------------------------------------------

    def _start_tasks(self):
        for job in self.jobs:
            if not job.is_finished:
                self._advance(job)
        # On the CPU, the compilations would disturb what is measured.
        is_measuring = any(kind != "compile" and job.target == "cpu" for job, kind, _, _ in self.tasks.values())
        for slot in list(self.idle):
            if not slot.is_device and not is_measuring:
                self._start_compilation(slot)
        is_compiling = any(kind == "compile" for _, kind, _, _ in self.tasks.values())
        for slot in list(self.idle):
            if slot.is_device and not (slot.target == "cpu" and is_compiling):
                self._start_measurement(slot)

    def _advance(self, job):
        """Takes suggestions from a job's plan, and finishes it if there is nothing left to do."""
        devices = sum(job.is_for(slot) for slot in self.idle) + sum(task[0] is job and task[1] != "compile" for task in self.tasks.values())
        room = job.plan.ahead(max(1, devices), self.compilers) - len(job.running)
        for index in job.plan.suggest(max(0, room)):
            job.running.add(index)
            job.ready.append(("compile", index))
        if not job.ready and not job.running and not job.plan.suggest(0):
            contenders = job.contenders() if job.new and job.works else []
            if len(contenders) > 1 and not job.race_tries:
                job.race_tries = 1
                job.running.add("race")
                job.ready.append(("race", contenders))
            elif "race" not in job.running:
                job.finish("" if job.works else "nothing works")
                self.solved(job)

    def _take(self, kinds, fits):
        for job in self.jobs:
            if job.is_finished or not fits(job):
                continue
            for task in job.ready:
                if task[0] in kinds:
                    job.ready.remove(task)
                    return job, task
        return None, None

    def _start_compilation(self, slot):
        job, task = self._take(("compile",), lambda job: True)
        if job is not None:
            self._submit(slot, job, "compile", task[1], {"index": task[1], "target": job.target, "wants_binary": self.executor.carries_binaries and job.target != "cpu"})

    def _start_measurement(self, slot):
        job, task = self._take(("look", "race"), lambda job: job.is_for(slot))
        if job is None:
            return
        kind, what = task
        indices = [what] if kind == "look" else what
        binaries = {index: job.binaries[index] for index in indices if index in job.binaries}
        best = min((trial.timing[0] for trial in job.works), default=None)
        request = {"index": what, "best": best} if kind == "look" else {"indices": what}
        self._submit(slot, job, kind, what, {**request, **({"binaries": binaries} if binaries else {})})

    def _submit(self, slot, job, kind, what, request):
        self.count += 1
        self.idle.remove(slot)
        self.tasks[self.count] = job, kind, what, slot
        seconds = self.options.limit * (1 if kind != "race" else 4)
        self.executor.submit(slot, self.count, {"do": kind, "bundle": job.bundle, **request}, seconds)

    # ---- taking outcomes --------------------------------------------------------------------------

    def _end_task(self, token, answer):
        job, kind, what, slot = self.tasks.pop(token)
        self.idle.append(slot)
        if job.is_finished:
            return
        if kind == "race":
            self._end_race(job, what, answer)
        elif not answer.get("ok"):
            self._end_badly(job, kind, what, answer)
        elif kind == "compile":
            self._end_compilation(job, what, answer)
        else:
            job.running.discard(what)
            job.binaries.pop(what, None) if "failure" in answer else None
            if "failure" in answer:
                lasts = {"failure": answer["failure"], **({"fault": True} if answer.get("fault") else {})} if answer.get("lasts") else None
                job.fail(what, answer.get("line", answer["failure"]), lasts)
                self._tell(job, what, answer.get("line", answer["failure"]))
            else:
                job.measured(what, answer)

    def _end_compilation(self, job, index, answer):
        if "failure" in answer:
            job.running.discard(index)
            job.fail(index, answer["line"], {"failure": answer["failure"]} if answer.get("lasts") else None)
            self._tell(job, index, answer["line"])
            return
        reason = job.plan.pass_over(index, answer["facts"])
        if reason:
            job.running.discard(index)
            job.pass_over(index, reason)
            return
        if "binary" in answer:
            job.binaries[index] = answer["binary"]
        job.ready.append(("look", index))

    def _end_badly(self, job, kind, index, answer):
        job.deaths[index, answer["death"]] += 1
        again = {"killed": RETRIES, "crash": 1, "hang": 0}[answer["death"]]
        if job.deaths[index, answer["death"]] <= again:
            job.ready.appendleft((kind, index))
            return
        job.running.discard(index)
        while_doing = "compiling" if kind == "compile" else "running"
        reason = f"{while_doing} it: {answer['reason']}"
        is_fault = answer["death"] != "killed"
        job.fail(index, reason, {"failure": reason, "fault": True} if is_fault else None)
        self._tell(job, index, reason)

    def _end_race(self, job, indices, answer):
        if not answer.get("ok") and answer["death"] == "killed" and job.race_tries <= RETRIES:
            job.race_tries += 1
            job.ready.append(("race", indices))
            return
        job.running.discard("race")
        for index, result in answer.get("timings", {}).items():  # without an answer the short measurements decide
            if "ms" in result:
                job.measured(int(index), result, again=True)

    # ---- telling ----------------------------------------------------------------------------------

    def _tell(self, job, index, reason):
        self.screen.line(f"{job.problem.kernel} ({job.problem.key_text}): {job.text_of(job.problem.configs[index])}: {reason}")

    def _show(self):
        job = next((job for job in self.jobs if not job.is_finished), None)
        if job is None:
            return
        done = sum(each.is_finished for each in self.jobs)
        best = f", best {milliseconds(job.best.timing)}" if job.works else ""
        failed = f", {len(job.failures)} failed" if job.failures else ""
        self.screen.progress(f"{done} of {len(self.jobs)} tuned; {job.problem.kernel} ({job.problem.key_text}): "
                             f"{job.plan.tried} of at most {job.plan.most} tried{failed}{best}")
