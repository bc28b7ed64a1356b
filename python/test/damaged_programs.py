"""Random damage to JSON programs (docs/program.md): the compiler answers with a kernel or a report. For test_robustness.py.

    python3 damaged_programs.py SEED COUNT     prints how many compilations ended how, by status
"""
import collections
import copy
import json
import random
import sys
from typing import Any, NamedTuple

import tessera
import tessera.language as tl
from tessera import _native
from tessera.runtime.program import Program

BLOCK = tl.constexpr(16)


class Pair(NamedTuple):
    x: Any
    y: Any = 3


@tessera.constexpr_function
def twice(n):
    return 2 * n


@tessera.jit
def helper(x, n: tl.constexpr = 4):
    return x * n + twice(n)


@tessera.jit
def kernel(p, t, d, N, D: tl.constexpr = 8):
    i = tl.arange(0, BLOCK)
    v = tl.load(p + i, i < N, other=0) + t[0] * helper(t.y)
    tl.store(p + i, v, i < N)
    d.store([0, 0], d.load([0, 0]) + D)


JUNK = [
    None, True, False, 0, -1, 5, 2**31, 2**63, 2**64, 1e308, [], {}, [[]], "", "x", "\0", "\ud800", "é", "def f(:",
    "def f(x):\n  return f(x)\n", "*fp32", "i32", "*fp32:16", "tensordesc<fp32[4]>", {"constant": None},
    {"constant": {"function": 0}}, {"tuple": []}, {"tuple": [1]}, {"tuple": ["i32"], "class": 0}, {"int": "5"}, {"int": "x"},
    {"int": "9" * 5000}, {"float": "nan"}, {"float": "zz"}, {"dtype": "*fp32"}, {"dtype": "??"},
    {"language": "triton.language.load"}, {"language": "a.b"}, {"function": 0}, {"function": 99}, {"function": -1},
    {"class": 0}, {"class": 7}, {"constexpr": {"constexpr": None}}, {"list": [{"list": []}]}, {"dict": [[None, None]]},
    {"dict": [1]}, {"set": [{"list": []}]}, {"module": "m", "members": {"a": None}},
    {"object": "o", "members": {"b": {"function": 0}}}, {"absent": True},
]
SPLINTERS = ["", "(", ")", "[", "'", "\n", " ", "1", "\t", "==", "lambda", "é", "\\"]


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from places(item, path + (i,))


def damage(rng, program):
    program = copy.deepcopy(program)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path = rng.choice(list(places(program))[1:])
        parent = program
        for key in path[:-1]:
            parent = parent[key]
        how = rng.randrange(6)
        if how == 0:
            del parent[path[-1]]
        elif how == 1 and isinstance(parent, list):
            parent.insert(rng.randrange(len(parent) + 1), copy.deepcopy(rng.choice(JUNK)))
        elif how == 2 and isinstance(parent[path[-1]], str) and parent[path[-1]]:
            text = parent[path[-1]]
            at = rng.randrange(len(text))
            parent[path[-1]] = text[:at] + rng.choice(SPLINTERS) + text[at + rng.choice([0, 1, 5]):]
        elif how == 3:
            other = rng.choice(list(places(program)))
            value = program
            for key in other:
                value = value[key]
            parent[path[-1]] = copy.deepcopy(value)
        else:
            parent[path[-1]] = copy.deepcopy(rng.choice(JUNK))
    return program


def main():
    signature = {"p": "*fp32", "t": Pair("i32", "i32"), "d": "tensordesc<fp32[4, 16]>", "N": "i32", "D": "constexpr"}
    program = json.loads(Program(kernel, signature, {(4,): 8}, {(0,): [["tt.divisibility", 16]]}).text)
    session = _native.Session({})
    session.compile_program(json.dumps(program), "cpu", "", "obj")
    counts = collections.Counter()
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for i in range(count):
        rng = random.Random(seed * 1000003 + i)
        text = json.dumps(damage(rng, program))
        if rng.random() < 0.05:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(["", "{", "[", "}", "\x01", "1e999"]) + text[at + 1:]
        try:
            session.compile_program(text, "cpu", "", rng.choice(["ttir", "ttir", "obj"]))
            counts["compiled"] += 1
        except _native.CompileFailure as failure:
            counts[failure.status] += 1
            json.loads(failure.report)
            if failure.status == 70:
                print(f"case {i}: {failure}", file=sys.stderr)
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
