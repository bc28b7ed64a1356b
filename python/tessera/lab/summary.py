"""The phases on the terminal: facts and versions before, times and the choice after."""
from . import analysis, judging
from .operators import label
from .screen import amount, duration, shown_name


def facts(screen, found, lab):
    """Phases 1 and 2, before anything runs."""
    about = found.operator.about
    screen.heading(f"Phase 1: what {found.operator.name} is")
    screen.line(f"  {about.get('torch', found.operator.name)}: {about.get('definition', 'no definition in cases.toml')}")
    rows = []
    for size, case in lab.chosen_sizes(found).items():
        told = found.facts.get(size, {})
        moved, work = told.get("bytes", 0), told.get("flops", 0)
        rows.append([size, label(case), amount(moved, "B"), amount(work, "FLOP"), f"{work / moved:.2g}" if moved else "-"])
    screen.table(rows, ["size", "case", "bytes", "operations", "operations per byte"], "<<>>>")
    screen.heading("Phase 2: versions")
    rows = []
    for version, told in found.versions.items():
        tried = sum(len(configs) for configs in told["configurations"].values())
        rows.append([version, title(told["doc"], version), analysis.count(tried, "configuration") if tried else "one configuration"])
    screen.table(rows, align="<<<")
    screen.heading(f"Phase 3a: correctness, {analysis.count(len(found.operator.cases(lab.settings.random, lab.settings.seed)), 'case')} against torch in float64")


def title(doc, version):
    """The first line of a version's docstring, without its name."""
    first = (doc.split("\n")[0] if doc else "").strip().rstrip(".")
    return first[len(version) + 1:].strip() if first.startswith(version + ":") else first


def time_rows(record):
    """[(contestant, [entry or None for each size], geometric mean of speedups over torch)]"""
    sizes = list(record["sizes"])
    names = list(dict.fromkeys(name for size in record["sizes"].values() for name in size["contestants"]))
    order = sorted(names, key=lambda name: (("tessera", "triton", "torch", "torch.compile").index(name.partition(":")[0]), names.index(name)))
    return [(name, [record["sizes"][size]["contestants"].get(name) for size in sizes],
             judging.geometric_mean(judging.speedups(record, name).values())) for name in order]


def cell(entry):
    if entry is None:
        return "-"
    return "failed" if "failed" in entry else "refused" if "refused" in entry else duration(entry["median_us"])


def times(screen, found):
    """Phase 3b and 4."""
    record = found.record
    screen.heading(f"Phase 3b: times of {found.operator.name}, median, inputs not in the cache")
    rows = []
    for name, entries, speedup in time_rows(record):
        cells = []
        for size, entry in zip(record["sizes"], entries):
            text = cell(entry)
            best = name == f"tessera:{record['sizes'][size].get('best')}"
            cells.append(screen.paint("green", text) if best else screen.paint("red", text) if text in ("failed", "refused") else text)
        rows.append([shown_name(name), *cells, f"{speedup:.2f} ×" if speedup else "-"])
    screen.table(rows, ["Kernel", *record["sizes"], "Speedup"])
    screen.line(screen.paint("dim", "  Speedup: geometric mean over the sizes, against torch"))
    screen.heading("Phase 4: the choice")
    for sentence in analysis.sentences(record):
        wrap(screen, sentence)


def wrap(screen, text, indent="  "):
    import textwrap
    for i, line in enumerate(textwrap.wrap(text, max(40, min(110, screen.width() - len(indent) - 2)))):
        screen.line((indent if i == 0 else indent + "  ") + line)


def without_times(screen, found, failed, is_timed):
    if found.problem or failed:
        return screen.paint("red", found.problem or f"failed: {', '.join(failed)}")
    return screen.paint("yellow", "not measured: the budget is spent") if is_timed else screen.paint("green", f"{len(found.versions)} versions are right")


def overview(screen, results, is_timed=True):
    """One line for each operator, after a run over several."""
    screen.heading("All operators")
    rows = []
    for name, found in results.items():
        if found.problem or not found.record or not found.sizes:
            failed = [v for v, told in found.versions.items() if "failed" in told]
            rows.append([name, without_times(screen, found, failed, is_timed)])
            continue
        record, size = found.record, analysis.largest_size(found.record)
        if size is None:
            rows.append([name, screen.paint("red", "no version is usable")])
            continue
        told = record["sizes"][size]
        best = told["contestants"]["tessera:" + told["best"]]
        ratios = judging.speedups({"sizes": {size: told}}, "tessera:" + told["best"])
        triton = judging.speedups({"sizes": {size: told}}, "tessera:" + told["best"], "triton:" + told["best"])
        failed = [v for v, state in found.versions.items() if "failed" in state]
        rows.append([name, f"{told['best']} at {size}", duration(best["median_us"]), f"{best['ceiling']:.0%} of {told['bound']}",
                     f"{ratios[size]:.2f} × torch" if ratios else "-", f"{triton[size]:.2f} × Triton" if triton else "-",
                     screen.paint("red", "failed: " + ", ".join(failed)) if failed else ""])
    screen.table(rows, align="<<>>>><")
