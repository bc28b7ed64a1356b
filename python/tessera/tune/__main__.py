"""`tessera tune` and `python -m tessera.tune`: see USAGE."""
import argparse
import json
import os
import re
import sys

from . import local, problems, report
from .process import Unavailable

USAGE = """\
usage: tessera tune MANIFEST [options]

Tunes the autotuned kernels that `tessera record` has recorded, ahead of time:
on all GPUs of this machine (else on its CPU), or on those of a Ray cluster or
of Slurm. The choices go to the store that autotune reads, and to the manifest,
from which `tessera pack` compiles them. A second run continues the first.
docs/tuning.md is the guide.
"""


def parser():
    found = argparse.ArgumentParser(prog="tessera tune", usage=argparse.SUPPRESS, description=USAGE, add_help=False,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("manifest", metavar="MANIFEST", help="recorded/kernels.toml, or its folder")
    what = found.add_argument_group("what to tune")
    what.add_argument("-k", metavar="NAME", dest="pattern", default="", help="kernels whose names contain NAME")
    what.add_argument("--fraction", type=_fraction, metavar="F", help="of each list of configurations to measure, such as 0.2\n(default: all of a list, a fifth of a Space on average)")
    what.add_argument("--any-target", action="store_true", help="tune for the devices that there are, not only for the recorded ones")
    what.add_argument("--retry-faults", action="store_true", help="try configurations again that crashed or hung")
    what.add_argument("--fresh", action="store_true", help="measure again what the store has")
    what.add_argument("--inputs", metavar="KERNEL=MODULE:FUNCTION", action="append", default=[], help="a function that fills the kernel's arguments (docs/tuning.md)")
    where = found.add_argument_group("where")
    where.add_argument("--devices", metavar="LIST", help="cuda:0,cuda:1 or cpu (default: all GPUs, else the CPU)")
    where.add_argument("--ray", nargs="?", const="auto", metavar="ADDRESS", help="the devices of a Ray cluster (default: the one that\nRAY_ADDRESS names, or a new one on this machine)")
    where.add_argument("--slurm", nargs="?", const="", metavar="OPTIONS", help="jobs of Slurm, one for each tuning key, through submitit;\nOPTIONS such as partition=gpu,gpus_per_node=1,time=60")
    where.add_argument("-j", type=int, default=0, metavar="N", dest="jobs", help="processes that compile (default: one for each core)")
    how = found.add_argument_group("limits and output")
    how.add_argument("--budget", type=_seconds, default=0.0, metavar="TIME", help="stop after 90s, 10m or 2h; the same command continues")
    how.add_argument("--limit", type=_seconds, default=120.0, metavar="TIME", help="a trial that takes longer hangs (default: 2m)")
    how.add_argument("--plot", metavar="FILE", help="the plot (default: tune.svg beside the manifest)")
    how.add_argument("--json", action="store_true", help="print JSON to standard output, and progress to standard error")
    how.add_argument("-h", "--help", action="help", help="this text")
    return found


def _seconds(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|h)?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is no time; write 90s, 10m or 2h")
    return float(match.group(1)) * {"s": 1, "m": 60, "h": 3600, None: 1}[match.group(2)]


def _fraction(text):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no fraction; write a number above 0, up to 1")
    return value


def executor_of(options):
    devices = options.devices.split(",") if options.devices else None
    for device in devices or ():
        if not re.fullmatch(r"cpu|(cuda|hip):\d+", device) and not (options.ray and device in ("cuda", "hip")):
            raise problems.Unusable(f"'{device}' is no device; there are: {', '.join(local.devices_here())}")
    if options.ray:
        from .ray_cluster import RayExecutor
        return RayExecutor(options.ray, devices, options.jobs)
    return local.LocalExecutor(devices or local.devices_here(), options.jobs or local.cores())


class JsonOutput:
    """Standard output for the JSON alone: what others print there meanwhile, as Ray does, goes to standard error."""

    def __init__(self):
        self.file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def write(self, data):
        json.dump(data, self.file, indent=1)
        self.file.write("\n")
        self.file.flush()


def run(options):
    output = JsonOutput() if options.json else None
    from ..lab.screen import Screen
    from . import manifest, slurm
    from .schedule import Options, Scheduler
    folder = problems.folder_of(options.manifest)
    inputs = dict(_pair(each) for each in options.inputs)
    found, unsolvable = problems.read(folder, options.pattern, inputs)
    screen = Screen(quiet=options.json)
    settings = Options(options.budget, options.limit, options.fraction, options.retry_faults, options.any_target, options.fresh)

    def solved(job):
        manifest.write(folder, [job])
        _say(screen, job)
    if options.slurm is not None:
        scheduler = slurm.SlurmScheduler(found, options.slurm, settings, screen, solved)
    else:
        scheduler = Scheduler(found, executor_of(options), settings, screen, solved)
    status = 0
    try:
        scheduler.run()
    except KeyboardInterrupt:
        screen.line("interrupted; what was measured is kept, and the same command continues")
        status = 130
    for kernel, key, reason in unsolvable:
        screen.line(f"not tuned: {kernel} ({key}): {reason}")
    for problem in scheduler.unmatched:
        there = ", ".join(dict.fromkeys(slot.target for slot in scheduler.kinds))
        screen.line(f"not tuned: {problem.kernel} ({problem.key_text}): it was recorded for {problem.target}, and here is {there}; --any-target tunes it for that")
    return finish(options, folder, scheduler.jobs, screen, status, output)


def finish(options, folder, jobs, screen, status, output):
    if output is not None:
        output.write({"results": report.data(jobs)})
    if not jobs:
        return status or 1
    screen.line()
    report.table(screen, jobs)
    report.failures(screen, jobs)
    path = options.plot or os.path.join(folder, "tune.svg")
    report.plot(path, jobs)
    left = sum(bool(job.note) for job in jobs)
    screen.line(f"{len(jobs) - left} of {len(jobs)} tuned" + (f"; {left} not completely: the same command continues" if left else "") + f"; {path}")
    return status or (0 if all(job.best is not None for job in jobs) else 1)


def _say(screen, job):
    """A line for a job that is finished, where there is no terminal to rewrite."""
    if not screen.is_terminal:
        from ..runtime.tuning.progress import milliseconds
        chosen = f"{job.text_of(job.best.config)}, {milliseconds(job.best.timing)}" if job.best else "nothing works"
        screen.line(f"{job.problem.kernel} ({job.problem.key_text}): {chosen}; {report.trials_text(job)} tried, {len(job.new)} new{'; ' + job.note if job.note else ''}")


def _pair(text):
    kernel, equals, function = text.partition("=")
    if not equals or ":" not in function:
        raise problems.Unusable(f"--inputs '{text}': write KERNEL=MODULE:FUNCTION")
    return kernel, function


def main(arguments=None):
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments:
        print(USAGE, end="", file=sys.stderr)
        return 2
    try:
        return run(parser().parse_args(arguments))
    except (problems.Unusable, Unavailable) as problem:
        print(f"tessera tune: {problem}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
