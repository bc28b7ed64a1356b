"""logs/OP_log.md, from assets/log_template.md: Phases 1 to 4 with their checklist. ./assets/log_template.md replaces the lab's own."""
import os
import re

from . import analysis, judging, summary
from .operators import SIZES, USUAL, label
from .screen import KINDS, amount, duration, shown_name

HERE = os.path.dirname(os.path.abspath(__file__))


def template():
    for folder in ("assets", os.path.join(HERE, "assets")):
        path = os.path.join(folder, "log_template.md")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError("log_template.md")


def write_log(logs, found):
    """Writes the log of the newest record; returns its path."""
    path = os.path.join(logs, found.operator.name + "_log.md")
    fields = all_fields(found)
    text = re.sub(r"\{(\w+)\}", lambda match: str(fields.get(match[1], match[0])), template())
    text = re.sub(r"\n{3,}", "\n\n", text)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)
    return path


def markdown_table(head, rows, align=None):
    align = align or ["---"] + ["---:"] * (len(head) - 1)
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(align) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows])


def mark(is_done):
    return "x" if is_done else " "


def all_fields(found):
    record, operator = found.record, found.operator
    sizes, device = record["sizes"], record["device"]
    steady = all(not any("refused" in e for e in size["contestants"].values()) for size in sizes.values())
    chosen = analysis.chosen_version(record)
    passed = {version: told["ok"] for version, told in record["correctness"].items()}
    fields = {
        "op": operator.name, "records": f"[{operator.name}.json]({operator.name}.json)",
        "picture": f"![speed over size, and the roofline]({operator.name}.svg)",
        "torch": operator.about.get("torch", operator.name), "definition": operator.about.get("definition", ""),
        "date": record["date"][:10], "op_doc": found.about.get("op_doc", ""), "command": record["command"], "device": device_text(record),
        "bound": bounds(sizes), "facts_table": facts_table(sizes), "ceilings": ceilings_text(record), "clocks": clocks_text(sizes, device),
        "versions": versions_text(found), "correctness_table": correctness_table(record), "failures": failures(record),
        "times_table": times_table(record), "rates_table": rates_table(record),
        "refused_note": "" if steady else "*Refused* results (see the analysis) do not count.", "chosen": chosen or "none", "speedup": speedup_text(record, chosen),
        "analysis": "\n".join("  - " + sentence for sentence in analysis.sentences(record)), "rivals": rivals(record)}
    fields.update(done_1=mark(operator.about.get("definition") and sizes), done_2=mark(all(v in passed for v in USUAL)),
                  done_3a=mark(passed and all(passed.values())), done_3b=mark(steady and all(s in sizes for s in SIZES)),
                  done_4=mark(sizes and all(size.get("best") for size in sizes.values())),
                  done_san=mark(passed and all(told.get("sanitizer", {}).get("ok") for told in record["correctness"].values())))
    return fields


def device_text(record):
    device, versions = record["device"], record["versions"]
    parts = [device.get("name", device["type"])]
    parts.append(analysis.count(device['threads'], "thread") if device["type"] == "cpu" else f"CUDA {device.get('cuda')}")
    parts += [f"driver {device['driver']}"] if "driver" in device else []
    parts.append(f"Tessera {versions['tessera']}, torch {versions['torch']}")
    parts += [f"Triton {versions['triton']}"] if versions.get("triton") else []
    return ", ".join(parts) + f", {record['date']}"


def bounds(sizes):
    found = {}
    for name, size in sizes.items():
        if size.get("bound"):
            found.setdefault(size["bound"], []).append(name)
    if len(found) == 1:
        return f"{next(iter(found))} at every size"
    return ", ".join(f"{bound} at {', '.join(names)}" for bound, names in found.items()) or "not known"


def facts_table(sizes):
    rows = [[name, label(size["case"]), amount(size["facts"]["bytes"], "B"), amount(size["facts"]["flops"], "FLOP"), size.get("bound", "")]
            for name, size in sizes.items()]
    return markdown_table(["Size", "Case", "Bytes moved at least", "Operations", "Bound by"], rows, ["---", "---", "---:", "---:", "---"])


def ceilings_text(record):
    ceilings = record["ceilings"]
    rates = ", ".join(f"{amount(rate, 'FLOP/s')} in {dtype}" for dtype, rate in ceilings["matmul"].items())
    return (f"What the device does, measured in the same run: a copy moves {amount(ceilings['copy'], 'B/s')}, a reduction reads "
            f"{amount(ceilings['read'], 'B/s')}, torch.matmul computes {rates}.")


def clocks_text(sizes, device):
    """Clocks, temperature and power while the sizes were measured, and how many rounds count."""
    read = [told["clocks"].get(when, {}) for told in sizes.values() for when in ("before", "after")]

    def span(name, unit):
        values = [each[name] for each in read if name in each]
        if not values:
            return ""
        return (f"{min(values):.0f}" if min(values) == max(values) else f"{min(values):.0f} to {max(values):.0f}") + f" {unit}"
    most = f" of at most {device['highest_clock']:.0f} MHz" if "highest_clock" in device else ""
    parts = [("SM clock ", "clocks.sm", "MHz", most), ("memory clock ", "clocks.mem", "MHz", ""), ("", "temperature.gpu", "°C", ""), ("", "power.draw", "W", "")]
    found = [before + span(name, unit) + after for before, name, unit, after in parts if span(name, unit)]
    kept, rounds = (sum(told["clocks"]["rounds"][i] for told in sizes.values()) for i in (0, 1))
    found.append(f"{kept} of {rounds} rounds had steady clocks")
    return "While measuring: " + ", ".join(found) + "."


def versions_text(found):
    parts = []
    for version, told in found.versions.items():
        name = summary.title(told["doc"], version)
        rest = "\n".join(told["doc"].split("\n")[1:]).strip()
        parts.append(f"### {version}: {name}\n{rest}\n" if rest else f"### {version}: {name}\n")
        configs = {kernel: given for kernel, given in told["configurations"].items() if given}
        parts += [f"- {kernel}: {analysis.count(len(given), 'configuration')}: " + "; ".join(config_text(c) for c in given[:8])
                  + (" …" if len(given) > 8 else "") for kernel, given in configs.items()]
        parts.append("")
    return "\n".join(parts)


def config_text(config):
    return " ".join(f"{name}={value}" for name, value in config.items())


def correctness_table(record):
    rows = []
    for version, told in record["correctness"].items():
        cells = []
        for step in ("sanitizer", "device"):
            outcome = told.get(step)
            cells.append("not run" if outcome is None else f"passed, {outcome['cases']} cases" if outcome["ok"] else
                         f"**failed** at case {outcome['passed'] + 1} of {outcome['cases']}")
        worst = (told.get("device") or {}).get("worst")
        rows.append([version, *cells, f"{worst:.1e}" if worst is not None else ""])
    return markdown_table(["Version", "Under the sanitizer (CPU)", "On the device", "Largest relative error"], rows, ["---", "---", "---", "---:"])


def failures(record):
    parts = []
    for version, told in record["correctness"].items():
        if "failed" in told:
            failed = told["failed"]
            kind = KINDS.get(failed["what"], failed["what"])
            parts.append(f"**{version}** is left out: {kind}, case {failed['case']}, seed {failed['seed']}:\n```\n{str(failed['message']).rstrip()}\n```\n")
    return "\n".join(parts)


def times_table(record):
    rows = []
    for name, entries, speedup in summary.time_rows(record):
        cells = []
        for size, entry in zip(record["sizes"], entries):
            text = summary.cell(entry)
            if judging.usable(entry):
                text += f" ±{entry['spread']:.0%}"
            cells.append(f"**{text}**" if name == f"tessera:{record['sizes'][size].get('best')}" else text)
        rows.append([shown_name(name), *cells, f"{speedup:.2f}x" if speedup else "-"])
    return markdown_table(["Kernel", *record["sizes"], "Speedup"], rows)


def rates_table(record):
    """A table of Tessera's versions: rate, percent of the ceiling, warm time, registers, configuration at each size."""
    rows = []
    for size, told in record["sizes"].items():
        for name, entry in told["contestants"].items():
            if name.startswith("tessera:") and "failed" not in entry:
                rate = amount(entry["gbytes_per_s"] * 1e9, "B/s") if told["bound"] == "memory" else amount(entry["tflops"] * 1e12, "FLOP/s")
                kernel = entry["kernels"][0] if entry["kernels"] else {}
                config = "; ".join(config_text(c) for c in entry["config"].values()) or config_text(kernel.get("constants", {}))
                rows.append([size, shown_name(name), rate, f"{entry['ceiling']:.0%}", duration(entry["warm_us"]) if entry.get("warm_us") else "-",
                             registers(kernel), config])
    head = ["Size", "Kernel", "Rate", "Of the ceiling", "Warm L2", "Registers, spills, shared, occupancy", "Configuration"]
    return markdown_table(head, rows, ["---", "---", "---:", "---:", "---:", "---", "---"])


def registers(kernel):
    if not kernel.get("registers"):
        return ""
    occupancy = f", {kernel['occupancy']:.0%}" if kernel.get("occupancy") else ""
    return f"{kernel['registers']}, {kernel.get('spills')}, {kernel.get('shared')}{occupancy}"


def speedup_text(record, chosen):
    if not chosen:
        return "none"
    ratios = judging.speedups(record, "tessera:" + chosen)
    if not ratios:
        return "torch was not measured"
    return f"{judging.geometric_mean(ratios.values()):.2f}x (" + ", ".join(f"{size} {ratio:.2f}x" for size, ratio in ratios.items()) + ")"


def rivals(record):
    names = {name for size in record["sizes"].values() for name, e in size["contestants"].items() if "failed" not in e}
    found = [shown_name(name) for name in analysis.others(record) if name in names]
    return ", ".join(found + (["Triton"] if any(name.startswith("triton:") for name in names) else [])) or "nothing"
