"""Writes C functions that choose among the variants of a kernel that tools.compile wrote.

    python -m tessera.tools.compile add.py -n add -s "*fp32:16,*fp32:16,i32:16,1024" -g ... -o out/add
    python -m tessera.tools.compile add.py -n add -s "*fp32,*fp32,i32,1024" -g ... -o out/add
    python -m tessera.tools.link out/*.h -o out/linked

Each header has a line with the function that it declares, its parameters and its hints:

    // tt-linker: add_3a1b2c4d_0d1d2d3:CUdeviceptr x, CUdeviceptr y, int32_t n:1024_warps4xstages3

Variants with the same constants form one *algo*: they compute the same result, and the arguments decide which of them may run.
linked.c has

    add_1024_warps4xstages3(stream, x, y, n)     calls the variant with the most hints that the arguments fulfil
    add(stream, x, y, n, algo_id)                calls one of the algos, numbered in the order of the headers
    add_default(stream, x, y, n)                 calls the first algo
    add_get_num_algos()                          returns their number
    load_..., unload_...                         load and unload one algo, or all

Headers of several kernels may be given; each kernel gets these functions. The linker needs neither a GPU nor the library.
"""
from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import sys
from typing import Dict, List, Optional, Sequence, Tuple

_DIRECTIVE = re.compile(r"//\s*tt-linker:\s*(\w+):(.*):([^:]*?)\s*$")
_HINTS = re.compile(r"//\s*tessera-linker:\s*(\w+):(.*?)\s*$")
_FUNCTION = re.compile(r"^(\w+)_([0-9a-f]{8})_(\w*)$")
_PARAMETER = re.compile(r"^\s*(\w[\w\s*]*?)\s*\b(\w+)\s*$")

_INCLUDES = """\
#include <stdint.h>
#ifndef TT_KERNEL_INCLUDES /* else a variant's header was here */
#if defined(__has_include)
#if !__has_include(<cuda.h>)
#define TT_LINK_WITHOUT_CUDA_H 1
#endif
#endif
#ifdef TT_LINK_WITHOUT_CUDA_H
typedef int CUresult;
typedef unsigned long long CUdeviceptr;
typedef struct CUstream_st *CUstream;
#else
#include <cuda.h>
#endif
#endif
"""


class LinkerError(Exception):
    """The headers do not fit together, or tools.compile did not write them."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    type: str
    name: str
    hint: Optional[int] = None  # 16: divisible by 16; 1: equal to 1, and not a parameter of the variant's function

    @property
    def condition(self):
        return f"{self.name} == 1" if self.hint == 1 else f"{self.name} % 16 == 0"


@dataclasses.dataclass(frozen=True)
class Variant:
    kernel: str
    function: str
    algo: str  # constants and options
    parameters: Tuple[Parameter, ...]

    @property
    def hints(self):
        return [parameter for parameter in self.parameters if parameter.hint is not None]


# ---- reading --------------------------------------------------------------------------------------

def read_header(text: str, origin: str = "header") -> List[Variant]:
    """The variants that a header declares."""
    hints = {match.group(1): match.group(2) for match in map(_HINTS.match, text.splitlines()) if match}
    directives = [match for match in map(_DIRECTIVE.match, text.splitlines()) if match]
    return [_read_variant(*match.groups(), hints.get(match.group(1)), origin) for match in directives]


def _read_variant(function: str, signature: str, algo: str, hints: Optional[str], origin: str) -> Variant:
    match = _FUNCTION.match(function)
    if not match:
        raise LinkerError(f"{origin}: '{function}' is not the name of a compiled kernel")
    parameters = []
    for text in filter(str.strip, signature.split(",")):
        parameter = _PARAMETER.match(text)
        if not parameter:
            raise LinkerError(f"{origin}: '{text.strip()}' in the signature of {function} is not a type and a name")
        parameters.append(Parameter(*parameter.groups()))
    named = _named_hints(hints) if hints is not None else _hints_of_suffix(match.group(3), parameters, function, origin)
    return Variant(match.group(1), function, algo,
                   tuple(dataclasses.replace(each, hint=named.get(each.name)) for each in parameters))


def _named_hints(text: str) -> Dict[str, int]:
    """Parses "x=16 n=1", the hints of a header that Tessera wrote."""
    return {name: int(hint) for name, _, hint in (entry.partition("=") for entry in text.split())}


def _hints_of_suffix(suffix: str, parameters: Sequence[Parameter], function: str, origin: str) -> Dict[str, int]:
    """Parses "0d1c2", the hints of a header that has only Triton's line. The suffix counts constants too, but does not say which
    parameters they are; like Triton, this assumes that they come after all other parameters."""
    hints, at, index = {}, 0, 0
    while at < len(suffix):
        if not suffix.startswith(str(index), at):
            raise LinkerError(f"{origin}: the suffix '{suffix}' of {function} does not count its parameters")
        at += len(str(index))
        letter = suffix[at:at + 1]
        if letter in ("c", "d"):
            if index >= len(parameters):
                raise LinkerError(f"{origin}: {function} has a hint for parameter {index} of {len(parameters)}")
            hints[parameters[index].name] = 1 if letter == "c" else 16
            at += 1
        index += 1
    if index < len(parameters):
        raise LinkerError(f"{origin}: the suffix '{suffix}' of {function} counts {index} parameters of {len(parameters)}")
    return hints


# ---- grouping -------------------------------------------------------------------------------------

def identifier(text: str) -> str:
    """A constant as part of a C name: the dots and signs of floats are replaced."""
    return re.sub(r"\W", lambda match: {".": "p", "-": "m", "+": ""}.get(match.group(), "_"), text)


def group(variants: Sequence[Variant]) -> Dict[str, Dict[str, List[Variant]]]:
    """Groups variants by kernel and algo, in the order of the headers."""
    kernels: Dict[str, Dict[str, List[Variant]]] = {}
    for variant in variants:
        algos = kernels.setdefault(variant.kernel, {})
        known = next((others[0] for others in algos.values()), variant)
        types, expected = ([parameter.type for parameter in each.parameters] for each in (variant, known))
        if types != expected:
            raise LinkerError(f"the variants of {variant.kernel} have different parameters: {known.function} has "
                              f"({', '.join(expected)}), {variant.function} has ({', '.join(types)})")
        members = algos.setdefault(identifier(f"{variant.kernel}_{variant.algo}"), [])
        if variant.function not in [member.function for member in members]:
            members.append(variant)
    return kernels


# ---- writing --------------------------------------------------------------------------------------

def _declare(parameters: Sequence[Parameter], *more: str) -> str:
    return ", ".join(["CUstream stream", *(f"{each.type} {each.name}" for each in parameters), *more])


def _pass_on(parameters: Sequence[Parameter], *more: str) -> str:
    return ", ".join(["stream", *(each.name for each in parameters), *more])


def _own(variant: Variant) -> List[Parameter]:
    """The parameters of the variant's own function."""
    return [parameter for parameter in variant.parameters if parameter.hint != 1]


def _most_hints_first(variants: Sequence[Variant]) -> List[Variant]:
    return sorted(variants, key=lambda variant: -len(variant.hints))


def render_header(kernels: Dict[str, Dict[str, List[Variant]]], prefix: str = "") -> str:
    lines = ["/* Made by tessera.tools.link. Do not edit. */", "#pragma once", _INCLUDES, "#ifdef __cplusplus", 'extern "C" {',
             "#endif"]
    for kernel, algos in kernels.items():
        parameters = next(iter(algos.values()))[0].parameters
        lines.append(f"/* {kernel}: the algos have the same arguments and differ in constants and options. */")
        for algo in algos:
            lines += [f"CUresult {prefix}{algo}({_declare(parameters)});", f"void load_{prefix}{algo}(void);",
                      f"void unload_{prefix}{algo}(void);"]
        lines += [f"int {prefix}{kernel}_get_num_algos(void);",
                  f"CUresult {prefix}{kernel}_default({_declare(parameters)});",
                  f"CUresult {prefix}{kernel}({_declare(parameters, 'int algo_id')});",
                  f"void load_{prefix}{kernel}(void);", f"void unload_{prefix}{kernel}(void);"]
    lines += ["#ifdef __cplusplus", "}", "#endif"]
    return "\n".join(lines) + "\n"


def _render_algo(algo: str, variants: Sequence[Variant], prefix: str) -> List[str]:
    variants = _most_hints_first(variants)
    lines = []
    for variant in variants:
        lines += [f"CUresult {variant.function}({_declare(_own(variant))});", f"void load_{variant.function}(void);",
                  f"void unload_{variant.function}(void);"]
    lines += ["", f"CUresult {prefix}{algo}({_declare(variants[0].parameters)}) {{"]
    for variant in variants:
        # Variants may have different names for a parameter; the generated function has those of the first variant.
        named = [dataclasses.replace(first, hint=own.hint) for first, own in zip(variants[0].parameters, variant.parameters)]
        condition = " && ".join(each.condition for each in named if each.hint is not None)
        call = f"return {variant.function}({_pass_on([each for each in named if each.hint != 1])});"
        lines += [f"  if ({condition})", f"    {call}"] if condition else [f"  {call}"]
        if not condition:
            break
    else:
        lines.append("  return (CUresult)1; /* CUDA_ERROR_INVALID_VALUE: no variant takes these arguments */")
    lines += ["}", ""]
    for verb in ("load", "unload"):
        lines += [f"void {verb}_{prefix}{algo}(void) {{", *(f"  {verb}_{variant.function}();" for variant in variants), "}", ""]
    return lines


def _render_kernel(kernel: str, algos: Dict[str, List[Variant]], prefix: str) -> List[str]:
    parameters, name = next(iter(algos.values()))[0].parameters, prefix + kernel
    lines = [f"typedef CUresult (*{name}_algo_t)({_declare(parameters)});",
             f"static const {name}_algo_t {name}_algos[] = {{", *(f"    {prefix}{algo}," for algo in algos), "};", "",
             f"int {name}_get_num_algos(void) {{ return (int)(sizeof({name}_algos) / sizeof({name}_algos[0])); }}", "",
             f"CUresult {name}({_declare(parameters, 'int algo_id')}) {{",
             f"  if (algo_id < 0 || algo_id >= {name}_get_num_algos())",
             "    return (CUresult)1; /* CUDA_ERROR_INVALID_VALUE */",
             f"  return {name}_algos[algo_id]({_pass_on(parameters)});", "}", "",
             f"CUresult {name}_default({_declare(parameters)}) {{ return {name}({_pass_on(parameters, '0')}); }}", ""]
    for verb in ("load", "unload"):
        lines += [f"void {verb}_{name}(void) {{", *(f"  {verb}_{prefix}{algo}();" for algo in algos), "}", ""]
    return lines


def render_source(kernels: Dict[str, Dict[str, List[Variant]]], header_name: str, prefix: str = "") -> str:
    lines = ["/* Made by tessera.tools.link. Do not edit. */", f'#include "{header_name}"', "", "#ifdef __cplusplus", 'extern "C" {',
             "#endif"]
    for kernel, algos in kernels.items():
        for algo, variants in algos.items():
            lines += _render_algo(algo, variants, prefix)
        lines += _render_kernel(kernel, algos, prefix)
    lines += ["#ifdef __cplusplus", "}", "#endif"]
    return "\n".join(lines) + "\n"


def link(headers: Sequence[pathlib.Path], out: pathlib.Path, prefix: str = "") -> List[pathlib.Path]:
    """Writes OUT.h and OUT.c for the variants that the headers declare."""
    variants = []
    for path in map(pathlib.Path, headers):
        variants += read_header(path.read_text(encoding="utf-8"), str(path))
    if not variants:
        raise LinkerError("no header declares a kernel: there is no line with '// tt-linker:'")
    kernels = group(variants)
    header, source = (out.with_name(out.name + extension) for extension in (".h", ".c"))
    header.write_text(render_header(kernels, prefix), encoding="utf-8")
    source.write_text(render_source(kernels, header.name, prefix), encoding="utf-8")
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
