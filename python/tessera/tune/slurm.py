"""Tunes in jobs of Slurm, through submitit: `tessera tune --slurm partition=gpu,gpus_per_node=1`.

A job solves one problem with the processes of its node, by the same scheduler as on one machine: Slurm's queue is too slow for
single trials. Its results come back with the job, and are in the store of the node's cache folder while it runs. A job that fails is
submitted again, up to RETRIES times. `cluster=local` runs the jobs as processes of this machine, without Slurm.
"""
from __future__ import annotations

import os
import sys
import time

from .local import LocalExecutor, Slot, cores, devices_here
from .process import Unavailable
from .problems import Problem, Unusable
from .schedule import Job, Options, Scheduler

RETRIES = 2
_SHARED = ("timeout_min", "gpus_per_node", "cpus_per_task", "mem_gb", "nodes", "tasks_per_node", "name")


def solve(bundle, settings):
    """What a job does: [(the facts of a kind of device, its results, the note)]."""
    from ..lab.screen import Screen
    executor = LocalExecutor(devices_here(), cores())
    scheduler = Scheduler([Problem.of_bundle(bundle)], executor, Options(**settings), Screen(quiet=True))
    return [((job.device, job.target, job.tools), job.store.read(), job.note) for job in scheduler.run()]


class SlurmScheduler:
    """Has the interface of Scheduler."""

    def __init__(self, problems, text, options, screen, solved):
        try:
            import submitit
        except ImportError:
            raise Unavailable(f"--slurm needs the package 'submitit' in {sys.executable}: pip install submitit") from None
        self.problems, self.options, self.screen, self.solved = problems, options, screen, solved
        self.jobs, self.unmatched, self.kinds = [], [], []
        given = dict(_pair(each) for each in text.split(",") if each)
        folder = given.pop("folder", os.path.join(os.getcwd(), "tessera-tune-jobs"))
        self.executor = submitit.AutoExecutor(folder=folder, cluster=given.pop("cluster", None))
        if "time" in given:
            given["timeout_min"] = given.pop("time")
        self.executor.update_parameters(**{name if name in _SHARED else f"slurm_{name}": value for name, value in given.items()})

    def run(self):
        settings = vars(self.options)
        running = [(problem, self.executor.submit(solve, problem.bundle(), settings), 0) for problem in self.problems]
        try:
            while running:
                for entry in list(running):
                    problem, job, tries = entry
                    if job.done():
                        running.remove(entry)
                        running += self._end(problem, job, tries)
                self.screen.progress(f"{len(self.problems) - len(running)} of {len(self.problems)} jobs done")
                time.sleep(0.2)
        except KeyboardInterrupt:
            for _, job, _ in running:
                job.cancel()
            raise
        finally:
            self.screen.clear()
        return self.jobs

    def _end(self, problem, job, tries):
        """Takes a job's results. Returns the entry of the job that is submitted in its place, if any."""
        try:
            found = job.result()
        except Exception as error:
            line = str(error).strip().splitlines()[-1][:160] if str(error).strip() else type(error).__name__
            if tries < RETRIES:
                return [(problem, self.executor.submit(solve, problem.bundle(), vars(self.options)), tries + 1)]
            self.screen.line(f"not tuned: {problem.kernel} ({problem.key_text}): its job failed {tries + 1} times: {line}")
            return []
        for facts, results, note in found:
            slot = Slot(0, *facts)
            problem.store(_folder(), slot.device, slot.tools).add(results, replace=True)
            job = Job(problem, slot, Options(fraction=self.options.fraction))
            job.new = {index for index, text in enumerate(problem.texts) if "passed" not in results.get(text, {"passed": ""})}
            job.finish(note)
            self.jobs.append(job)
            self.solved(job)
        if not found:
            self.unmatched.append(problem)
        return []


def _folder():
    from .. import knobs
    return knobs.cache.dir


def _pair(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise Unusable(f"--slurm '{text}': write NAME=VALUE")
    return name.strip(), int(value) if value.isdecimal() else value
