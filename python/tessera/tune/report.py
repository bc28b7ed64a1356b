"""What `tessera tune` says at its end: a table of at most 100 columns, JSON, and a plot of all timings as an SVG file."""
from __future__ import annotations

import html
import os

from ..runtime.tuning.progress import milliseconds
from ..runtime.tuning.store import PassedOver

WIDTH = 100


def speedup(job):
    """How many times faster the choice is than the first configuration; None if the first does not work."""
    return job.first[0] / job.best.timing[0] if job.first is not None and job.best is not None else None


def trials_text(job):
    return f"{job.plan.tried}/{len(job.trials)}"


def table(screen, jobs):
    """The choices, one line each."""
    rows = []
    for job in jobs:
        gain = speedup(job)
        rows.append([job.problem.kernel, job.problem.key_text, job.text_of(job.best.config) if job.best else job.note,
                     milliseconds(job.best.timing) if job.best else "", f"{gain:.2f}" if gain else "", trials_text(job)])
    head = ["kernel", "key", "configuration", "time", "× first", "trials"]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    room = min(WIDTH, screen.width() if screen.is_terminal else WIDTH) - 2 * (len(head) - 1)
    for column, least in ((2, 24), (1, 12), (0, 12)):  # the widest columns give way, the configuration first
        excess = sum(widths) - room
        if excess > 0:
            widths[column] = max(least, widths[column] - excess)
    screen.table([[_cut(cell, width) for cell, width in zip(row, widths)] for row in rows], head, "<<<>>>", indent=0)


def _cut(text, width):
    return text if len(text) <= width else text[:width - 1] + "…"


def failures(screen, jobs):
    for job in jobs:
        for trial, reason in job.failures:
            screen.line(f"left out: {job.problem.kernel} ({job.problem.key_text}): {job.text_of(trial.config)}: {str(reason).splitlines()[0]}")


def data(jobs):
    """The outcome for --json."""
    found = []
    for job in jobs:
        best = job.best
        found.append({
            "kernel": job.problem.kernel, "key": job.problem.data["key"], "device": job.device, "target": job.target,
            "configs": len(job.trials), "trials": job.plan.tried, "new": len(job.new), "finished": not job.note, "note": job.note,
            "best": {**best.config.kwargs, **_options(best.config)} if best else None, "ms": best.timing[0] if best else None,
            "first_ms": job.first[0] if job.first else None,
            "timings": {job.problem.texts[trial.index]: trial.timing for trial in job.works},
            "failed": [{"config": job.problem.texts[trial.index], "reason": reason} for trial, reason in job.failures],
            "passed_over": sum(isinstance(trial.error, PassedOver) for trial in job.trials)})
    return found


def _options(config):
    return {name: getattr(config, name) for name in ("num_warps", "num_stages", "num_ctas", "maxnreg") if getattr(config, name) is not None}


def plot(path, jobs):
    """Writes a row for each job: a dot for each configuration, by its time relative to the best, up to eight times."""
    import math
    from ..lab.drawing import STYLE, text
    jobs = [job for job in jobs if job.works]
    left, right, row, top = 300, 40, 34, 74
    width, height = 1000, top + row * max(1, len(jobs)) + 40

    def place(ratio):
        return left + (width - left - right) * math.log2(min(ratio, 8.0)) / 3.0
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="times of all configurations relative to the '
             f'best"><style>{STYLE}</style><rect class="back" width="{width}" height="{height}" rx="8"/>',
             text(24, 30, "Time of each configuration, relative to the best", "title")]
    for ratio in (1, 2, 4, 8):
        x = place(ratio)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{top - 12}" x2="{x:.1f}" y2="{height - 40}"/>')
        parts.append(text(x, top - 18, f"{ratio} ×" if ratio < 8 else "8 × and more", "sub", "middle" if ratio < 8 else "end"))
    for number, job in enumerate(jobs):
        y = top + row * number + row / 2
        best = job.best
        parts.append(text(24, y - 3, _cut(f"{job.problem.kernel} ({job.problem.key_text})", 40)))
        parts.append(text(24, y + 12, f"{milliseconds(best.timing)}, {trials_text(job)} configurations", "sub"))
        for trial in job.works:
            colour, radius = ("#2f9e6e", 5) if trial is best else ("#e08a3c", 4) if trial.index == 0 else ("#4e8fd0", 3)
            title = html.escape(f"{job.text_of(trial.config)}: {milliseconds(trial.timing)}")
            parts.append(f'<circle cx="{place(max(1.0, trial.timing[0] / best.timing[0])):.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}" '
                         f'fill-opacity="0.8"><title>{title}</title></circle>')
    parts.append(text(24, height - 14, "green: the choice; orange: the first configuration of the list", "sub"))
    parts.append(text(width - 24, height - 14, ", ".join(dict.fromkeys(job.device for job in jobs))[:80], "sub", "end"))
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n</svg>\n")
    os.replace(temporary, path)
