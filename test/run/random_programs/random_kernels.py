#!/usr/bin/python3
"""Writes random kernels of all kinds of operations, and says with NumPy what they compute, exactly.

    program = write_program(seed)       # deterministic
    program.text()                      # a Python file with one kernel
    program.expected(inputs)            # what it leaves in memory

    test/run/random_programs/random_kernels.py --count 5000 --seed 1000     a long hunt; failing kernels are made small and printed
    test/run/random_programs/random_kernels.py --show 42                    the text of one

Integers wrap; floats hold integers so small that every result is exact. A program is a list of steps, and a
step is a line of the kernel with a function of arrays that means the same. Loops and branches hold lists of steps.
Making a failing kernel small: as long as it still fails, steps are left out, and what they gave is read from memory.
"""
import argparse
import copy
import os
import re
import sys
import zlib

import numpy as np

if __name__ == "__main__":
    HERE = os.path.dirname(os.path.abspath(__file__))
    sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))]
    sys.dont_write_bytecode = True
from tiles import HEAD, jit, offsets
from random_steps import FUNCTIONS, INPUT, OUTPUT, PROGRAMS, SCRATCH, Branch, Loop, Returned, Step, Value, read_as, run_steps
from random_writer import Writer


class Program:
    def __init__(self, steps, scope):
        self.steps, self.scope = steps, scope  # the scope: what the end of the kernel stores

    def stored(self):
        """(value, its place in the output)"""
        place, result = 0, []
        for v in self.scope:
            if place + v.size <= OUTPUT:
                result.append((v, place))
                place += v.size
        return result

    def text(self):
        lines = ["pid = tl.program_id(0)", f"scratch_ptr += pid * {SCRATCH}", f"out_ptr += pid * {OUTPUT}"]
        for step in self.steps:
            lines += step.text(0)
        for v, place in self.stored():
            value = f"{v.name}.to(tl.int64)" if v.kind == "i1" else v.name
            lines.append(f"tl.store(out_ptr + {place} + {f'({offsets(v.shape)})' if v.shape else 0}, {value})")
        return HEAD + FUNCTIONS + jit("kernel", "in_ptr, scratch_ptr, out_ptr, n", "\n".join(lines))

    def expected(self, memory, scratch, out, n):
        """The scratch and the output after all programs."""
        scratch, out = scratch.copy(), out.copy()
        with np.errstate(all="ignore"):
            for pid in range(PROGRAMS):
                env = {"in": memory, "scratch": scratch[pid * SCRATCH:(pid + 1) * SCRATCH], "pid": np.int32(pid), "n": np.int32(n)}
                try:
                    run_steps(self.steps, env)
                except Returned:
                    continue
                for v, place in self.stored():
                    out[pid * OUTPUT + place:][:v.size] = env[v.name].astype(np.int64).reshape(-1)
        return scratch, out


def write_program(seed, steps=None):
    writer = Writer(seed)
    scope = [Value("pid", (), "i32"), Value("n", (), "i32")]
    count = writer.rng.choice([6, 10, 15, 25]) if steps is None else steps
    body = [writer.fresh(scope) for _ in range(2)]
    scope += [step.results[0] for step in body]
    body += writer.block(scope, count, 0)
    # What nobody used would not be computed; of the rest some, so that others stay inside their loops.
    used = set(re.findall(r"\bv\d+\b", " ".join(line.split(" = ", 1)[-1] for step in body for line in step.text(0))))
    return Program(body, [v for v in scope[2:] if v.name not in used or writer.rng.random() < 0.3])


def inputs(seed):
    rng = np.random.default_rng(seed)
    wide = rng.integers(-2**31, 2**31, INPUT)
    memory = np.where(rng.random(INPUT) < 0.5, wide, rng.integers(-20, 20, INPUT)).astype(np.int32)
    scratch = rng.integers(-100, 100, PROGRAMS * SCRATCH).astype(np.int32)
    return memory, scratch, np.full(PROGRAMS * OUTPUT, -7, np.int64), int(rng.integers(0, 4))


def check(session, program, seed, threads=(1,), options=""):
    """None, or what is wrong."""
    from session import Unsupported
    memory, scratch, out, n = inputs(seed)
    expected_scratch, expected_out = program.expected(memory, scratch, out, n)
    try:
        after = session.launch(program.text(), "kernel", "*i32,*i32,*i64,i32", (PROGRAMS,),
                               {"in_ptr": memory, "scratch_ptr": scratch, "out_ptr": out, "n": n}, threads=threads, options=options)
    except Unsupported:
        raise
    except AssertionError as problem:
        return str(problem).split("\nimport triton")[0]
    for v, place in program.stored():
        for pid in range(PROGRAMS):
            actual, wanted = (a[pid * OUTPUT + place:][:v.size] for a in (after["out_ptr"], expected_out))
            if not (actual == wanted).all():
                at = int(np.flatnonzero(actual != wanted)[0])
                return (f"{v.name} {v.shape} of program {pid}: {(actual != wanted).sum()} of {v.size} differ, "
                        f"first [{at}] {actual[at]}, expected {wanted[at]}")
    if not (after["out_ptr"] == expected_out).all():
        return "something was written between the outputs"
    wrong = np.flatnonzero(after["scratch_ptr"] != expected_scratch)
    if wrong.size:
        at = wrong[0]
        return f"scratch: {wrong.size} differ, first [{at}] {after['scratch_ptr'][at]}, expected {expected_scratch[at]}"
    return None


# ---- making a failing program small ---------------------------------------------------------------

def blocks_of(steps):
    yield steps
    for step in steps:
        for body in ([step.body] if isinstance(step, Loop) else [step.then, step.otherwise] if isinstance(step, Branch) else []):
            yield from blocks_of(body)


def shrink(session, program, seed, problem, options=""):
    """Leaves out steps, or reads their results from memory instead, while some problem remains."""
    def still_fails(candidate):
        try:
            found = check(session, candidate, seed, options=options)
        except Exception:  # no longer a program, or not one that the target takes
            return False
        return found is not None and ("status 1" in found) == ("status 1" in problem)

    def tries(block, index):
        step = block[index]
        if isinstance(step, Loop):
            yield list(step.body) + [Step([c], [f"{c.name} = {y}"], lambda env, y=y: [env[y]]) for c, y in zip(step.results, step.yields)]
        yield []
        reads = []
        for result in step.results:
            where, array = offsets(result.shape), np.arange(result.size).reshape(result.shape)
            expression, function = read_as(result.kind, f"tl.load(in_ptr + ({where}))")
            reads.append(Step([result], [f"{result.name} = {expression}"],
                              lambda env, array=array, function=function: [function(env["in"][array])]))
        if reads and [s.lines for s in reads] != [getattr(step, "lines", None)]:
            yield reads

    changed = True
    while changed:
        changed = False
        for kept in range(len(program.scope) - 1, -1, -1):
            candidate = Program(program.steps, program.scope[:kept] + program.scope[kept + 1:])
            if still_fails(candidate):
                program, changed = candidate, True
        for number in range(len(list(blocks_of(program.steps)))):
            index = 0
            while True:
                found = list(blocks_of(program.steps))
                if number >= len(found) or index >= len(found[number]):
                    break
                for replacement in tries(found[number], index):
                    candidate = copy.copy(program)
                    candidate.steps = copy_steps(program.steps)
                    block = list(blocks_of(candidate.steps))[number]
                    block[index:index + 1] = replacement
                    gone = {v.name for v in found[number][index].results} if not replacement else set()
                    candidate.scope = [v for v in program.scope if v.name not in gone]
                    if still_fails(candidate):
                        program, changed = candidate, True
                        index -= 1
                        break
                index += 1
    return program


def copy_steps(steps):
    result = []
    for step in steps:
        step = copy.copy(step)
        for name in ("body", "then", "otherwise"):
            if hasattr(step, name):
                setattr(step, name, copy_steps(getattr(step, name)))
        result.append(step)
    return result


class OnGPU:
    """The CPU's session's face of a GPU. Programs get 1, 2, 4 or 8 warps in turn."""
    # One thread's stores are another's loads only after a barrier, which these programs do not have.
    WITHOUT = ("store", "update", "atomic")

    def __init__(self):
        from gpu_session import GPUSession
        self.session = GPUSession()

    def launch(self, source, kernel, signature, grid, arguments, threads=(), options=""):
        from session import Refused, Unsupported, why_not_here
        warps = f"num-warps={1 << zlib.crc32(source.encode()) % 4}"
        try:
            return self.session.launch(source, kernel, signature, grid, arguments, ",".join(filter(None, [warps, options])))
        except Refused as problem:
            if why_not_here(str(problem)):
                raise Unsupported(why_not_here(str(problem))) from None
            raise


def main():
    from session import Session, Unsupported
    parser = argparse.ArgumentParser(description="Random kernels on the CPU or a GPU, against NumPy.")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the text of one kernel")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--steps", type=int, help="per kernel; random by default")
    parser.add_argument("--without", nargs="*", default=[], metavar="OPERATION", help="leave these out: " + " ".join(Writer.WEIGHTS))
    parser.add_argument("--threads", type=int, nargs="*", default=[1])
    parser.add_argument("--options", default="", help='of the compiler: "mcpu=haswell"')
    parser.add_argument("--gpu", action="store_true", help="on the first GPU instead of the CPU")
    options = parser.parse_args()
    for name in {*options.without, *(OnGPU.WITHOUT if options.gpu else ())}:
        del Writer.WEIGHTS[name]
    if options.show is not None:
        print(write_program(options.show, options.steps).text())
        return 0
    session, failed, refused = OnGPU() if options.gpu else Session(), 0, {}
    for seed in range(options.seed, options.seed + options.count):
        program = write_program(seed, options.steps)
        try:
            problem = check(session, program, seed, tuple(options.threads), options.options)
        except Unsupported as reason:
            line = str(reason).split("\n")[0].split("unsupported: ")[-1]
            refused[line] = refused.get(line, 0) + 1
            continue
        if problem is None:
            continue
        failed += 1
        print(f"\nseed {seed}: {problem}", flush=True)
        if not options.no_shrink:
            small = shrink(session, program, seed, problem, options.options)
            print(f"smallest: {check(session, small, seed, options=options.options)}\n{small.text()[len(HEAD + FUNCTIONS):]}", flush=True)
    for line, times in sorted(refused.items(), key=lambda item: -item[1]):
        print(f"{times:6} unsupported: {line}")
    print(f"{options.count - failed - sum(refused.values())} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
