"""Phase 4 in words: which version was chosen, what each step between versions bought, and who is faster and why.

Every sentence comes from measured facts of a record: times, bytes, registers, spills, occupancy, configurations.
"""
from . import judging
from .screen import amount, duration, shown_name

CLOSE = 0.03  # differences below this share are called equal
FAR = 0.2  # of the ceiling: below it, the ceiling is not what bounds a version
SHORT_US = 20.0  # below this a launch's fixed cost counts


def versions_of(record):
    """The versions that took part, in order."""
    seen = {}
    for size in record["sizes"].values():
        for name in size["contestants"]:
            if name.startswith("tessera:"):
                seen[name.partition(":")[2]] = None
    return list(seen)


def others(record):
    """torch, torch.compile and the rivals, as far as they took part."""
    seen = [name for size in record["sizes"].values() for name in size["contestants"] if name.startswith("torch")]
    return list(dict.fromkeys(["torch", "torch.compile", *seen]))


def usable(record, size, contestant):
    entry = record["sizes"][size]["contestants"].get(contestant)
    return entry if judging.usable(entry) else None


def largest_size(record):
    """The last size that has a choice."""
    able = [size for size, told in record["sizes"].items() if told.get("best")]
    return able[-1] if able else None


def chosen_version(record):
    """The version with the best geometric mean of speedups over the slowest one of each size; None if none is usable."""
    totals = {}
    for version in versions_of(record):
        times = [usable(record, size, "tessera:" + version) for size in record["sizes"]]
        if times and all(times):
            totals[version] = judging.geometric_mean(entry["median_us"] for entry in times)
    if not totals:
        size = largest_size(record)
        return record["sizes"][size]["best"] if size else None
    return min(totals, key=totals.get)


def sentences(record):
    """The analysis: a list of sentences."""
    found = choice_sentences(record)
    size = largest_size(record)
    if size:
        found += step_sentences(record, size)
        found += ceiling_sentences(record, size)
    for other in others(record):
        found += against(record, other)
    found += against_triton(record)
    found += refusals(record)
    return found + left_out(record)


def choice_sentences(record):
    picks = {}
    for size, version in record["choice"].items():
        picks.setdefault(version, []).append(size)
    parts = [f"{version} at {', '.join(sizes)}" for version, sizes in picks.items() if version]
    if not parts:
        return ["No version is usable at any size."]
    return ["The fastest version is " + "; ".join(parts) + "."]


def step_sentences(record, size):
    """What each version bought over the one before it, at one size."""
    found, before = [], None
    for version in versions_of(record):
        entry = usable(record, size, "tessera:" + version)
        if entry is None:
            continue
        if before:
            found.append(step(before, (version, entry), size))
        before = (version, entry)
    return found


def step(old, new, size):
    ratio = old[1]["median_us"] / new[1]["median_us"]
    if abs(ratio - 1) < CLOSE:
        verb = f"is as fast as {old[0]}"
    else:
        verb = f"is {ratio:.2f} × as fast as {old[0]}" if ratio > 1 else f"is slower than {old[0]}: {ratio:.2f} × its speed"
    changes = differences(old[1], new[1])
    return f"At {size}, {new[0]} {verb}" + (f" ({changes})" if changes else "") + "."


def differences(old, new):
    """What changed between two versions' heaviest kernels: registers, spills, occupancy, shared memory, configuration."""
    if len(old["kernels"]) != len(new["kernels"]):
        start = f"{count(len(old['kernels']), 'kernel')} -> {len(new['kernels'])}"
    else:
        start = ""
    parts = [start] if start else []
    if old["kernels"] and new["kernels"]:
        a, b = old["kernels"][0], new["kernels"][0]
        for name, text in (("registers", "registers"), ("spills", "spills"), ("shared", "bytes of shared memory"), ("num_warps", "warps")):
            if a.get(name) is not None and b.get(name) is not None and a[name] != b[name]:
                parts.append(f"{text} {a[name]} -> {b[name]}")
        if a.get("occupancy") and b.get("occupancy") and a["occupancy"] != b["occupancy"]:
            parts.append(f"occupancy {a['occupancy']:.0%} -> {b['occupancy']:.0%}")
        parts += [f"{name} {a['constants'].get(name, '-')} -> {value}" for name, value in b["constants"].items()
                  if name.startswith(("BLOCK", "TILE", "SPLIT")) and a["constants"].get(name) != value]
    return ", ".join(parts[:6])


def count(number, noun):
    return f"{number} {noun}" + ("" if number == 1 else "s")


def ceiling_sentences(record, size):
    told = record["sizes"][size]
    entry = usable(record, size, "tessera:" + told["best"])
    rate = f"{amount(entry['gbytes_per_s'] * 1e9, 'B/s')}" if told["bound"] == "memory" else f"{amount(entry['tflops'] * 1e12, 'FLOP/s')}"
    ceiling = "of a copy's bandwidth" if told["bound"] == "memory" else "of torch.matmul's rate"
    if entry["ceiling"] >= FAR:
        found = [f"At {size} the operator is bound by {told['bound']}: {told['best']} reaches {rate}, {entry['ceiling']:.0%} {ceiling} as measured in the same run."]
    else:
        found = [f"At {size} neither memory nor arithmetic is the limit: {told['best']} reaches {rate}, {entry['ceiling']:.0%} {ceiling}. Launches, cold "
                 "code and dependent accesses take most of the time."]
    spilling = [k for k in entry["kernels"] if k.get("spills")]
    if spilling:
        found.append(f"{told['best']} spills {spilling[0]['spills']} registers in {spilling[0]['name']}.")
    if entry.get("warm_us") and entry["median_us"] / entry["warm_us"] > 1.25:
        found.append(f"With its inputs in the L2 cache it takes {duration(entry['warm_us'])} instead of {duration(entry['median_us'])}.")
    return found


def against(record, other):
    """Where the chosen version wins and loses against torch."""
    wins, losses = [], []
    for size, told in record["sizes"].items():
        ours = usable(record, size, f"tessera:{told['best']}") if told.get("best") else None
        theirs = usable(record, size, other)
        if not ours or not theirs:
            continue
        ratio = theirs["median_us"] / ours["median_us"]
        (wins if ratio >= 1 - CLOSE else losses).append((size, ratio, ours))
    found = []
    if wins:
        found.append(f"Against {shown_name(other)}: " + ", ".join(f"{ratio:.2f} × at {size}" for size, ratio, _ in wins) + ".")
    for size, ratio, ours in losses:
        reason = why_slower(record["sizes"][size], ours)
        found.append(f"It loses to {shown_name(other)} at {size}: {ratio:.2f} × its speed" + (f"; {reason}" if reason else "") + ".")
    return found


def why_slower(size, ours):
    """The measured fact that explains a loss best."""
    if any(kernel.get("spills") for kernel in ours["kernels"]):
        return "its kernel spills registers"
    if ours["median_us"] < SHORT_US:
        return f"at {duration(ours['median_us'])} the fixed cost of a launch counts"
    if len(ours["kernels"]) > 1:
        return f"it launches {len(ours['kernels'])} kernels"
    if size["bound"] == "memory" and ours["ceiling"] < 0.8:
        return f"it moves data at {ours['ceiling']:.0%} of a copy's bandwidth"
    if size["bound"] == "arithmetic":
        return f"it computes at {ours['ceiling']:.0%} of torch.matmul's rate"
    return ""


def against_triton(record):
    """The same file under Triton: the geometric mean, and the sizes where Triton is faster."""
    ratios, slower = [], []
    for size, told in record["sizes"].items():
        for version in versions_of(record):
            ours, theirs = usable(record, size, "tessera:" + version), usable(record, size, "triton:" + version)
            if ours and theirs:
                ratio = theirs["median_us"] / ours["median_us"]
                ratios.append(ratio)
                if ratio < 1 - CLOSE:
                    slower.append(f"{version} at {size} ({ratio:.2f} ×)")
    if not ratios:
        return []
    text = f"The same files under Triton: Tessera is {judging.geometric_mean(ratios):.2f} × as fast in the geometric mean of {len(ratios)} pairs"
    return [text + (f"; Triton is faster for {', '.join(slower[:6])}" + (f" and {len(slower) - 6} more" if len(slower) > 6 else "") if slower else "") + "."]


def refusals(record):
    """What does not count, one sentence for each reason; a reason that all sizes share is said once."""
    reasons = {}
    for size, told in record["sizes"].items():
        for name, entry in told["contestants"].items():
            reason = entry.get("refused") or entry.get("failed")
            if reason:
                names, sizes = reasons.setdefault(reason, ({}, {}))
                names[shown_name(name)] = sizes[size] = None
    return [f"Not counted at {', '.join(sizes)}: {', '.join(names)}: {reason.rstrip('.')}." for reason, (names, sizes) in reasons.items()]


def left_out(record):
    """Sizes and versions that a budget left out."""
    sizes, versions = {}, {}
    for size, why in record.get("left_out", {}).items():
        sizes.setdefault(why, []).append(size)
    for version, told in record["correctness"].items():
        if "left_out" in told:
            versions.setdefault(told["left_out"], []).append(version)
    return ([f"Not measured: {', '.join(names)}: {why}." for why, names in sizes.items()]
            + [f"Not measured: {', '.join(names)}: {why}." for why, names in versions.items()])
