"""`tessera lab report`: one HTML page over all operators, with tables, pictures, history and links; it has everything in itself."""
import argparse
import html
import json
import os
import re

from . import analysis, drawing, judging, operators, records, summary
from .screen import duration, shown_name

ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets")


def report_command(arguments):
    parser = argparse.ArgumentParser(prog="tessera lab report", description="Writes one HTML page over all operators that have records.")
    parser.add_argument("--kernels", metavar="DIR", help="the folder of operators, for their definitions")
    parser.add_argument("--logs", metavar="DIR", default="logs", help="the folder of records (default: logs)")
    parser.add_argument("--out", metavar="FILE", help="the page (default: LOGS/report.html)")
    parser.add_argument("--json", action="store_true", help="print the newest record of each operator and device as JSON instead")
    options = parser.parse_args(arguments)
    found = collect(options.logs)
    if not found:
        raise operators.Missing(f"there are no records in {options.logs}; `tessera lab OP` makes them")
    if options.json:
        print(json.dumps({op: newest(all_records) for op, all_records in found.items()}, indent=1))
        return 0
    path = options.out or os.path.join(options.logs, "report.html")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(page(found, definitions(options.kernels, found), options.logs, os.path.dirname(os.path.abspath(path))))
    os.replace(path + ".part", path)
    print(f"wrote {path}: {analysis.count(len(found), 'operator')}")
    return 0


def collect(logs):
    """{operator: its records with times, oldest first}"""
    found = {}
    for file in sorted(os.listdir(logs)) if os.path.isdir(logs) else []:
        if file.endswith(".json"):
            timed = [record for record in records.read(logs, file[:-5]) if record.get("kind") == "time"]
            if timed:
                found[file[:-5]] = timed
    return found


def newest(all_records):
    """The newest record of each device, GPUs first."""
    devices = {}
    for record in all_records:
        devices[record["device"].get("name", record["device"]["type"])] = record
    return sorted(devices.values(), key=lambda record: (record["device"]["type"] != "cuda", record["date"]))


def definitions(given, found):
    try:
        kernels = operators.kernels_folder(given)
        return {op: operators.load(kernels, op).about for op in found if os.path.isdir(os.path.join(kernels, op))}
    except operators.Missing:
        return {}


def text(content):
    return html.escape(str(content))


# ---- the page ---------------------------------------------------------------------------------------

def page(found, about, logs, folder):
    with open(os.path.join(ASSETS, "report.css"), encoding="utf-8") as file:
        style = file.read()
    latest = max((record for all_records in found.values() for record in all_records), key=lambda record: record["date"])
    versions = latest["versions"]
    said = [f"Tessera {versions['tessera']}", f"torch {versions['torch']}"] + ([f"Triton {versions['triton']}"] if versions.get("triton") else [])
    parts = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
             f"<title>Kernel lab</title><style>{style}</style></head><body><main>", "<h1>Kernel lab</h1>",
             f'<p class="soft">{text(analysis.count(len(found), "operator"))}, newest record {text(latest["date"][:10])} on '
             f'{text(latest["device"].get("name", "the CPU"))}; {text(", ".join(said))}. Times are medians with a cold L2 cache.</p>']
    parts.append(overview(found))
    for op, all_records in found.items():
        parts += section(op, all_records, about.get(op, {}), logs, folder)
    return "\n".join(parts) + "\n</main></body></html>\n"


def overview(found):
    head = ["Operator", "Device", "Chosen", "Time", "Of the ceiling", "against torch", "torch.compile", "Triton"]
    rows = []
    for op, all_records in found.items():
        for record in newest(all_records)[:1]:
            rows.append(overview_row(op, record))
    cells = "".join(f'<th class="{"text" if name in ("Device", "Chosen") else ""}">{text(name)}</th>' for name in head)
    return f'<div class="scroll"><table><thead><tr>{cells}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def overview_row(op, record):
    size = analysis.largest_size(record)
    link = f'<td><a href="#{text(op)}">{text(op)}</a></td><td class="text">{text(record["device"].get("name", ""))}</td>'
    if size is None:
        return f'<tr>{link}<td class="text bad" colspan="6">no version is usable</td></tr>'
    told = record["sizes"][size]
    best, entry = told["best"], told["contestants"]["tessera:" + told["best"]]
    share = min(1.0, entry["ceiling"])
    cells = [f'<td class="text">{text(best)} at {text(size)}</td>', f'<td>{text(duration(entry["median_us"]))}</td>',
             f'<td><span class="bar"><i style="width:{share:.0%}"></i></span>{entry["ceiling"]:.0%}</td>']
    for other in ("torch", "torch.compile", "triton:" + best):
        cells.append(ratio_cell(judging.speedups({"sizes": {size: told}}, "tessera:" + best, other).get(size)))
    return f"<tr>{link}{''.join(cells)}</tr>"


def ratio_cell(ratio):
    if ratio is None:
        return '<td class="soft">–</td>'
    kind = "good" if ratio >= 1 - analysis.CLOSE else "bad"
    return f'<td class="{kind}">{ratio:.2f} ×</td>'


# ---- one operator -----------------------------------------------------------------------------------

def section(op, all_records, about, logs, folder):
    parts = [f'<h2 id="{text(op)}">{text(op)}</h2>', f'<p class="soft">{text(about.get("torch", ""))}: {text(about.get("definition", ""))}</p>' if about else ""]
    for i, record in enumerate(newest(all_records)):
        inner = [times_table(record), f'<div class="picture">{drawing.picture(op, record)}</div>',
                 "<ul>" + "".join(f"<li>{text(sentence)}</li>" for sentence in analysis.sentences(record)) + "</ul>", failures(record)]
        name = f"{record['device'].get('name', '')}, {record['date'][:10]}"
        parts += [f"<h3>{text(name)}</h3>", *inner] if i == 0 else [f"<details><summary>{text(name)}</summary>", *inner, "</details>"]
    parts += [history(all_records), links(op, all_records[-1], logs, folder)]
    return parts


def times_table(record):
    head = ["Kernel", *record["sizes"], "Speedup"]
    rows = []
    for name, entries, speedup in summary.time_rows(record):
        cells = []
        for size, entry in zip(record["sizes"], entries):
            best = name == f"tessera:{record['sizes'][size].get('best')}"
            content = text(summary.cell(entry))
            if judging.usable(entry):
                content += f' <span class="spread">±{entry["spread"]:.0%}</span>'
            reason = (entry or {}).get("refused") or (entry or {}).get("failed") or ""
            cells.append(f'<td class="{"good" if best else "bad" if reason else ""}" title="{text(reason)}">{content}</td>')
        kind = "triton" if name.startswith("triton:") else ""
        rows.append(f'<tr class="{kind}"><td>{text(shown_name(name))}</td>{"".join(cells)}<td>{f"{speedup:.2f} ×" if speedup else "–"}</td></tr>')
    return ('<div class="scroll"><table><thead><tr>' + "".join(f"<th>{text(name)}</th>" for name in head) + "</tr></thead><tbody>"
            + "".join(rows) + "</tbody></table></div>")


def failures(record):
    rows = []
    for version, told in record["correctness"].items():
        if not told["ok"] and "failed" in told:
            rows.append(f'<li><span class="bad">{text(version)} is left out</span>: {text(told["failed"]["case"])}: {text(str(told["failed"]["message"])[:300])}</li>')
    return f"<ul>{''.join(rows)}</ul>" if rows else ""


def history(all_records):
    """The chosen kernel's time at the largest size over the records of the newest record's device."""
    device = newest(all_records)[0]["device"].get("name")
    points = []
    for record in all_records:
        size = analysis.largest_size(record)
        if record["device"].get("name") == device and size:
            told = record["sizes"][size]
            points.append((record["date"], size, told["contestants"]["tessera:" + told["best"]]["median_us"], told["best"]))
    points = [point for point in points if point[1] == points[-1][1]] if points else []
    if len(points) < 2:
        return ""
    low, high = min(p[2] for p in points), max(p[2] for p in points)
    places = [(6 + i * 228 / (len(points) - 1), 42 - (p[2] - low) / ((high - low) or 1) * 36) for i, p in enumerate(points)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="var(--link)"><title>{text(p[0][:10])}: {text(duration(p[2]))}, {text(p[3])}</title></circle>'
                   for (x, y), p in zip(places, points))
    return (f'<h3>History</h3><div class="history"><svg viewBox="0 0 240 48"><polyline points="{line}" fill="none" stroke="var(--link)" stroke-width="2"/>{dots}</svg>'
            f'<span class="soft">{len(points)} records at {text(points[-1][1])}: {text(duration(points[0][2]))} on {text(points[0][0][:10])}, '
            f'now {text(duration(points[-1][2]))}</span></div>')


def links(op, record, logs, folder):
    """The log, the records and the explain pages, as far as they are there."""
    found = []
    for name, path in [("log", f"{op}_log.md"), ("records", f"{op}.json"), ("picture", f"{op}.svg")]:
        if os.path.exists(os.path.join(logs, path)):
            found.append((name, os.path.join(logs, path)))
    pages = os.path.join(logs, "explain")
    for file in sorted(os.listdir(pages)) if os.path.isdir(pages) else []:
        match = re.fullmatch(re.escape(op) + r"-(v\d+_\w+)\.html", file)
        if match:
            found.append((f"explain {match[1]}", os.path.join(pages, file)))
    made = " · ".join(f'<a href="{text(os.path.relpath(path, folder))}">{text(name)}</a>' for name, path in found)
    missing = "" if os.path.isdir(pages) else f' <span class="soft">· <code>tessera lab {text(op)} --explain</code> writes what every pass did</span>'
    return f"<p>{made}{missing}</p>"
