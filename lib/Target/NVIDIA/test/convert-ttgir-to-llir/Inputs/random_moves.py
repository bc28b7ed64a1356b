"""random_moves.py SEED COUNT SCRATCH: moves tensors between random layouts and buffers, on a model of the hardware.

Each kernel loads numbers in one layout, converts them or takes them through a buffer, and stores them in another
layout: the output must equal the input, without a race. Prints one line for each failure, then the instructions that
occurred, then the counts.
"""
import collections
import os
import random
import subprocess
import sys

import numpy as np

import ptx_model

BYTES = {"i1": 1, "i8": 1, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def listed(vectors):
    return "[" + ", ".join(f"[{v}]" for v in vectors) + "]"


class Layout:
    """Vectors of one dimension: the element that each bit of a register, lane, warp or block stands for."""

    def __init__(self, registers, lanes, warps, blocks=()):
        self.registers, self.lanes, self.warps, self.blocks = registers, lanes, warps, list(blocks)

    def __str__(self):
        return (f"#ttg.linear<{{register = {listed(self.registers)}, lane = {listed(self.lanes)}, "
                f"warp = {listed(self.warps)}, block = {listed(self.blocks)}}}>")


def mix(choose, vectors, order, chance):
    """Adds earlier vectors to later ones, which loses no element."""
    for i, later in enumerate(order):
        for earlier in order[:i]:
            if choose.random() < chance:
                vectors[later] ^= vectors[earlier]


def any_layout(choose, bits, warps, blocks):
    """Elements anywhere, some in several places."""
    registers = max(0, bits - 5 - warps - blocks) + choose.randrange(2)
    vectors = [0] * (registers + 5 + warps + blocks)
    order = choose.sample(range(len(vectors)), len(vectors))
    for bit in range(bits):
        vectors[order[bit]] = 1 << bit
    if choose.random() < 0.5:
        mix(choose, vectors, order, 0.15)
    return Layout(vectors[:registers], vectors[registers:registers + 5], vectors[registers + 5:][:warps],
                  vectors[registers + 5 + warps:])


def same_warps(choose, layout):
    """Registers and lanes in another order, so that no element leaves its warp."""
    vectors = layout.registers + layout.lanes
    choose.shuffle(vectors)
    count = len(layout.registers)
    return Layout(vectors[:count], vectors[count:], layout.warps, layout.blocks)


def padded(vectors, count):
    """Zeros are copies."""
    return vectors + [0] * (count - len(vectors))


def matrix_layout(choose, bits, warps, element):
    """As the operands of matrix units: what ldmatrix and stmatrix move, transposed or not."""
    vectors = [1 << bit for bit in range(bits)]
    if element == 2 and choose.random() < 0.4:
        high = choose.sample(vectors[3:], bits - 3)
        return Layout(high[:1] + high[3 + warps:], [high[1], high[2], 1, 2, 4], padded(high[3:3 + warps], warps))
    word = {1: 2, 2: 1, 4: 0}[element]
    high = choose.sample(vectors[word + 2:], bits - word - 2)
    return Layout(vectors[:word] + high[3 + warps:], vectors[word:word + 2] + high[:3],
                  padded(high[3:3 + warps], warps))


def vector_layout(choose, bits, warps, element):
    """16 bytes of a thread next to each other."""
    vectors = [1 << bit for bit in range(bits)]
    inside = {1: 4, 2: 3, 4: 2}[element]
    high = choose.sample(vectors[inside:], bits - inside)
    return Layout(vectors[:inside] + high[5 + warps:], padded(high[:5], 5), padded(high[5:5 + warps], warps))


def shared_encoding(choose, bits, keeps_rows):
    """Any invertible placement; or one that keeps 16 bytes together, as swizzles do."""
    vectors = [1 << bit for bit in range(bits)]
    if keeps_rows:
        for high in range(7, bits):
            for low in range(4, 7):
                if choose.random() < 0.3:
                    vectors[high] ^= vectors[low]
    else:
        choose.shuffle(vectors)
        mix(choose, vectors, range(bits), 0.1)
    return f"#ttg.shared_linear<{{offset = {listed(vectors)}}}, alignment = 16>"


def kernel(source, result, bits, dtype, shared, target):
    n = 1 << bits
    move = f"%w = ttg.convert_layout %v : tensor<{n}x{dtype}, #a> -> tensor<{n}x{dtype}, #b>"
    if shared:
        buffer = f"!ttg.memdesc<{n}x{dtype}, #s, #smem>"
        move = (f"%m = ttg.local_alloc %v : (tensor<{n}x{dtype}, #a>) -> {buffer}\n"
                f"  %w = ttg.local_load %m : {buffer} -> tensor<{n}x{dtype}, #b>")
    pointers = "".join(f"""
  %{x}r = tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32, {e}>
  %{x}s = tt.splat %{x} : !tt.ptr<{dtype}> -> tensor<{n}x!tt.ptr<{dtype}>, {e}>
  %{x}p = tt.addptr %{x}s, %{x}r : tensor<{n}x!tt.ptr<{dtype}>, {e}>, tensor<{n}xi32, {e}>"""
                       for x, e in (("x", "#a"), ("y", "#b")))
    return f"""#a = {source}
#b = {result}
{"#s = " + shared if shared else ""}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-warps" = {1 << len(source.warps)} : i32, "ttg.num-ctas" = {1 << len(source.blocks)} : i32,
                   "ttg.threads-per-warp" = 32 : i32, ttg.target = "{target}"}} {{
tt.func public @k(%x: !tt.ptr<{dtype}>, %y: !tt.ptr<{dtype}>) {{{pointers}
  %v = tt.load %xp : tensor<{n}x!tt.ptr<{dtype}>, #a>
  {move}
  tt.store %yp, %w : tensor<{n}x!tt.ptr<{dtype}>, #b>
  tt.return
}}
}}
"""


def choose_case(choose):
    """Text of a kernel, its target, and the number of bits, warps and blocks."""
    warps, target = choose.randrange(3), choose.choice(["cuda:80", "cuda:90"])
    kind = choose.choice(["any", "warps", "matrix", "matrix", "cluster"])
    shared, blocks = choose.random() < 0.5, 0
    if kind == "matrix":
        dtype, bits = choose.choice(["f16", "bf16", "i8", "f32"]), choose.randrange(9, 12)
        pair = [make(choose, bits, warps, BYTES[dtype]) for make in (matrix_layout, vector_layout)]
        choose.shuffle(pair)
    else:
        dtype, bits = choose.choice(sorted(BYTES)), choose.randrange(3, 11)
        if kind == "cluster":
            shared, blocks, target = False, choose.randrange(1, 3), "cuda:90"
        first = any_layout(choose, bits, warps, blocks)
        pair = [first, same_warps(choose, first) if kind == "warps" else any_layout(choose, bits, warps, blocks)]
    encoding = shared_encoding(choose, bits, kind == "matrix") if shared else None
    return kernel(*pair, bits, dtype, encoding, target), target, bits, dtype, warps, blocks


def try_case(seed, scratch):
    """What went wrong, or nothing; and the instructions."""
    choose = random.Random(seed)
    text, target, bits, dtype, warps, blocks = choose_case(choose)
    path = os.path.join(scratch, f"move{seed}.ttgir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(["tessera", "compile", path, "--target", target, "--emit", "ptx", "-o", "-"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr, {}
    size = BYTES[dtype] << bits
    memory = np.zeros(8192 + 2 * (size + 256), np.uint8)
    source, result = 4096, 4096 + (size + 511) // 256 * 256
    memory[source:source + size] = np.random.default_rng(seed).integers(0, 2 if dtype == "i1" else 256, size)
    expected = memory[source:source + size].copy()
    machine = ptx_model.Machine(done.stdout, [source, result, 0, 0], memory, 32 << warps, 1 << blocks)
    machine.run()
    if not (machine.memory[result:result + size] == expected).all():
        return "wrong values", machine.count
    return f"{machine.races} races" if machine.races else "", machine.count


def main():
    first, count, scratch = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(scratch, exist_ok=True)
    failed, instructions = 0, collections.Counter()
    for seed in range(first, first + count):
        problem, executed = try_case(seed, scratch)
        instructions.update(executed)
        if problem:
            failed += 1
            print(f"failed: move{seed}.ttgir: {problem}")
    for name in sorted(instructions):
        if any(word in name for word in ("matrix", "shared", "shfl", "bar")):
            print(name)
    print(f"{count - failed} passed, {failed} failed")


if __name__ == "__main__":
    main()
