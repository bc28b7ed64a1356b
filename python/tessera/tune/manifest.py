"""Writes what was chosen into the recorded manifest, from which `tessera pack` compiles it."""
from __future__ import annotations

from ..runtime import record
from ..runtime.recorded_manifest import Manifest
from ..runtime.tuning.problem import FLAGS


class _Parameter:
    """A kernel's parameter, as record.siblings reads it."""

    def __init__(self, name, flags):
        self.name = name
        for attribute, flag in FLAGS.items():
            setattr(self, attribute, bool(flags & flag))


def write(folder, jobs):
    """Adds the choices of jobs to kernels.toml: an entry of [[tuned]], and the rows of the variants that it needs."""
    with Manifest.locked(folder) as manifest:
        for job in jobs:
            if job.best is not None:
                _add(manifest, job)


def _add(manifest, job):
    problem, best = job.problem, job.best
    row = problem.rows[best.index]
    if "plain_key" in problem.data:
        options = {name: getattr(best.config, name) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")}
        manifest.add_choice(problem.kernel, {"key": problem.data["plain_key"], "device": job.device, "kwargs": dict(best.config.kwargs), **options,
                                             "target": job.target})
    function = problem.programs[row["program"]]["functions"][problem.programs[row["program"]]["kernel"]]
    import os
    kernel = manifest.kernel(problem.kernel, row["program"], f"{os.path.basename(function.get('path', '?'))}:{function.get('line', '?')}")
    flags = record.flags_of_options(row["options"])
    kernel.add(row["arguments"], flags, job.target, is_tuned=True)
    parameters = [_Parameter(*each) for each in problem.data["parameters"]]
    for arguments, reason in record.siblings(parameters, row["arguments"], record.LIMIT)[0]:
        kernel.add(arguments, flags, job.target, because=reason)
