"""The table of a kernel's variants that `print(kernel.specializations())` shows.

    matmul_kernel: 3 variants on cpu, 1.2 s of compiling
    in all: a_ptr: *fp32:16, b_ptr: *fp32:16, M: i32:16, num_warps=4
         BLOCK  n       launches  trials  time    why
    *0     128  i32:16         7      12  31 ms   tried by autotune
     1     256  i32:16         0      12  29 ms   tried by autotune
     2     128  i32            1       0  33 ms   n is 1000: not divisible by 16, unlike before
    * chosen by autotune

What is the same in all variants stands above the table, once.
"""
from __future__ import annotations

import shutil

from .specialize import _duration


def _facts(record):
    """{column: value} of everything that can tell two variants of a kernel apart."""
    facts = dict(record.types)
    facts.update((name, str(value)) for name, value in record.options.items() if value is not None)
    facts["device"] = record.device or record._request.where
    return facts


class VariantTable:
    """`records` are those of Specializations, `chosen` those that autotune has chosen."""

    def __init__(self, name, records, chosen=()):
        self.name, self.records = name, list(records)
        self.chosen = {id(record) for record in chosen}
        self.facts = [_facts(record) for record in self.records]
        names = list(dict.fromkeys(name for facts in self.facts for name in facts))
        values = {name: {facts.get(name, "") for facts in self.facts} for name in names}
        self.varying = [name for name in names if len(values[name]) > 1]
        self.common = {name: next(iter(values[name])) for name in names if len(values[name]) == 1}
        self.has_trials = any(record.trials for record in self.records)

    # ---- what is in it ----

    def above(self):
        """What is the same in all variants, as a call would give it."""
        constants = {leaf.name for record in self.records for leaf in record._leaves if leaf.is_constant}
        options = {name for record in self.records for name in record.options}
        parts = []
        for name, value in self.common.items():
            if name != "device":
                parts.append(f"{name}={value}" if name in constants or name in options else f"{name}: {value}")
        return ", ".join(parts)

    def head(self):
        return [*self.varying, "launches", *(["trials"] if self.has_trials else []), "time", "why"]

    def row(self, index):
        record, facts = self.records[index], self.facts[index]
        time = _duration(record.seconds) + (" (cache)" if record.from_cache else "")
        return [*(facts.get(name, "") for name in self.varying), str(record.launches),
                *([str(record.trials)] if self.has_trials else []), time, record.why]

    def mark(self, index):
        return ("*" if id(self.records[index]) in self.chosen else "") + str(index)

    # ---- how it looks ----

    def text(self, max_rows, width=None):
        """The table within `width` columns, by default those of the terminal; the reasons are cut."""
        if not self.records:
            return ""
        width = width or shutil.get_terminal_size((100, 24)).columns
        shown = range(len(self.records) if max_rows is None else min(max_rows, len(self.records)))
        rows = [["", *self.head()], *([self.mark(index), *self.row(index)] for index in shown)]
        columns = list(zip(*rows))
        widths = [max(map(len, column)) for column in columns]
        is_number = [all(cell.isdigit() for cell in column[1:]) for column in columns]
        used = sum(widths[:-1]) + 2 * len(widths)
        widths[-1] = min(widths[-1], max(20, width - used))
        prefix = "in all: " if len(self.records) > 1 else "with: "
        lines = [prefix + _cut(self.above(), max(width - len(prefix), 40))] if self.above() else []
        for row in rows:
            cells = [(_cut(cell, size).rjust(size) if number or place == 0 else _cut(cell, size).ljust(size))
                     for place, (cell, size, number) in enumerate(zip(row, widths, is_number))]
            lines.append("  ".join(cells).rstrip())
        if len(shown) < len(self.records):
            lines.append(f"... and {len(self.records) - len(shown)} more: .table(max_rows=None) shows all")
        if self.chosen:
            lines.append("* chosen by autotune")
        return "\n".join(lines)

    def html(self, caption):
        from ..compiler.presentation import html_table
        rows = [[self.mark(index), *self.row(index)] for index in range(len(self.records))]
        prefix = "in all" if len(rows) > 1 else "with"
        above = f"<p>{prefix}: <code>{_escaped(self.above())}</code></p>" if self.above() else ""
        note = "<p>* chosen by autotune</p>" if self.chosen else ""
        return above + html_table(["", *self.head()], rows, caption) + note


def _cut(text, size):
    return text if len(text) <= size else text[:max(size - 1, 0)] + "…"


def _escaped(text):
    from html import escape
    return escape(text)
