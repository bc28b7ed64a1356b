"""Calls the library: turns knobs into settings and options, and failure reports into exceptions.

    plan_for(target, {"num_warps": 8})       the settings and options for a target, with the current knobs
    Job(source, plan).run("cubin")           the library's kernel

There is a session of the library for each distinct set of settings (tools, cache folder, what to print); at most 16 are kept.
Settings are not part of a kernel's key. Whatever changes the code is an option, which each compilation gets.
"""
from __future__ import annotations

import copy
import json
import os
import sys

from .. import _native, knobs
from ..backends.compiler import make_backend, option_flags
from ..errors import level_of_program, plain
from . import dump

_PROGRAM, _USAGE, _UNSUPPORTED, _QUESTIONS, _INTERNAL = 1, 2, 3, 4, 70

_sessions: dict = {}
_MOST_SESSIONS = 16  # each has compiler contexts of half a MiB and more
_before_fork: list = []
_plans: dict = {}
_MOST_PLANS = 1000


def server_settings() -> dict:
    """The settings about the server behind the cache folder; the others count for the server, which is the last."""
    if not knobs.cache.remote:
        return {}
    settings = {"cache-timeout": knobs.cache.timeout} if knobs.cache.timeout else {}
    if knobs.cache.remote.startswith("s3"):
        key, secret, token = map(knobs.variable, ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"))
        region = knobs.variable("AWS_REGION") or knobs.variable("AWS_DEFAULT_REGION") or "us-east-1"
        settings["cache-credentials"] = f"{region} {key or ''} {secret or ''} {token or ''}"
    settings["cache-remote"] = knobs.cache.remote
    return settings


def settings_for(backend, options) -> dict:
    """The arguments of tessera_session_set (include/tessera.h)."""
    settings = {"cache-dir": knobs.cache.kernel_dir, **server_settings()}
    if knobs.cache.limit:
        settings["cache-limit"] = knobs.cache.limit
    if knobs.runtime.pack or knobs.runtime.on_compile:
        from ..runtime import packs
        settings.update(packs.settings())
    if knobs.cache.trust:
        settings["cache-trust"] = knobs.cache.trust
    if backend.target.backend == "cuda":
        settings.update(_cuda_tools(options))
    if knobs.compilation.always_compile or knobs.compilation.time_stages:
        settings["always-compile"] = "true"
    if knobs.compilation.dump_passes not in ("", "0"):
        settings["print-passes"] = knobs.compilation.dump_passes
        if knobs.compilation.dump_passes_path:
            settings["print-path"] = knobs.compilation.dump_passes_path
    if pattern := knobs.compilation.remarks_pattern:
        settings["remarks"] = pattern
    if knobs.compilation.reproducer_path:
        settings["reproducer-dir"] = knobs.compilation.reproducer_path
    return settings


def _cuda_tools(options) -> dict:
    """Returns the paths of the assembler and of libdevice. tools/disasm.py finds the disassembler itself."""
    from ..backends.description import find_tool
    knob = type(knobs.nvidia).ptxas
    ptxas = knob.path_of(vars(knobs.nvidia).get(knob.name) or knobs.variable(knob.key))
    library = os.fspath(dict(options.extern_libs).get("libdevice") or "") or knobs.nvidia.libdevice_path or find_tool("libdevice")
    return {name: path for name, path in (("ptxas", ptxas), ("libdevice", library)) if path}


def _disassembler() -> str:
    from ..backends.description import find_tool
    return find_tool("nvdisasm")


def _check_libraries(plan) -> None:
    """Raises if a library that the program names does not exist, whether this kernel needs it or not."""
    if not plan.options.extern_libs or plan.backend.target.backend != "cuda":
        return
    for name, path in plan.options.extern_libs:
        if not os.path.isfile(path):
            import errno
            raise plain(FileNotFoundError(errno.ENOENT, f"extern_libs: there is no such file for {name}", os.fspath(path)))


def _key_of(settings: dict) -> tuple:
    return tuple(sorted(settings.items()))


def session_for(settings: dict, key: tuple | None = None):
    """The session with these settings, created at first use; `key` is _key_of(settings), if the caller has it."""
    key = key or _key_of(settings)
    session = _sessions.get(key)
    if session is None:
        if len(_sessions) >= _MOST_SESSIONS:  # for example of tests with a cache folder each
            _sessions.clear()
        session = _sessions.setdefault(key, _native.Session(settings))
    return session


def _leave_sessions_to_parent() -> None:
    # Sessions are kept alive: another thread of the parent may hold their locks, which the child cannot release.
    _before_fork.append(dict(_sessions))
    _sessions.clear()


os.register_at_fork(after_in_child=_leave_sessions_to_parent)


class Plan:
    """The settings, options and stages of compilations for one target with one set of options. Immutable; shared by `Job`s."""

    def __init__(self, target, given: dict) -> None:
        self.backend = backend = make_backend(target)
        self.options = options = backend.parse_options(given)
        self.settings = settings_for(backend, options)
        self.session_key = _key_of(self.settings)
        self.target = backend.target_name(options)
        self.flags = backend.flags(options)
        # If there is no ptxas, the CUDA driver compiles the PTX when it loads the kernel.
        has_assembler = backend.target.backend != "cuda" or "ptxas" in self.settings
        self.stages = backend.stages if has_assembler else backend.stages[:-1]
        self.binary_ext = self.stages[-1]
        self.keeps_binary_only = knobs.compilation.store_binary_only
        self.is_shown = dump.is_wanted()
        self.is_overridden, self.is_explained = knobs.compilation.override, bool(knobs.compilation.explain)

    def without_tensor_maps(self) -> Plan:
        """The same with tma=off."""
        plan = copy.copy(self)
        plan.flags = json.dumps({**json.loads(self.flags or "{}"), "tma": "off"}, sort_keys=True)
        return plan


def plan_for(target, given: dict) -> Plan:
    """The Plan of a GPUTarget and the options of a launch; cached while knobs.state() is the same."""
    try:
        key = (target.backend, target.arch, target.warp_size, knobs.state(),
               *[(name, type(value), value) for name, value in given.items()])
        plan = _plans.get(key)
    except TypeError:  # an option that is not hashable, such as extern_libs
        return Plan(target, given)
    if plan is None:
        if len(_plans) >= _MOST_PLANS:
            _plans.clear()
        plan = _plans[key] = Plan(target, given)
    return plan


class Job:
    """One compilation: a source and a Plan, from which further artifacts can be made later."""

    report_stem = ""  # the path of its report for TESSERA_EXPLAIN, without an extension
    is_repeated = False

    def __init__(self, src, plan: Plan) -> None:
        self.src, self.plan = src, plan

    @property
    def asm_stages(self) -> tuple:
        """The stages that can be computed: for a file those after its own; for a function also "source", the frontend's TTIR."""
        stages = self.plan.stages
        after = stages[stages.index(self.src.ext):]
        return after if self.src.is_file else ("source", *after)

    @property
    def kept_stages(self) -> tuple:
        """The stages that a kernel has files of."""
        return (self.plan.binary_ext, ) if self.plan.keeps_binary_only else self.asm_stages

    @property
    def listed_stages(self) -> tuple:
        """The stages that CompiledKernel.asm lists."""
        kept = self.kept_stages
        return kept if self.plan.keeps_binary_only else (*kept[:-1], *self.plan.backend.stages_listed, kept[-1])

    def repeated(self) -> Job:
        """The same compilation once more, because somebody reads another stage: it does not print the passes again."""
        job = Job(self.src, self.plan)
        job.is_repeated = True
        return job

    def run(self, outputs: str):
        """The library's kernel with these outputs ("cubin", "ttir,ttgir"). Raises the exception of `explain_failure`."""
        plan = self.plan
        _check_libraries(plan)
        settings, key = plan.settings, plan.session_key
        if self.is_repeated:
            settings = {name: value for name, value in settings.items() if name not in ("print-passes", "print-path", "remarks")}
            key = None
        try:
            # The session is looked up here, because the job may have been unpickled from another process.
            return self.src.compile_with(session_for(settings, key), plan.target, plan.flags, outputs)
        except _native.CompileFailure as failure:
            cause = failure if knobs.compilation.front_end_debugging else None
            error = explain_failure(failure, self.src)
        raise error from cause

    def explain(self, disassembles=True):
        """Reports what every pass does (compiler/explain.py), also if the compilation fails. All passes run for it. The disassembler
        takes longer than most compilations."""
        from .explain import Report
        plan = self.plan
        tool = _disassembler() if disassembles and plan.backend.target.backend == "cuda" else ""
        session = session_for({**plan.settings, **({"disassembler": tool} if tool else {})})
        text, _ = self.src.explain_with(session, plan.target, plan.flags)
        return Report(text)

    def remarks(self) -> list:
        """Returns the remarks of the passes (JSON objects, docs/debugging.md). The passes run again, even if the kernel is cached."""
        plan = self.plan
        session = session_for({**plan.settings, "remarks": "."})
        kernel = self.src.compile_with(session, plan.target, plan.flags, plan.binary_ext)
        diagnostics = json.loads(kernel.warnings or "{}").get("diagnostics", ())
        return [each for each in diagnostics if each["kind"] == "remark"]


def manager_for_torch():
    """The cache manager for torch.compile, if this process uses it (compiler/shared.py); else None."""
    if "torch._inductor.runtime.triton_heuristics" not in sys.modules:
        return None
    from ..runtime.cache import FileCacheManager
    return FileCacheManager


def compile_program(session, program, target: str, flags: str, outputs: str):
    """Compiles a Program (runtime/program.py), and answers the library's questions from the live objects."""
    manager = knobs.cache.manager_class or manager_for_torch()
    while True:
        try:
            if manager is None:
                return session.compile_program(program.text, target, flags, outputs)
            from .shared import compile_through
            return compile_through(manager, session, program.text, target, flags, outputs)
        except _native.CompileFailure as failure:
            if failure.status != _QUESTIONS:
                raise
            questions = json.loads(failure.report)["questions"]
        before = program.text
        program.answer(questions)
        if program.text == before:
            raise RuntimeError(f"the compiler's questions were left open: {questions}")


def explain_failure(failure, src) -> Exception:
    """The exception that a failed compilation raises in Python."""
    from .errors import ENDING_KINDS
    report = _read_report(failure)
    _show_remarks(report["diagnostics"])
    _show_output(report)
    text = _text_for_python(report, src)
    if failure.status == _USAGE:
        return plain(ValueError(text))
    stops = [d for d in report["diagnostics"] if d["kind"] in ENDING_KINDS]
    codes = {d["code"]: d for d in stops if d.get("code")}
    if "shared-memory" in codes:
        from ..runtime.errors import OutOfResources
        error = OutOfResources(codes["shared-memory"]["needed"], codes["shared-memory"]["limit"], "shared memory")
        error.explanation = "\n" + text
        return error
    if "assembler" in codes:
        from ..runtime.errors import PTXASError
        return PTXASError(text)
    first = stops[0] if stops else {}
    from .presentation import color_uncaught_errors
    color_uncaught_errors()
    return _class_of(failure.status, codes)(src.text, _place(first, src), first.get("message", text), text=text,
                                            diagnostics=report["diagnostics"])


def _read_report(failure) -> dict:
    try:
        report = json.loads(failure.report)
    except ValueError:
        report = {"text": failure.report}
    return {"text": str(failure), "diagnostics": [], **report}


def _text_for_python(report: dict, src) -> str:
    """The report's text. Options have their flags' names in it, and arguments their positions; here they get the names that
    Python programs use: those of keyword arguments and of the signature's parameters."""
    told = next((d for d in report["diagnostics"] if "problem" in d), {})
    if told.get("code") == "option":
        name = next((name for name, flag in option_flags().items() if flag == told["option"]), told["option"])
        return f"error: {name}: {told['problem']}"
    names = list(getattr(src, "signature", ()))
    if told.get("code") == "argument-type" and told["parameter"] < len(names):
        return f"error: the signature of '{src.name}', parameter '{names[told['parameter']]}': {told['problem']}"
    text = report["text"].rstrip("\n")
    if "IPython" in sys.modules:
        from .presentation import with_cells
        text = with_cells(text, {d["path"] for d in report["diagnostics"] if d.get("path")})
    return text


def _class_of(status: int, codes: dict) -> type:
    from . import errors
    if "static-assert" in codes:
        return errors.CompileTimeAssertionFailure
    return {_UNSUPPORTED: errors.UnsupportedLanguageConstruct, _INTERNAL: errors.InternalError}.get(status, errors.CompilationError)


def _place(diagnostic: dict, src):
    """The place of a diagnostic as an ast of the function's source has it: lines count from the `def`, columns from 0."""
    from .errors import SourcePlace
    if not diagnostic.get("line"):
        return None
    inside = diagnostic.get("path") == src.path
    line = diagnostic["line"] - src.first_line + 1 if inside else diagnostic["line"]
    return SourcePlace(line, max(diagnostic.get("column", 1) - 1, 0))


def show_warnings(kernel) -> None:
    """Prints the output of tl.static_print and the passes' remarks, and turns the compiler's warnings into Python warnings."""
    if not kernel.warnings:
        return
    import warnings
    diagnostics = json.loads(kernel.warnings).get("diagnostics", ())
    _show_remarks(diagnostics)
    for diagnostic in diagnostics:
        if diagnostic["kind"] == "output":
            print(diagnostic["message"], end="")  # static_print has added the end of the line itself
        elif diagnostic["kind"] == "warning":
            if path := diagnostic.get("path"):
                warnings.warn_explicit(diagnostic["message"], UserWarning, path, diagnostic.get("line") or 0)
            else:  # about the launch
                warnings.warn(diagnostic["message"], UserWarning, stacklevel=level_of_program())


def _show_output(report: dict) -> None:
    """Prints what tl.static_print wrote before the errors, and takes it out of their text."""
    for diagnostic in report["diagnostics"]:
        if diagnostic["kind"] == "output":
            print(diagnostic["message"], end="")
            report["text"] = report["text"].replace(diagnostic["message"], "", 1)


def _show_remarks(diagnostics) -> None:
    """Prints what the passes decided, if TESSERA_REMARKS or one of Triton's variables for it asks for it."""
    for diagnostic in diagnostics:
        if diagnostic["kind"] == "remark":
            print(diagnostic["text"], file=sys.stderr)
