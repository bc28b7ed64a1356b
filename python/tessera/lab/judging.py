"""Medians, spreads, whether clocks moved, rooflines, and which results are refused.

A result is refused, and does not take part in the choice, if it is faster than the device can be (then something else was measured
than thought), or if the clocks moved while it was measured.
"""
import math

ABOVE = {"cuda": 1.15, "cpu": 2.0}  # how far above the measured ceiling a rate may be before it is refused


def quantile(samples, fraction):
    ordered = sorted(samples)
    place = fraction * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summary(found):
    """{"median_us", "spread", "least_us", "samples", "warm_us", "warm_spread"} of {"cold": [...], "warm": [...]}"""
    cold, warm = found["cold"], found["warm"]
    result = {"median_us": quantile(cold, 0.5), "least_us": min(cold), "spread": spread(cold), "samples": len(cold)}
    if warm:
        result.update(warm_us=quantile(warm, 0.5), warm_spread=spread(warm))
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in result.items()}


def spread(samples):
    """Half the distance of the quartiles, relative to the median."""
    middle = quantile(samples, 0.5)
    return (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / middle if middle else 0.0


def steady_rounds(beats, rounds, allowed):
    """The rounds between two beats of the metronome that are close to its median: these count."""
    if len(beats) != rounds + 1:
        return list(range(rounds))
    middle = quantile(beats, 0.5)
    near = [1 / allowed <= beat / middle <= allowed for beat in beats]
    return [i for i in range(rounds) if near[i] and near[i + 1]]


def steadiness(beats, kept, rounds):
    """(whether enough rounds count, why not)"""
    if 2 * len(kept) >= rounds:
        return True, None
    return False, (f"the same arithmetic took between {min(beats):.1f} and {max(beats):.1f} us: the clocks moved, and only {len(kept)} of "
                   f"{rounds} rounds count")


def least_seconds(facts, ceilings, dtype):
    """(the least time that the ceilings allow, what bounds it: "memory" or "arithmetic")"""
    memory = facts.get("bytes", 0) / ceilings["copy"]
    rates = ceilings.get("matmul", {})
    rate = rates.get(dtype) or max(rates.values(), default=0.0)
    arithmetic = facts.get("flops", 0) / rate if rate else 0.0
    is_thin = facts.get("flops", 0) <= facts.get("bytes", 0)  # no device does less than one operation per byte
    return (memory, "memory") if memory >= arithmetic or is_thin else (arithmetic, "arithmetic")


def judge(entry, size, ceilings, device, cache_bytes):
    """Adds rates, percent of the ceiling and refusals to a contestant's entry of a size."""
    facts, dtype = size["facts"], size["case"].get("dtype")
    seconds = entry["median_us"] / 1e6
    least, bound = least_seconds(facts, ceilings, dtype)
    entry["gbytes_per_s"] = float(f"{facts.get('bytes', 0) / seconds / 1e9:.5g}")
    entry["tflops"] = float(f"{facts.get('flops', 0) / seconds / 1e12:.5g}")
    entry["ceiling"] = round(least / seconds, 4)
    refusals = []
    top = max(ceilings["copy"], ceilings.get("read", 0)) / ceilings["copy"] if bound == "memory" else 1.0
    in_cache = device == "cpu" and facts.get("bytes", 0) < 2 * cache_bytes
    if entry["ceiling"] > ABOVE[device] * top and not in_cache:
        refusals.append(f"above the roofline: {entry['ceiling']:.0%} of the measured {bound} ceiling")
    if size["clocks"] and not size["clocks"]["steady"]:
        refusals.append(size["clocks"]["why"])
    if refusals:
        entry["refused"] = "; ".join(refusals)
    return bound


def usable(entry):
    return entry is not None and "failed" not in entry and "refused" not in entry


def choice(size):
    """The fastest version of a size under Tessera, by the cold median; None if none is usable."""
    able = {name: e["median_us"] for name, e in size["contestants"].items() if name.startswith("tessera:") and usable(e)}
    return min(able, key=able.get).partition(":")[2] if able else None


def speedups(record, contestant, other="torch"):
    """{size: how many times faster a contestant is than another one}"""
    found = {}
    for name, size in record["sizes"].items():
        ours, theirs = size["contestants"].get(contestant), size["contestants"].get(other)
        if usable(ours) and usable(theirs):
            found[name] = theirs["median_us"] / ours["median_us"]
    return found


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
