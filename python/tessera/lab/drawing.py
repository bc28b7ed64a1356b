"""logs/OP.svg: speed over size on the left, the roofline on the right. One file without scripts, for light and dark pages.

Both axes are logarithmic. Speed is relative to torch; the roofline has the measured ceilings, and a mark for each size and version.
"""
import html
import math
import os

from . import judging, summary
from .screen import amount, shown_name

WIDTH, HEIGHT = 1000, 420
LEFT = dict(x=72, y=64, w=400, h=270)
RIGHT = dict(x=564, y=64, w=400, h=270)
COLOURS = ["#8a8f98", "#4e8fd0", "#e08a3c", "#2f9e6e", "#b05cc6", "#c94f6d"]
SHAPES = {"Small": "circle", "Medium": "square", "Large": "diamond", "Final": "triangle"}
STYLE = """
text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: #24292f; }
.title { font-size: 16px; font-weight: 600; } .sub { fill: #57606a; font-size: 12px; } .axis { stroke: #8c959f; stroke-width: 1; fill: none; }
.grid { stroke: #d8dee4; stroke-width: 1; } .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; } .roof { fill: none; stroke: #57606a; stroke-width: 2; }
.back { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
 text { fill: #e6edf3; } .sub { fill: #9da7b3; } .grid { stroke: #30363d; } .axis { stroke: #6e7681; } .roof { stroke: #9da7b3; } .back { fill: #0d1117; } }
"""


def draw(logs, name, record):
    path = os.path.join(logs, name + ".svg")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(picture(name, record))
    os.replace(path + ".part", path)
    return path


def colours(record):
    """A colour for each contestant; the versions come in order."""
    versions = [n for n, _, _ in summary.time_rows(record) if n.startswith("tessera:")]
    found = {name: COLOURS[min(i, 3)] if len(versions) <= 4 else COLOURS[i % len(COLOURS)] for i, name in enumerate(versions)}
    found["torch.compile"] = COLOURS[4]
    return found


def picture(name, record):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
             f'aria-label="{html.escape(name)}: speed over size, and the roofline"><style>{STYLE}</style><rect class="back" width="{WIDTH}" height="{HEIGHT}" rx="8"/>']
    parts += speed_panel(name, record)
    parts += roofline_panel(record)
    device = f"{record['device'].get('name', '')}, {record['date'][:10]}, Tessera {record['versions']['tessera']}, torch {record['versions']['torch']}"
    parts.append(text(WIDTH - 36, HEIGHT - 14, device, "sub", "end"))
    return "\n".join(parts) + "\n</svg>\n"


def text(x, y, content, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{html.escape(str(content))}</text>'


class Scale:
    """Maps logarithms of values to coordinates."""

    def __init__(self, low, high, begin, end):
        self.low, self.high = math.log2(low), math.log2(high)
        self.begin, self.end = begin, end

    def __call__(self, value):
        share = (math.log2(value) - self.low) / (self.high - self.low or 1)
        return self.begin + share * (self.end - self.begin)


# ---- speed over size --------------------------------------------------------------------------------

def speed_lines(record):
    """{contestant: {size: speed relative to torch, or to the slowest version where torch has no time}}"""
    base = {}
    for size, told in record["sizes"].items():
        torch = told["contestants"].get("torch")
        able = [e["median_us"] for e in told["contestants"].values() if judging.usable(e)]
        if able:
            base[size] = torch["median_us"] if judging.usable(torch) else max(able)
    lines = {}
    for name, entries, _ in summary.time_rows(record):
        points = {size: base[size] / entry["median_us"] for size, entry in zip(record["sizes"], entries) if size in base and judging.usable(entry)}
        if points and name != "torch":
            lines[name] = points
    return lines


def speed_panel(name, record):
    box, lines, colour = LEFT, speed_lines(record), colours(record)
    parts = [text(box["x"] - 44, 30, f"{name}: speed relative to torch", "title"), text(box["x"] - 44, 48, "cold L2 cache; higher is faster", "sub")]
    values = [value for points in lines.values() for value in points.values()] or [1.0]
    low, high = min(0.7, min(values) / 1.15), max(1.5, max(values) * 1.15)
    up = Scale(low, high, box["y"] + box["h"], box["y"])
    sizes = list(record["sizes"])
    across = {size: box["x"] + (i + 0.5) * box["w"] / len(sizes) for i, size in enumerate(sizes)}
    for tick in speed_ticks(low, high):
        parts.append(f'<line class="{"roof" if tick == 1 else "grid"}" x1="{box["x"]}" x2="{box["x"] + box["w"]}" y1="{up(tick):.1f}" y2="{up(tick):.1f}"/>')
        parts.append(text(box["x"] - 8, up(tick) + 4, f"{tick:g}×", "sub", "end"))
    parts.append(text(box["x"] + box["w"] + 4, up(1) + 4, "torch", "sub"))
    for size, x in across.items():
        parts.append(text(x, box["y"] + box["h"] + 20, size, "", "middle"))
    for contestant, points in lines.items():
        is_triton = contestant.startswith("triton:")
        shade = colour.get(contestant.replace("triton:", "tessera:"), COLOURS[5])
        path = " ".join(f"{across[size]:.1f},{up(value):.1f}" for size, value in points.items())
        dash = ' stroke-dasharray="3 4" opacity="0.75"' if is_triton else ""
        parts.append(f'<polyline class="line" stroke="{shade}"{dash} points="{path}"/>')
        if not is_triton:
            parts += [f'<circle cx="{across[s]:.1f}" cy="{up(v):.1f}" r="4" fill="{shade}"/>' for s, v in points.items()]
    return parts + legend(lines, colour)


def speed_ticks(low, high):
    ticks = [t for t in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= t <= high]
    return ticks if len(ticks) > 2 else sorted({*ticks, 1, *(t for t in (0.7, 0.8, 0.9, 1.1, 1.25, 1.5) if low <= t <= high)})


def legend(lines, colour):
    parts, x, y = [], LEFT["x"] - 44, HEIGHT - 42
    for name in lines:
        if name.startswith("triton:"):
            continue
        label = shown_name(name)
        if x + 30 + 7.2 * len(label) > LEFT["x"] + LEFT["w"] + 60:
            x, y = LEFT["x"] - 44, y + 20
        parts += [f'<line class="line" stroke="{colour.get(name, COLOURS[5])}" x1="{x}" x2="{x + 18}" y1="{y - 4}" y2="{y - 4}"/>', text(x + 24, y, label)]
        x += 44 + 7.2 * len(label)
    if any(name.startswith("triton:") for name in lines):
        parts += [f'<line class="roof" stroke-dasharray="3 4" x1="{x}" x2="{x + 18}" y1="{y - 4}" y2="{y - 4}"/>', text(x + 24, y, "Triton")]
    return parts


# ---- roofline ---------------------------------------------------------------------------------------

def roofline_panel(record):
    box, colour = RIGHT, colours(record)
    parts = [text(box["x"] - 44, 30, "Roofline", "title"), text(box["x"] - 44, 48, "operations per second over operations per byte; measured ceilings", "sub")]
    points = roofline_points(record)
    if not points:
        return parts
    dtype = next(iter(record["sizes"].values()))["case"].get("dtype")
    rates = record["ceilings"]["matmul"]
    peak, copy = rates.get(dtype) or max(rates.values(), default=1e12), record["ceilings"]["copy"]
    ridge = peak / copy
    low_x, high_x = min([p[1] for p in points] + [ridge]) / 3, max([p[1] for p in points] + [ridge]) * 3
    low_y, high_y = min(p[2] for p in points) / 2, peak * 2
    across, up = Scale(low_x, high_x, box["x"], box["x"] + box["w"]), Scale(low_y, high_y, box["y"] + box["h"], box["y"])
    parts += roofline_axes(box, across, up, (low_x, high_x), (low_y, high_y))
    left = max(low_x, low_y / copy)
    parts.append(f'<polyline class="roof" points="{across(left):.1f},{up(left * copy):.1f} {across(ridge):.1f},{up(peak):.1f} {across(high_x):.1f},{up(peak):.1f}"/>')
    parts.append(text(across(high_x) - 4, up(peak) - 8, f"matmul, {dtype}: {amount(peak, 'FLOP/s')}", "sub", "end"))
    slope = math.degrees(math.atan2(up(peak) - up(left * copy), across(ridge) - across(left)))
    x, y = (across(left) + across(ridge)) / 2, (up(left * copy) + up(peak)) / 2 - 7
    parts.append(text(x, y, f"copy: {amount(copy, 'B/s')}", "sub", "middle").replace("<text", f'<text transform="rotate({slope:.1f} {x:.1f} {y:.1f})"'))
    order = list(colour)
    for contestant, x, y, size in points:  # versions stand side by side, because their operations per byte are equal
        aside = 9 * (order.index(contestant) - (len(order) - 2) / 2)
        parts.append(shape(SHAPES.get(size, "circle"), across(x) + aside, up(y), colour.get(contestant, COLOURS[5])))
    x = box["x"]
    for size in record["sizes"]:
        parts += [shape(SHAPES.get(size, "circle"), x, HEIGHT - 46, "#8c959f"), text(x + 10, HEIGHT - 42, size)]
        x += 84
    return parts


def roofline_points(record):
    found = []
    for size, told in record["sizes"].items():
        for name, entry in told["contestants"].items():
            facts = told["facts"]
            if name.startswith("tessera:") and judging.usable(entry) and facts["bytes"] and facts["flops"]:
                found.append((name, facts["flops"] / facts["bytes"], facts["flops"] / entry["median_us"] * 1e6, size))
    return found


def roofline_axes(box, across, up, xs, ys):
    parts = []
    for power in range(math.floor(math.log10(xs[0])), math.ceil(math.log10(xs[1])) + 1):
        value = 10.0 ** power
        if xs[0] <= value <= xs[1]:
            parts += [f'<line class="grid" x1="{across(value):.1f}" x2="{across(value):.1f}" y1="{box["y"]}" y2="{box["y"] + box["h"]}"/>',
                      text(across(value), box["y"] + box["h"] + 20, f"{value:g}", "sub", "middle")]
    for power in range(math.floor(math.log10(ys[0])), math.ceil(math.log10(ys[1])) + 1):
        value = 10.0 ** power
        if ys[0] <= value <= ys[1]:
            unit = f"{value / 1e12:g} T" if value >= 1e12 else f"{value / 1e9:g} G" if value >= 1e9 else f"{value / 1e6:g} M"
            parts += [f'<line class="grid" x1="{box["x"]}" x2="{box["x"] + box["w"]}" y1="{up(value):.1f}" y2="{up(value):.1f}"/>',
                      text(box["x"] - 6, up(value) + 4, unit, "sub", "end")]
    return parts


def shape(kind, x, y, colour):
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'
    corners = {"square": [(-4, -4), (4, -4), (4, 4), (-4, 4)], "diamond": [(0, -6), (6, 0), (0, 6), (-6, 0)], "triangle": [(0, -6), (6, 5), (-6, 5)]}[kind]
    return f'<polygon points="{" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in corners)}" fill="{colour}"/>'
