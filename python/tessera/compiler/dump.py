"""Implements the dump and override knobs: writes stages to files, reads them from files, or prints them.

    TRITON_KERNEL_DUMP=1        every stage and the sass, below TRITON_DUMP_DIR/<hash of the source>/<name>.<stage>, and the passes'
                                remarks in <name>.remarks
    TRITON_KERNEL_OVERRIDE=1    a file of that name below TRITON_OVERRIDE_DIR replaces the stage's output

The folder depends on the source alone, so it stays the same when the compiler changes. Dumping is not part of any key, and works
for kernels that come from the cache: their stages are compiled again.
"""
from __future__ import annotations

import os
import sys

from .. import knobs


def base32(key: str) -> str:
    """The hex digits of a hash in base 32, as the name of a folder."""
    import base64
    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


def file_stem(src) -> str:
    return src.name[:150]


def override_file(src, backend) -> str:
    """The override file of the last stage that has one; "" if there is none. Earlier ones would have no effect."""
    folder = os.path.join(knobs.cache.override_dir, base32(src.hash()))
    for stage in reversed(backend.stages):
        path = os.path.join(folder, f"{file_stem(src)}.{stage}")
        if os.path.isfile(path):
            print(f"\nOverriding kernel with file {path}")
            return path
    return ""


def write_file(path: str, data) -> str:
    """Writes a file completely or not at all: under a temporary name, which is then renamed."""
    import tempfile
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def is_wanted() -> bool:
    """Returns whether a knob requests something that `show` does."""
    asked, nvidia = knobs.compilation, knobs.nvidia
    return bool(asked.dump_ir or asked.dump_llvm_ir or asked.time_stages or nvidia.dump_nvptx or nvidia.dump_ptxas_log)


def show(kernel, backend) -> None:
    """Called after a compilation: dumps and prints what the knobs request."""
    if knobs.compilation.dump_ir:
        _dump_stages(kernel, backend)
    if knobs.compilation.dump_llvm_ir:
        _print_stage(kernel, "llir", "LLVM IR Dump")
    if knobs.nvidia.dump_nvptx and "ptx" in backend.stages:
        _print_stage(kernel, "ptx", "NVPTX Dump")
    if knobs.amd.dump_amdgcn and "amdgcn" in backend.stages:
        _print_stage(kernel, "amdgcn", "AMDGCN Dump")
    if knobs.nvidia.dump_ptxas_log and kernel.record["assembler"]:
        print(f"{kernel.name}: {kernel.record['assembler']}: {kernel.record['registers']} registers, "
              f"{kernel.record['spill_bytes']} bytes spilled, {kernel.record['shared']} bytes of shared memory",
              file=sys.stderr)
        if "attempts" in kernel.record:
            print(f"{kernel.name}: tried {kernel.record['attempts']}", file=sys.stderr)
    if knobs.compilation.time_stages:
        _print_times(kernel, backend)


def _dump_stages(kernel, backend) -> None:
    folder = os.path.join(knobs.cache.dump_dir, base32(kernel.src.hash()))
    stem = os.path.join(folder, file_stem(kernel.src))
    for stage in backend.stages:
        if stage in kernel.asm:
            write_file(f"{stem}.{stage}", kernel.asm[stage])
    write_file(f"{stem}.remarks", "".join(f"{remark['text']}\n" for remark in kernel._made.job.remarks()))
    for stage in backend.stages_on_demand:
        try:
            write_file(f"{stem}.{stage}", kernel.asm[stage])
        except RuntimeError as problem:  # no disassembler: the other stages are written nevertheless
            print(f"{kernel.name}: no {stage}: {problem}", file=sys.stderr)


def _print_stage(kernel, stage: str, title: str) -> None:
    print(f"// -----// {title} //----- //\n{kernel.asm[stage]}", file=sys.stderr)


def _print_times(kernel, backend) -> None:
    print(f"{kernel.name}: " + ", ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in kernel.stage_times(backend)),
          file=sys.stderr)
