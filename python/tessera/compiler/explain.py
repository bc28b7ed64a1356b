"""Reports of what every pass did to a kernel: as objects, and as files for TESSERA_EXPLAIN.

    report = kernel.explain(x, y, n, grid=(1,))     in a notebook it shows itself
    report.save("add.html")
    report.passes                                   [("tt-inliner", True), ...]

With TESSERA_EXPLAIN=folder each kernel that a program compiles leaves NAME-KEY.html there, also one that does not compile, and
index.html lists them all. Beside the page lie the stages' files, NAME-KEY.ttir and so on: one that is edited is compiled in the
place of the original in the next run.
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
    def errors(self) -> list:
        """The messages of a compilation that failed; empty if it did not."""
        found = [each for each in self.kernel["diagnostics"] if each["kind"] not in ("warning", "note", "remark")]
        return [each["message"] for each in found] if self.kernel["outcome"] != "done" else []

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
        if self.errors:
            return f"<Report of {self.kernel['kernel']} for {self.kernel['target']}, which does not compile: {self.errors[0]}>"
        return f"<Report of {self.kernel['kernel']} for {self.kernel['target']}: {len(self.passes)} steps, {changed} changed something>"


def _file_name(name: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in name)[:100]


class ReportFolder:
    """For TESSERA_EXPLAIN: the files of one kernel in the folder of reports, NAME-KEY.html, .json and a file for each stage.

    A stage's file that was edited since it was written takes the place of what the stage makes, until it is deleted; the next
    report shows that as a step.
    """

    def __init__(self, folder: str, src, plan) -> None:
        self.folder, self.src, self.plan = os.path.abspath(folder), src, plan
        key = hashlib.sha256(json.dumps([src.name, src.hash(), plan.target, plan.flags]).encode("utf-8", "surrogatepass")).hexdigest()[:10]
        self.stem = os.path.join(self.folder, f"{_file_name(src.name)}-{key}")

    def edited_file(self) -> str:
        """The edited file of the last stage that has one; "" if none has. Earlier ones would have no effect."""
        known = _read_row(self.stem + ".json").get("files", {})
        return next((f"{self.stem}.{stage}" for stage in reversed(self.plan.stages) if self._is_edited(stage, known)), "")

    def _is_edited(self, stage: str, known: dict) -> bool:
        path = f"{self.stem}.{stage}"
        return stage in known and os.path.isfile(path) and _hash_of(path) != known[stage]

    def write(self, job, kernel) -> None:
        """Writes the report, the stages' files and the index; `kernel` is None if the compilation failed. A folder that cannot be
        written to leaves a warning, and the program goes on."""
        if not self.src.is_file and self.src.program is None:
            return  # Python found the mistake, and the compiler has seen nothing
        try:
            self._write(job, kernel)
        except OSError as error:
            import warnings
            warnings.warn(f"TESSERA_EXPLAIN: no report was written: {error}", stacklevel=2)

    def _write(self, job, kernel) -> None:
        before = _read_row(self.stem + ".json")
        files = before.get("files", {})
        for stage in self.plan.stages[:-1] if kernel is not None else ():
            if not self._is_edited(stage, files):
                files[stage] = _hash_of(write_file(f"{self.stem}.{stage}", kernel.asm[stage]))
        report = job.explain(disassembles=False)  # a program may compile hundreds of kernels
        report.save(self.stem + ".html")
        row = _row_of(report, os.path.basename(self.stem) + ".html")
        write_file(self.stem + ".json", json.dumps({**row, "files": files, "tuning": before.get("tuning", {})}))
        write_index(self.folder)


def _row_of(report, page: str) -> dict:
    """The row of a report in the index."""
    kernel = report.kernel
    record = kernel.get("record", {})
    is_edited = any(step["name"] == "ir-override" for step in kernel["steps"])
    return {"page": page, "kernel": kernel["kernel"], "target": kernel["target"], "place": f"{kernel['file']}:{kernel['line']}",
            "outcome": kernel["outcome"] + (", edited" if is_edited else ""), "seconds": kernel["seconds"],
            "registers": record.get("registers", -1), "spills": record.get("spill_bytes", -1), "shared": record.get("shared", 0),
            "warps": record.get("num_warps", 0), "written": time.time(),
            "arguments": ", ".join(f"{a['name']}: {a.get('constant', a['type'])}" for a in record.get("arguments", ()))}


def note_choice(folder: str, key, chosen, trials) -> None:
    """For TESSERA_EXPLAIN: notes in the reports of autotune's trials how long each took, and which one was chosen for a tuning key."""
    for trial in trials:
        job = getattr(getattr(trial.kernel, "_made", None), "job", None)
        row = _read_row(job.report_stem + ".json") if job is not None and job.report_stem else {}
        if not row:
            continue
        times = trial.timing if isinstance(trial.timing, (list, tuple)) else [trial.timing]
        row.setdefault("tuning", {})[str(key)] = {"ms": times[0] if isinstance(times[0], (int, float)) else None, "chosen": trial is chosen}
        write_file(job.report_stem + ".json", json.dumps(row))
    write_index(os.path.abspath(folder))


def _tuning_text(row: dict) -> str:
    """What autotune measured: "chosen, 0.012 ms"; with the key, if there were several."""
    tuning = row.get("tuning", {})
    parts = []
    for key, result in tuning.items():
        time_text = f"{result['ms']:.4g} ms" if isinstance(result["ms"], (int, float)) else ""
        words = ", ".join(filter(None, ["chosen" if result["chosen"] else "", time_text]))
        parts.append(f"{words} for {key}" if len(tuning) > 1 else words)
    return "; ".join(filter(None, parts))


def _read_row(path: str) -> dict:
    """A report's JSON file; {} if there is none, or another process is about to replace it."""
    try:
        with open(path, encoding="utf-8") as file:
            row = json.load(file)
    except (OSError, ValueError):
        return {}
    return row if isinstance(row, dict) and "page" in row else {}


def _hash_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def write_index(folder: str) -> None:
    """index.html: all reports of the folder, whichever process wrote them."""
    rows = [_read_row(path) for path in glob.glob(os.path.join(glob.escape(folder), "*.json"))]
    rows = sorted(filter(None, rows), key=lambda row: row["written"])
    cell = lambda value, kind="": f"<td{kind}>{html.escape(str(value))}</td>"  # noqa: E731
    body = "".join(
        f'<tr><td><a href="{html.escape(row["page"], quote=True)}">{html.escape(row["kernel"])}</a></td>' + cell(row["target"])
        + cell(row["outcome"], "" if row["outcome"].startswith("done") else " class=bad") + cell(f"{row['seconds'] * 1e3:.1f}", " class=n")
        + "".join(cell(row[name] if row[name] >= 0 else "", " class=n") for name in ("registers", "spills", "shared", "warps"))
        + cell(_tuning_text(row), " class=best" if any(each["chosen"] for each in row.get("tuning", {}).values()) else "")
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
.best { font-weight: 600; }
</style></head><body>
<h1>Kernels that were compiled</h1>
<table><tr><th>kernel</th><th>target</th><th>outcome</th><th class=n>ms</th><th class=n>registers</th><th class=n>spilled bytes</th><th class=n>shared bytes</th>
<th class=n>warps</th><th>autotune</th><th>specialised for</th><th>defined at</th></tr>
%s</table></body></html>
"""
