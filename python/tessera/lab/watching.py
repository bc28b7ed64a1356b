"""`tessera lab watch OP`: whenever a version's file is saved, checks and measures it, and shows the difference to the last record."""
import argparse
import os
import time

from . import judging, operators, records, summary
from .processes import Failed
from .schedule import Lab
from .screen import Screen, duration
from .settings import Settings

PAUSE = 0.3  # seconds between two looks at the files


def watch_command(arguments):
    parser = argparse.ArgumentParser(prog="tessera lab watch", description="Checks and measures a version again whenever its file changes.")
    parser.add_argument("op", metavar="OP")
    parser.add_argument("--kernels", metavar="DIR")
    parser.add_argument("--logs", metavar="DIR", default="logs")
    parser.add_argument("--work", metavar="DIR", default=os.path.join("build", "lab"))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--sizes", default="Small,Large", help="the sizes that are measured (default: Small,Large)")
    parser.add_argument("--once", action="store_true", help="check and measure the newest version now, and end")
    options = parser.parse_args(arguments)
    kernels = operators.kernels_folder(options.kernels)
    operator = operators.load(kernels, options.op)
    if not operator.versions:
        raise operators.Missing(f"{options.op} has no versions; `tessera lab check {options.op}` says what is missing")
    settings = Settings(kernels=kernels, device=options.device, logs=options.logs, work=os.path.abspath(options.work),
                        sizes=tuple(options.sizes.split(",")), rounds=3, random=1, triton="no", compile=False)
    screen, seen = Screen(brief=True, steps=False), stamps(operator.folder)
    lab = Lab(settings, screen).open()  # the processes with torch stay: a look takes seconds
    try:
        if options.once:
            return look(lab, options, newest(operator))
        screen.line(f"watching {operator.folder}; save a file to check it, Ctrl-C ends")
        while True:
            time.sleep(PAUSE)
            now = stamps(operator.folder)
            changed = [path for path in now if seen.get(path) != now[path]]
            seen = now
            if changed:
                operator = operators.load(kernels, options.op)
                for version in versions_of(changed, operator):
                    look(lab, options, version)
    finally:
        lab.close()


def stamps(folder):
    return {path: os.stat(path).st_mtime_ns for path in operators.source_files(folder) if os.path.exists(path)}


def newest(operator):
    return max(operator.versions, key=lambda version: os.stat(os.path.join(operator.folder, version + ".py")).st_mtime_ns)


def versions_of(changed, operator):
    """The versions that changed; all of them if a file that they share did."""
    stems = [os.path.splitext(os.path.basename(path))[0] for path in changed]
    return [v for v in operator.versions if v in stems] or operator.versions


def look(lab, options, version):
    """Checks and measures one version; returns an exit status."""
    screen, lab.settings.versions = lab.screen, (version,)
    screen.heading(f"{options.op} {version}, {time.strftime('%H:%M:%S')}")
    try:
        found = lab.run([options.op])[options.op]
    except Failed as problem:
        screen.line(f"  {screen.paint('red', str(problem))}")
        return 1
    if found.problem or not found.passed() or not found.record:
        screen.line("  " + screen.paint("red", found.problem or "it is not right; nothing was measured"))
        return 1
    cases = found.versions[version]["device"]["passed"]
    screen.line(f"  {screen.paint('green', 'right')} in {cases} cases, under the sanitizer and on the device")
    difference(screen, options, found.record, version)
    return 0


def difference(screen, options, record, version):
    """Times beside those of the last record on the same device."""
    before = records.latest(records.read(options.logs, options.op), "time", record["device"]["type"], record["device"].get("name"))
    rows = []
    for size, told in record["sizes"].items():
        entry = told["contestants"]["tessera:" + version]
        old = before and before["sizes"].get(size, {}).get("contestants", {}).get("tessera:" + version)
        torch = told["contestants"].get("torch")
        row = [size, summary.cell(entry)]
        if judging.usable(entry) and judging.usable(old or None):
            ratio = old["median_us"] / entry["median_us"]
            noise = max(0.03, 2 * entry["spread"], 2 * old["spread"])
            colour = "green" if ratio > 1 + noise else "red" if ratio < 1 - noise else "dim"
            row.append(screen.paint(colour, f"{ratio:.2f} × the last record, {duration(old['median_us'])}"))
        else:
            row.append(screen.paint("dim", "no earlier record"))
        row.append(f"{torch['median_us'] / entry['median_us']:.2f} × torch" if judging.usable(torch) and judging.usable(entry) else "")
        rows.append(row)
    screen.table(rows, align="<>>>")
