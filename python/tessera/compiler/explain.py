"""What every pass did to a kernel: reports as objects, and as files for TESSERA_EXPLAIN.

    report = kernel.explain(x, y, n, grid=(1,))     in a notebook it shows itself
    report.save("add.html")
    report.passes                                   [("tt-inliner", True), ...]

With TESSERA_EXPLAIN=folder each kernel that a program compiles leaves NAME-KEY.html there, also one that does not compile, and
index.html lists them all.
"""
from __future__ import annotations

import glob
import hashlib
import html
import json
import linecache
import os
import time

from .. import _native
from .dump import write_file


class Report:
    """The report of one compilation; `data` is the JSON of docs/explain.md."""

    def __init__(self, text: str) -> None:
        self.data = json.loads(text)
        for kernel in self.data["kernels"]:
            for source in kernel["sources"]:  # cells of notebooks are no files
                source["text"] = source["text"] or "".join(linecache.getlines(source["path"]))

    @property
    def kernel(self) -> dict:
        return self.data["kernels"][0]

    @property
    def passes(self) -> list:
        """The name of each pass in order, and whether it changed the program."""
        return [(step["name"], step["changed"]) for step in self.kernel["steps"]]

    @property
    def html(self) -> str:
        """The page; it has everything in itself."""
        return _native.explain_page(json.dumps(self.data, ensure_ascii=True))

    def save(self, path) -> str:
        """Writes the page, and returns its path."""
        return write_file(os.path.abspath(os.fspath(path)), self.html)

    def open(self) -> str:
        """Shows the page in a browser, and returns the path of its file."""
        import tempfile
        import webbrowser
        folder = tempfile.mkdtemp(prefix="tessera-explain-")
        path = self.save(os.path.join(folder, f"{_file_name(self.kernel['kernel'])}.html"))
        webbrowser.open("file://" + path)
        return path

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that a notebook's styles and this page's do not meet."""
        return f'<iframe srcdoc="{html.escape(self.html, quote=True)}" style="width:100%;height:640px;border:1px solid #ccc"></iframe>'

    def __repr__(self) -> str:
        changed = sum(changed for _, changed in self.passes)
        return f"<Report of {self.kernel['kernel']} for {self.kernel['target']}: {len(self.passes)} steps, {changed} changed something>"


def _file_name(name: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in name)[:100]


def write_report(folder: str, job) -> None:
    """For TESSERA_EXPLAIN: writes the report of a compilation to a folder, and the folder's index. A folder that cannot be
    written to leaves a warning, and the program goes on."""
    if not job.src.is_file and job.src.program is None:
        return  # Python found the mistake, and the compiler has seen nothing
    try:
        _write_report(os.path.abspath(folder), job)
    except OSError as error:
        import warnings
        warnings.warn(f"TESSERA_EXPLAIN: no report was written: {error}", stacklevel=2)


def _write_report(folder: str, job) -> None:
    report = job.explain()
    kernel = report.kernel
    key = hashlib.sha256(json.dumps([kernel["file"], kernel["kernel"], kernel["target"], job.plan.flags, _source_key(job.src)]).encode()).hexdigest()[:10]
    stem = os.path.join(folder, f"{_file_name(kernel['kernel'])}-{key}")
    report.save(stem + ".html")
    record = kernel.get("record", {})
    row = {"page": os.path.basename(stem) + ".html", "kernel": kernel["kernel"], "target": kernel["target"], "place": f"{kernel['file']}:{kernel['line']}",
           "outcome": kernel["outcome"], "seconds": kernel["seconds"], "registers": record.get("registers", -1), "spills": record.get("spill_bytes", -1),
           "shared": record.get("shared", 0), "warps": record.get("num_warps", 0), "written": time.time(),
           "arguments": ", ".join(f"{a['name']}: {a.get('constant', a['type'])}" for a in record.get("arguments", ()))}
    write_file(stem + ".json", json.dumps(row))
    write_index(folder)


def _source_key(src) -> str:
    program = getattr(src, "program", None)
    return program.text if program is not None else str(src.text)


def write_index(folder: str) -> None:
    """index.html: all reports of the folder, whichever process wrote them."""
    rows = []
    for path in glob.glob(os.path.join(glob.escape(folder), "*.json")):
        try:
            with open(path, encoding="utf-8") as file:
                row = json.load(file)
            rows.append(row if "page" in row else None)
        except (OSError, ValueError):  # another process is about to replace it
            continue
    rows = sorted(filter(None, rows), key=lambda row: row["written"])
    cell = lambda value, kind="": f"<td{kind}>{html.escape(str(value))}</td>"  # noqa: E731
    body = "".join(
        f'<tr><td><a href="{html.escape(row["page"], quote=True)}">{html.escape(row["kernel"])}</a></td>' + cell(row["target"])
        + cell(row["outcome"], "" if row["outcome"] == "done" else " class=bad") + cell(f"{row['seconds'] * 1e3:.1f}", " class=n")
        + "".join(cell(row[name] if row[name] >= 0 else "", " class=n") for name in ("registers", "spills", "shared", "warps"))
        + cell(row["arguments"]) + cell(row["place"]) + "</tr>\n" for row in rows)
    write_file(os.path.join(folder, "index.html"), (_INDEX % body).encode("utf-8", "replace"))


_INDEX = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Tessera explain</title>
<style>
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 20px; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid #8883; vertical-align: top; }
.n { text-align: right; }
.bad { color: #d33; }
</style></head><body>
<h1>Kernels that were compiled</h1>
<table><tr><th>kernel</th><th>target</th><th>outcome</th><th class=n>ms</th><th class=n>registers</th><th class=n>spilled bytes</th><th class=n>shared bytes</th>
<th class=n>warps</th><th>specialised for</th><th>defined at</th></tr>
%s</table></body></html>
"""
