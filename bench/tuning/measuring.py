"""Measures all configurations of a kernel, and writes tables of them."""
import json
import random
import sys
import time

QUANTILES = (0.05, 0.2, 0.5, 0.8, 0.95)


def samples_of(anchor, rounds):
    """[milliseconds] of the processor for each configuration, measured in turns; the kernel's result is checked."""
    configs, samples = anchor.configs(), []
    for config in configs:
        anchor.out[...] = 0
        anchor.launch(config)
        if not anchor.is_right():
            sys.exit(f"{anchor.kernel.__name__} with {config} computes something else")
        samples.append([])
    for number in range(rounds):
        order = list(range(len(configs)))
        random.Random(number).shuffle(order)
        for index in order:
            anchor.launch(configs[index])
            for _ in range(2):
                begin = time.process_time()
                anchor.launch(configs[index])
                samples[index].append((time.process_time() - begin) * 1e3)
    return samples


def time_of(samples):
    """The lower quartile: other work on the machine makes samples longer, never shorter."""
    return sorted(samples)[len(samples) // 4]


def noise_of(samples):
    """Quantiles of all samples, relative to the time of their configuration."""
    relative = sorted(each / time_of(found) for found in samples for each in found)
    return [round(relative[int(fraction * (len(relative) - 1))], 4) for fraction in QUANTILES]


def write_tables(path, tables):
    """One line for each table: times in microseconds, and the facts in columns."""
    lines = []
    for table in tables:
        names = sorted({name for facts in table["facts"] for name in facts if name != "code"})
        codes = [facts.get("code") for facts in table["facts"]]
        lines.append(json.dumps({"kernel": table["kernel"], "key": table["key"], "space": table["space"], "noise": noise_of(table["samples"]),
                                 "us": [round(time_of(found) * 1e3, 1) for found in table["samples"]],
                                 "code": [codes.index(code) for code in codes],
                                 **{name: [facts.get(name) for facts in table["facts"]] for name in names}}, separators=(",", ":")))
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
