"""Writes C functions that choose among the variants of a kernel that tools.compile wrote.

    python -m tessera.tools.compile add.py -n add -s "*fp32:16,*fp32:16,i32:16,1024" -g ... -o out/add
    python -m tessera.tools.compile add.py -n add -s "*fp32,*fp32,i32,1024" -g ... -o out/add
    python -m tessera.tools.link out/*.h -o out/linked

Each header has a line with the function that it declares, its parameters and its hints:

    // tt-linker: add_cuda90x3a1b2c4d_0d1d2d3:CUdeviceptr x, CUdeviceptr y, int32_t n:1024_warps4xstages3

Variants with the same constants form one *algo*: they compute the same result, and the arguments decide which of them may run.
linked.c has

    add_1024_warps4xstages3(stream, x, y, n)     calls the variant with the most hints that the arguments fulfil; if the headers
                                                 are for several chips, among those for the chip of the current GPU
    add(stream, x, y, n, algo_id)                calls one of the algos, numbered in the order of the headers
    add_default(stream, x, y, n)                 calls the first algo
    add_get_num_algos()                          returns their number
    load_..., unload_...                         load and unload one algo, or all

Headers of several kernels may be given; each kernel gets these functions. `tessera link` does the same on the command line. Neither
needs a GPU.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import List, Optional, Sequence

if __name__ == "__main__" and not __package__:  # called by the script's path, as Triton's users call theirs
    sys.path[0] = str(pathlib.Path(__file__).absolute().parents[2])
    __package__ = "tessera.tools"


class LinkerError(Exception):
    """The headers do not fit together, or tools.compile did not write them."""


def link(headers: Sequence[pathlib.Path], out: pathlib.Path, prefix: str = "") -> List[pathlib.Path]:
    """Writes OUT.h and OUT.c for the variants that the headers declare."""
    from .. import _native
    header, source = (out.with_name(out.name + extension) for extension in (".h", ".c"))
    texts = [{"path": str(path), "text": pathlib.Path(path).read_text(encoding="utf-8")} for path in headers]
    try:
        files = _native.link(json.dumps({"headers": texts, "name": header.name, "prefix": prefix}))
    except ValueError as error:
        raise LinkerError(str(error)) from None
    header.write_text(files["header"], encoding="utf-8")
    source.write_text(files["source"], encoding="utf-8")
    return [header, source]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tessera.tools.link",
        description="Writes one entry point, OUT.c and OUT.h, for the variants of kernels that tessera.tools.compile wrote: by the "
        "arguments it calls the fastest one that is right.")
    parser.add_argument("headers", nargs="+", type=pathlib.Path, help="headers that tessera.tools.compile wrote")
    parser.add_argument("--out", "-o", type=pathlib.Path, required=True, help="path of the files to write, without .c and .h")
    parser.add_argument("--prefix", default="", help="put before the names of all functions that are written")
    options = parser.parse_args(arguments)
    try:
        link(options.headers, options.out, options.prefix)
    except (LinkerError, OSError) as error:
        print(f"link: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
