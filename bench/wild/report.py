"""The outcomes of bench/wild as a table sorted by ratio, a histogram (SVG) and JSON."""
import collections
import json
import math
import os

WRONG = ("wrong", "fails", "differs")


def least_per_launch(calls):
    """For each launch of a call the least of the repetitions."""
    lengths = {len(call) for call in calls}
    if len(lengths) != 1:
        return []
    return [(calls[0][i][0], min(call[i][1] for call in calls)) for i in range(lengths.pop())]


def gpu_us(outcome):
    """GPU time of an operator's own kernels per call: the sum over its launches of the least time, in microseconds."""
    rounds = outcome.get("kernels", [])
    if not rounds:
        return None
    if any(r.get("uneven") for r in rounds):
        return min(sum(us for call in r["calls"] for _, us in call) / r["of"] for r in rounds) or None
    return sum(us for _, us in least_per_launch([call for r in rounds for call in r["calls"]])) or None


def per_kernel(outcome):
    """Name of a kernel: [launches, microseconds] per call."""
    table = collections.defaultdict(lambda: [0, 0.0])
    for name, us in least_per_launch([call for r in outcome.get("kernels", []) for call in r["calls"]]):
        table[name][0] += 1
        table[name][1] += us
    return {name: [count, round(us, 2)] for name, (count, us) in table.items()}


def host_us(outcome, key):
    return min((h[key] for h in outcome.get("host", [])), default=None)


# ---- rows -----------------------------------------------------------------------------------------

def verdict(checks, times):
    """(word, sentence) on the results of the two compilers."""
    ours, theirs = checks["tessera"], checks["triton"]
    if not ours and not theirs:
        return "not run", ""
    if theirs and not theirs["ok"] and ours and not ours["ok"]:
        return "neither", f"{theirs['error']} // {ours['error']}"
    if ours and not ours["ok"]:
        return "Tessera fails", ours["error"]
    if times["tessera"] and not times["tessera"]["ok"]:
        return "Tessera fails", "second run: " + times["tessera"]["error"]
    if theirs and not theirs["ok"]:
        return "Triton fails", theirs["error"]
    if times["triton"] and not times["triton"]["ok"]:
        return "Triton fails", "second run: " + times["triton"]["error"]
    if not ours:
        return "not run", ""
    mine, its = ours.get("against_reference"), (theirs or {}).get("against_reference", "agrees")
    if mine and mine != "agrees":
        return ("wrong", mine) if its == "agrees" else ("both differ", f"{its} // {mine}")
    if its != "agrees":
        return "Triton wrong", its
    return between(ours, times, mine)


def between(ours, times, reference):
    unstable = [t[c] for t in times.values() if t for c in ("against_itself",) if t.get(c, "agrees") != "agrees"]
    other = ours.get("against_other", "agrees")
    if other != "agrees" and reference != "agrees":
        return ("unstable", other) if unstable else ("differs", other)
    return ("unstable", unstable[0]) if unstable else ("right" if reference else "same", "")


def row(name, store):
    checks = {c: store.read(name, c, "check") for c in ("triton", "tessera")}
    times = {c: store.read(name, c, "time") for c in ("triton", "tessera")}
    word, why = verdict(checks, times)
    made = {"name": name, "verdict": word, "why": why, "dot": any(c and c.get("dot") for c in checks.values())}
    for compiler, outcome in times.items():
        if outcome and outcome["ok"]:
            made[compiler] = {"gpu_us": gpu_us(outcome), "queued_us": host_us(outcome, "queued_us"),
                              "waited_us": host_us(outcome, "waited_us"), "kernels": per_kernel(outcome)}
    for key in ("gpu_us", "queued_us", "waited_us"):
        pair = [made.get(c, {}).get(key) for c in ("triton", "tessera")]
        made["ratio_" + key[:-3]] = pair[1] / pair[0] if all(pair) else None
    return made


# ---- text -----------------------------------------------------------------------------------------

def number(value, digits=1):
    return "" if value is None else f"{value:.{digits}f}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def summary(rows):
    ratios = [r["ratio_gpu"] for r in rows if r["ratio_gpu"]]
    waited = [r["ratio_waited"] for r in rows if r["ratio_waited"]]
    words = collections.Counter(r["verdict"] for r in rows)
    slow = [r for r in rows if (r["ratio_gpu"] or 0) > 1.3]
    return {"operators": len(rows), "timed": len(ratios), "geometric_mean_gpu": geometric_mean(ratios),
            "geometric_mean_whole_call": geometric_mean(waited), "over_1.3": len(slow),
            "over_1.3_without_dot": sum(not r["dot"] for r in slow), "over_2": sum(r["ratio_gpu"] > 2 for r in slow),
            "whole_call_over_1.1": sum(r > 1.1 for r in waited), "verdicts": dict(words)}


def table(rows):
    lines = ["| operator | GPU: Triton µs | Tessera µs | ratio | call: Triton µs | Tessera µs | ratio | queued: ratio | results |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---|"]
    for r in sorted(rows, key=lambda r: -(r["ratio_gpu"] or 0)):
        theirs, ours = r.get("triton", {}), r.get("tessera", {})
        cells = [r["name"] + (" ·" if r["dot"] else ""), number(theirs.get("gpu_us")), number(ours.get("gpu_us")),
                 number(r["ratio_gpu"], 2), number(theirs.get("waited_us")), number(ours.get("waited_us")),
                 number(r["ratio_waited"], 2), number(r["ratio_queued"], 2), r["verdict"]]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def problems(rows):
    lines = []
    for r in rows:
        if r["why"]:
            lines.append(f"- `{r['name']}`: {r['verdict']}: {r['why']}".replace("\n", " ")[:700])
    return ["", "## What failed or differs", "", *lines] if lines else []


def markdown(rows, facts):
    s = summary(rows)
    head = ["# Tessera against Triton on programs that nobody tuned for", "",
            ", ".join(f"{k} {v}" for k, v in facts.items()) + ".", "",
            f"{s['operators']} operators, {s['timed']} timed under both. GPU time: geometric mean {s['geometric_mean_gpu']:.3f} of Triton's;"
            f" {s['over_1.3']} over 1.3 ({s['over_1.3_without_dot']} of them without a matrix product), {s['over_2']} over 2."
            f" Whole call, waited for: geometric mean {s['geometric_mean_whole_call']:.3f}, {s['whole_call_over_1.1']} over 1.1.",
            "Results: " + ", ".join(f"{n} {w}" for w, n in sorted(s["verdicts"].items(), key=lambda x: -x[1])) + ".", "",
            "![ratios](wild.svg)", "",
            "GPU time is that of the operator's own kernels, the least of several repetitions for each launch. `·` marks operators with a",
            "matrix product. Results: *right* agrees with torch's, *same* with Triton's where there is no reference.", ""]
    return "\n".join(head + table(rows) + problems(rows)) + "\n"


# ---- picture --------------------------------------------------------------------------------------

STEP = 0.125  # width of a bar in powers of two


def histogram(rows):
    """Bars of the logarithm of the ratio; what is faster than Triton's lies to the left."""
    bins = collections.Counter(math.floor(math.log2(r["ratio_gpu"]) / STEP) for r in rows if r["ratio_gpu"])
    low, high = min([*bins, -8]), max([*bins, 8])
    width, height, left, base = 860, 320, 50, 270
    unit, tallest = (width - left - 20) / (high - low + 1), max([*bins.values(), 1])
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{left}" y="20" font-size="14">GPU time, Tessera / Triton, number of operators</text>']
    for index in range(low, high + 1):
        tall = bins[index] / tallest * (base - 40)
        colour = "#3a8" if index < 0 else "#c84" if index * STEP < math.log2(1.3) else "#c33"
        x = left + (index - low) * unit
        if bins[index]:
            parts.append(f'<rect x="{x:.1f}" y="{base - tall:.1f}" width="{unit - 1:.1f}" height="{tall:.1f}" fill="{colour}">'
                         f'<title>{2 ** (index * STEP):.2f} to {2 ** ((index + 1) * STEP):.2f}: {bins[index]}</title></rect>')
            parts.append(f'<text x="{x + unit / 2:.1f}" y="{base - tall - 4:.1f}" text-anchor="middle" font-size="10">{bins[index]}</text>')
        if index % 8 == 0:
            parts.append(f'<line x1="{x:.1f}" y1="{base}" x2="{x:.1f}" y2="{base + 6}" stroke="black"/>'
                         f'<text x="{x:.1f}" y="{base + 20}" text-anchor="middle">{2 ** (index * STEP):g}</text>')
    parts += [f'<line x1="{left}" y1="{base}" x2="{width - 20}" y2="{base}" stroke="black"/>', "</svg>"]
    return "\n".join(parts) + "\n"


def write(folder, rows, facts):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "wild.md"), "w", encoding="utf-8") as file:
        file.write(markdown(rows, facts))
    with open(os.path.join(folder, "wild.svg"), "w", encoding="utf-8") as file:
        file.write(histogram(rows))
    with open(os.path.join(folder, "wild.json"), "w", encoding="utf-8") as file:
        json.dump({"machine": facts, "summary": summary(rows), "rows": rows}, file, indent=1, ensure_ascii=False)
