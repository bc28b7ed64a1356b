"""Tables and plots of benchmarks: Benchmark, perf_report. Uses pandas and matplotlib if they are installed."""
from __future__ import annotations

import os
import sys


class Benchmark:
    """A measurement for perf_report: a line for each of `line_vals`, over `x_vals`.

    x_names     the arguments of the function that vary along the x axis
    x_vals      their values: numbers, each for all x_names, or tuples with one for each
    line_arg, line_vals, line_names   the argument that differs between lines, its values, and the lines' names
    plot_name   names the files; args  further arguments of the function; xlabel, ylabel, x_log, y_log, styles  the axes, and
    (colour, line style) for each line"""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False,
                 y_log=False, styles=None):
        self.x_names, self.x_vals = x_names, x_vals
        self.line_arg, self.line_vals, self.line_names = line_arg, line_vals, line_names
        self.plot_name, self.args = plot_name, args
        self.xlabel, self.ylabel, self.x_log, self.y_log, self.styles = xlabel, ylabel, x_log, y_log, styles


class _Table:
    """The results of a benchmark: rows of x values and, for each line, (value, lowest, highest); the last two may be None."""

    def __init__(self, bench):
        self.bench, self.rows = bench, []
        self.columns = list(bench.x_names) + [f"{name} ({bench.ylabel})" for name in bench.line_names]
        self.has_difference = False

    def values(self):
        """The rows as they are printed: x values, each line's value, and the difference if it was requested."""
        rows = [[*xs, *(found[0] for found in lines)] for xs, lines in self.rows]
        return [row + [row[-1] - row[-2]] for row in rows] if self.has_difference else rows

    def names(self):
        return self.columns + ["Diff"] * self.has_difference

    def text(self):
        """The table as pandas prints a frame: right-aligned columns and numbered rows."""
        cells = [["", *self.names()]]
        for index, row in enumerate(self.values()):
            cells.append([str(index), *(f"{value:.6f}" if isinstance(value, float) else str(value) for value in row)])
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)

    def write_csv(self, path, precision):
        import csv
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.names())
            writer.writerows([f"{v:.{precision}f}" if isinstance(v, float) else v for v in row] for row in self.values())

    def frame(self):
        """A pandas.DataFrame, or the table itself without pandas."""
        try:
            import pandas
        except ImportError:
            return self
        return pandas.DataFrame(self.values(), columns=self.names())

    def plot(self, pyplot, show, path):
        bench, count = self.bench, len(self.bench.x_names)
        xs = [xs[0] for xs, _ in self.rows]
        pyplot.figure()
        axes = pyplot.subplot()
        for index, label in enumerate(self.columns[count:]):
            color, style = bench.styles[index] if bench.styles else (None, None)
            found = [lines[index] for _, lines in self.rows]
            axes.plot(xs, [value for value, _, _ in found], label=label, color=color, ls=style)
            if found and all(low is not None and high is not None for _, low, high in found):
                axes.fill_between(xs, [low for _, low, _ in found], [high for _, _, high in found], alpha=0.15, color=color)
        axes.legend()
        axes.set_xlabel(bench.xlabel or bench.x_names[0])
        axes.set_ylabel(bench.ylabel)
        axes.set_xscale("log" if bench.x_log else "linear")
        axes.set_yscale("log" if bench.y_log else "linear")
        if show:
            pyplot.show()
        if path:
            pyplot.savefig(path)


class Mark:
    """A function with its benchmarks. See perf_report."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _measure(self, bench, kwargs):
        table = _Table(bench)
        for x in bench.x_vals:
            xs = list(x) if isinstance(x, (list, tuple)) else [x] * len(bench.x_names)
            if len(xs) != len(bench.x_names):
                raise ValueError(f"Expected {len(bench.x_names)} values, got {x}")
            lines = []
            for line in bench.line_vals:
                found = self.fn(**dict(zip(bench.x_names, xs)), **{bench.line_arg: line}, **bench.args, **kwargs)
                lines.append(tuple(found) if isinstance(found, (list, tuple)) else (found, None, None))
            table.rows.append((xs, lines))
        return table

    def _run(self, bench, save_path, show_plots, print_data, diff_col=False, save_precision=6, **kwargs):
        table = self._measure(bench, kwargs)
        if bench.plot_name and (show_plots or save_path):
            pyplot = _pyplot()
            if pyplot is None:
                print(f"{bench.plot_name}: no plot, because matplotlib is not installed", file=sys.stderr)
            else:
                table.plot(pyplot, show_plots, os.path.join(save_path, f"{bench.plot_name}.png") if save_path else None)
        table.has_difference = diff_col and len(bench.line_vals) == 2
        if print_data:
            print(bench.plot_name + ":")
            print(table.text())
        if save_path:
            table.write_csv(os.path.join(save_path, f"{bench.plot_name}.csv"), save_precision)
        return table.frame()

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        """Runs the benchmarks. With `save_path`, writes a .csv, a .png (with matplotlib) and results.html there. `return_df` returns
        a pandas.DataFrame for each benchmark, or without pandas an object with `rows`, `names()` and `values()`. Other arguments
        are passed to the function."""
        is_single = isinstance(self.benchmarks, Benchmark)
        benchmarks = [self.benchmarks] if is_single else self.benchmarks
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        frames = []
        try:
            for bench in benchmarks:
                frames.append(self._run(bench, save_path, show_plots, print_data, **kwargs))
        finally:
            if save_path:
                _write_page(os.path.join(save_path, "results.html"), benchmarks[:len(frames)])
        if not return_df:
            return None
        return frames[0] if is_single else frames


def _pyplot():
    try:
        import matplotlib.pyplot
        return matplotlib.pyplot
    except ImportError:
        return None


def _write_page(path, benchmarks):
    with open(path, "w", encoding="utf-8") as file:
        images = "".join(f'<image src="{bench.plot_name}.png"/>\n' for bench in benchmarks)
        file.write(f"<html><body>\n{images}</body></html>\n")


def perf_report(benchmarks):
    """Decorator: the function measures one point, returning a value or (value, lowest, highest); .run(...) on the result
    measures all points of the Benchmark, or of a list of them."""
    return lambda fn: Mark(fn, benchmarks)
