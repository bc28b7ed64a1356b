#!/usr/bin/env python3
"""Compiles every kernel that the operators of kernels/ launch, in every configuration, for a GPU that need not be there.

    python -m tessera test/lab/registers.py                      all operators at the size Medium, for cuda:90
    python -m tessera test/lab/registers.py mha --size Large --version v4

Prints registers, spilled 32-bit words and shared memory of each kernel, those that spill last, and what does not compile. The wrappers
run on the CPU with small stand-ins for the random numbers; launches compile instead of running, so the results mean nothing.
"""
import argparse
import os
import sys
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import operators as lab  # noqa: E402

PROCESSORS = 132  # of an H200: wrappers choose between kernels by it


def record_launches(target, rows, most):
    """Replaces launching by compiling, of autotuned kernels the first `most` configurations."""
    import triton
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    def compile_one(fn, args, kwargs, config):
        options = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
        name = f"{fn.__name__} {config}" if config else fn.__name__
        try:
            for record in fn.precompile(*args, all_variants=False, target=target, **options):
                kernel = record.kernel
                rows.add((name, kernel.n_regs, kernel.n_spills, kernel.metadata.shared))
        except Exception as error:
            rows.add((name, -1, -1, str(error).strip().split("\n")[0]))

    def run(self, *args, **kwargs):
        compile_one(self, args, kwargs, "")

    def tune(self, *args, **kwargs):
        constants = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(configs, dict(zip(self.arg_names, args), **constants), **constants)
        for config in configs[:most]:
            compile_one(self.fn, args, dict(kwargs, **config.all_kwargs()), str(config))
    JITFunction.run, Autotuner.run = run, tune
    return triton


def call(operator, module, args, kwargs):
    """Calls a version, then the gradient that all versions share, from the optimized one."""
    import torch
    function = getattr(module, f"triton_{operator}")
    function(*args, **kwargs)
    if getattr(lab.load(operator, "reference"), "backward", False) and "v4" in module.__name__ and not kwargs.get("inplace"):
        result = function(*lab.leaves(args), **kwargs)
        if result.requires_grad:
            result.backward(torch.ones_like(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("operators", nargs="*")
    parser.add_argument("--size", default="Medium")
    parser.add_argument("--version", default="v")
    parser.add_argument("--target", default="cuda:90")
    parser.add_argument("--cases", action="store_true", help="the correctness cases instead of a size, with the first configurations")
    options = parser.parse_args()
    rows = set()
    record_launches(options.target, rows, 1 if options.cases else None)
    spilling = 0
    for operator in options.operators or lab.operators():
        with open(f"{lab.KERNELS}/{operator}/cases.toml", "rb") as file:
            table = tomllib.load(file)
        chosen = [dict({"dtype": table["op"].get("dtype", "float32")}, **table["sizes"][options.size])]
        if options.cases:
            chosen = [case for case in lab.cases(operator) if "raises" not in case]
        for version in [v for v in lab.versions(operator) if v.startswith(options.version)]:
            module = lab.load(operator, version)
            if hasattr(module, "processors"):
                module.processors = lambda device: PROCESSORS
            rows.clear()
            for case in chosen:
                call(operator, module, *lab.make_inputs(operator, case, "cpu"))
            for name, registers, spills, shared in sorted(rows, key=lambda r: (r[2], r[0])):
                spilling += spills != 0
                print(f"{operator} {version}: {name}: " + (f"{registers} registers, {spills} spilled, {shared} shared" if registers >= 0 else shared), flush=True)
    print(f"{spilling} kernels spill or do not compile")


if __name__ == "__main__":
    main()
