"""The tables of bench/cpu/run, from the records that its processes print."""
import os


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}" if seconds < 0.1 else f"{seconds * 1e3:.1f}"


def fastest(ways, key="best"):
    """(name, seconds) of the fastest way."""
    name = min(ways, key=lambda way: ways[way][key])
    return name, ways[name][key]


def reason(record):
    return record["failed"].splitlines()[0].split(": ", 1)[-1]


def comparison(records, peer):
    """`records`: {threads: [record]}, the same cases for each. A row a case; ratios above 1: we are faster."""
    heads = "".join(f" {threads} thread{'s' if threads > 1 else ''}: {peer}, ms | Tessera, ms | ratio | of medians |"
                    for threads in records)
    lines = [f"| operator | shape |{heads} Tessera's rate |", "|---|---|" + "---:|---:|---:|---:|" * len(records) + "---:|"]
    for rows in zip(*records.values()):
        cells, rate = [], "-"
        for row in rows:
            if "failed" in row:
                cells += ["-", reason(row), "-", "-"]
                continue
            theirs, ours = fastest(row["peer"])[1], fastest(row["tessera"])[1]
            medians = fastest(row["peer"], "median")[1] / fastest(row["tessera"], "median")[1]
            cells += [milliseconds(theirs), milliseconds(ours), f"**{theirs / ours:.2f}**", f"{medians:.2f}"]
            rate = f"{row['work'] / ours / 1e9:.0f} {row['unit']}"
        lines.append(f"| {rows[0]['name']} | {rows[0]['shape']} | " + " | ".join(cells) + f" | {rate} |")
    return lines


def ways(records):
    """Which way of each side was the fastest, and what else was measured."""
    lines = ["| operator | shape | threads | compared with | Tessera's configuration | for information |", "|---|---|---:|---|---|---|"]
    for threads, rows in records.items():
        for row in rows:
            if "failed" in row:
                continue
            ours = fastest(row["tessera"])
            others = "; ".join(f"{name} {milliseconds(times['best'])} ms, ratio {times['best'] / ours[1]:.2f}"
                               for name, times in row["other"].items())
            lines.append(f"| {row['name']} | {row['shape']} | {threads} | {fastest(row['peer'])[0]} | {ours[0]} | {others or '-'} |")
    return lines


def compile_times(rows):
    lines = ["| kernel | median ms | frontend | make_ttir | make_llir | make_obj | load | fastest ms | signature |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---|"]
    for row in rows:
        if "failed" in row:
            lines.append(f"| {row['name']} | {reason(row)} | | | | | | | `{row['signature']}` |")
            continue
        columns = [row["seconds"][key] for key in ("whole", "frontend", "make_ttir", "make_llir", "make_obj", "load")] + [row["fastest"]]
        cells = " | ".join(f"{seconds * 1e3:.1f}" for seconds in columns)
        lines.append(f"| {row['name']} | {cells} | `{shortened(row['signature'])}` |")
    return lines + block_growth(rows)


def shortened(signature):
    return signature if len(signature) <= 60 else f"{signature[:28]}...{signature[-28:]}"


def block_growth(rows):
    blocks = [row for row in rows if row["name"].startswith("block of") and "failed" not in row]
    if len(blocks) < 2:
        return []
    first, last = blocks[0], blocks[-1]
    ratio = last["seconds"]["whole"] / first["seconds"]["whole"]
    size = last.get("object", 0) / first["object"] if first.get("object") else 0
    return ["", f"The {last['name']} takes {ratio:.2f} times as long to compile as the {first['name']}"
            + (f", and its object has {size:.2f} times the bytes." if size else ".")]


def launches(record):
    lines = ["| kernel | programs | arguments | median ns | fastest | 99 of 100 below |", "|---|---:|---:|---:|---:|---:|"]
    lines += [f"| {row['kernel']} | {row['grid'] or '-'} | {row['arguments']} | {row['median']:.0f} | {row['fastest']:.0f} | {row['p99']:.0f} |"
              for row in record["launches"]]
    return lines


def shortfalls(kind, records, goal):
    """The cases that miss their goal, or one line that none does."""
    missed = []
    for threads, rows in records.items():
        for row in rows:
            ratio = 0 if "failed" in row else fastest(row["peer"])[1] / fastest(row["tessera"])[1]
            if ratio < goal(row):
                missed.append(f"{row['name']} {row['shape']} at {threads} thread{'s' if threads > 1 else ''}: "
                              + (reason(row) if "failed" in row else f"{ratio:.2f}, goal {goal(row)}"))
    return [f"Goals missed ({kind}): " + "; ".join(missed) + "."] if missed else [f"Every goal is met ({kind})."]


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")


def folder_name(date):
    """2026-11-15-xeon-2-cores"""
    words = [word.lower() for word in processor().replace("(R)", " ").replace("(TM)", " ").split()]
    known = [word for word in ("xeon", "epyc", "ryzen", "core", "threadripper") if word in words]
    return f"{date}-{known[0] if known else 'cpu'}-{os.cpu_count()}-cores"
