"""The beginning and the end of a run: a greeting, then logs, records and pictures of each operator."""
import os

from . import records, summary


def greet(screen, lab, names):
    facts = lab.pool.facts
    parts = [", ".join(names) if len(names) < 4 else f"{len(names)} operators", "on a GPU" if lab.settings.device == "cuda" else "on the CPU",
             f"Tessera {facts['tessera'].get('version')}", f"torch {facts['tessera']['torch']}"]
    if lab.settings.time and lab.has_triton:
        parts.append(f"Triton {facts['plain']['version']}")
    screen.line(screen.paint("bold", "Tessera lab: ") + ", ".join(parts))


def run(screen, lab, names):
    """Runs the lab and writes what each operator found, as soon as it is known: a run that is stopped leaves what it has measured.
    Returns {operator: {"ok", "record", "files", ...}} for --json."""
    written = {}
    lab.when_timed = lambda found: written.update({found.operator.name: write(screen, lab, found)})
    results, told = lab.run(names), {}
    for name, found in results.items():
        if found.problem:
            screen.line(f"{name}: {screen.paint('red', found.problem)}")
            told[name] = {"ok": False, "problem": found.problem}
            continue
        told[name] = written.get(name) or write(screen, lab, found)
    if screen.brief:
        summary.overview(screen, results, lab.settings.time)
    return told


def write(screen, lab, found):
    from .drawing import draw
    from .log import write_log
    name, logs = found.operator.name, lab.settings.logs
    failed = [version for version, state in found.versions.items() if "failed" in state]
    answer = {"ok": not failed and (bool(found.sizes) or not lab.settings.time), "failed": failed, "files": []}
    answer["correctness"] = {version: {k: v for k, v in state.items() if k in ("ok", "failed", "phase", "left_out")} for version, state in found.versions.items()}
    if found.record:
        if found.sizes and not screen.brief:
            summary.times(screen, found)
        before = records.read(logs, name)
        same = before and all(before[-1].get(k) == records.as_read(found.record.get(k)) for k in ("sizes", "correctness", "source"))
        found.record = before[-1] if same else records.append(logs, name, found.record)
        answer.update(record=found.record, files=[records.path_of(logs, name)])
        if found.sizes:
            answer["files"] += [draw(logs, name, found.record), write_log(logs, found)]
    if answer["files"] and not screen.brief:
        screen.line()
        screen.line("wrote " + ", ".join(os.path.relpath(path) for path in answer["files"]))
    return answer
