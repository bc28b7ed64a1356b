"""Every matrix instruction: operands laid out in registers by the maps of AMD's matrix instruction calculator, the result read by them."""
import dataclasses

import numpy as np
import pytest

from assembly import Kernel
from emulator.numbers import bf16_to_f32, f32_to_bf16, f32_to_fp8, fp8_values

FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
FP8 = {"gfx942": ("e4m3fnuz", "e5m2fnuz"), "gfx950": ("e4m3", "e5m2"), "gfx1201": ("e4m3", "e5m2")}


@dataclasses.dataclass
class Product:
    name: str
    chip: str
    rows: int
    depth: int
    kinds: tuple  # of A and B
    result: str = "f32"
    blocks: int = 1

    @property
    def lanes(self):
        return 64 if self.chip.startswith("gfx9") else 32

    def __str__(self):
        return f"{self.chip}-{self.name}"

    # ---- the maps: (lane, element) of A -> (block, row, k); (lane, register) of D -> (block, row, column) ----------

    def operand_place(self, lane, element, kind):
        low, high, per = lane % self.rows, lane // self.rows, self.per
        if self.chip == "gfx1100":
            return 0, lane % 16, element
        if self.chip == "gfx1201":  # 16 bits: k = j0 + 2 j1 + 4 l4 + 8 j2; 8 bits: k = j + 8 l4
            k = element % 4 + 4 * (lane // 16) + 8 * (element // 4) if kind in ("f16", "bf16") else element + per * (lane // 16)
            return 0, lane % 16, k
        if self.result == "f64" and self.rows == 4:
            return lane // 4 % 4, lane % 4, lane // 16
        if self.blocks > 1:
            return high, low, element
        if "f8f6f4" in self.name and kind in ("fp8", "bf8"):
            return 0, low, 16 * high + element % 16 + 16 * (64 // self.rows) * (element // 16)
        return 0, low, per * high + element

    def result_place(self, lane, register):
        if self.chip == "gfx1100":
            return 0, lane // 16 + 2 * register, lane % 16
        if self.chip == "gfx1201":
            return 0, register + 8 * (lane // 16), lane % 16
        column, high = lane % self.rows, lane // self.rows
        if self.rows == 4:
            return (lane // 4 % 4, lane // 16, column) if self.result == "f64" else (lane // 4, register, column)
        block, register = divmod(register, self.rows**2 // 64)
        if self.result == "f64":
            return block, 4 * register + high, column
        if self.rows == 16:
            return block, 4 * high + register, column
        return block, register % 4 + 4 * high + 8 * (register // 4), column

    @property
    def per(self):
        """Elements of A that a lane holds."""
        return self.depth if self.chip == "gfx1100" else self.depth * self.rows * self.blocks // self.lanes

    # ---- numbers ------------------------------------------------------------------------------------

    def values(self, kind, random):
        """(values [block, row, k], their bits), small integers that every type has."""
        shape = (self.blocks, self.rows, self.depth)
        if kind == "fp4":
            codes = random.integers(0, 16, shape)
            return FP4[codes], codes
        numbers = random.integers(0 if kind == "u8" else -4, 5, shape)
        if kind in ("i8", "u8"):
            return numbers, numbers & 255
        if kind in ("fp8", "bf8"):
            name = FP8[self.chip][kind == "bf8"]
            bits = f32_to_fp8(numbers.astype(np.float32), name)
            return fp8_values(name)[bits], bits
        if kind in ("bf16", "bf16_1k"):
            bits = f32_to_bf16(numbers.astype(np.float32))
            return bf16_to_f32(bits), bits
        numbers = numbers.astype({"f16": np.float16, "f32": np.float32, "xf32": np.float32, "f64": np.float64}[kind])
        return numbers, numbers.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[numbers.itemsize])

    def registers(self, kind, bits):
        """[register, lane] of words."""
        width = {"fp4": 4, "i8": 8, "u8": 8, "fp8": 8, "bf8": 8, "f16": 16, "bf16": 16, "bf16_1k": 16, "f64": 64}.get(kind, 32)
        words = np.zeros((max(1, self.per * width // 32), self.lanes), np.uint32)
        for lane in range(self.lanes):
            packed = 0
            for element in range(self.per):
                packed |= int(bits[self.operand_place(lane, element, kind)]) << width * element
            for index in range(len(words)):
                words[index, lane] = packed >> 32 * index & 0xFFFFFFFF
        return words


def loads(argument, first, count, chip):
    """Loads `count` words of each lane, one behind the other for all lanes."""
    load, lanes = ("global_load_dword", 64) if chip.startswith("gfx9") else ("global_load_b32", 32)
    lines = ["v_lshlrev_b32_e32 v1, 2, v0"]
    for index in range(count):
        lines += [f"{load} v{first + index}, v1, s[{4 + 2 * argument}:{5 + 2 * argument}]", f"v_add{'' if lanes == 64 else '_nc'}_u32_e32 v1, {4 * lanes}, v1"]
    return lines


def execute(product, a, b, c, suffix="", swap=False, scales=()):
    """[register, lane] of the result, as words."""
    old, wait = product.chip.startswith("gfx9"), ["s_waitcnt vmcnt(0) lgkmcnt(0)"]
    if product.chip == "gfx1201":
        wait = ["s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0"]
    arrays = [a, b, c, *scales, np.zeros(c.shape, np.uint32)]
    lines = [f"s_load_{'dwordx2' if old else 'b64'} s[{4 + 2 * i}:{5 + 2 * i}], s[0:1], {hex(8 * i)}" for i in range(len(arrays))] + wait
    firsts, first = [], 10
    for argument, array in enumerate(arrays[:-1]):
        lines += loads(argument, first, len(array), product.chip)
        firsts.append(first)
        first += len(array) + len(array) % 2

    def registers(place):
        return f"v[{firsts[place]}:{firsts[place] + len(arrays[place]) - 1}]" if len(arrays[place]) > 1 else f"v{firsts[place]}"
    sources = [registers(1), registers(0)] if swap else [registers(0), registers(1)]
    extra = "".join(f", v{firsts[3 + i]}" for i in range(len(scales)))
    lines += wait + [f"{product.name} {registers(2)}, {sources[0]}, {sources[1]}, {registers(2)}{extra}{suffix}", "v_lshlrev_b32_e32 v1, 2, v0"]
    out = 4 + 2 * (len(arrays) - 1)
    for index in range(len(c)):
        lines += [f"global_store_{'dword' if old else 'b32'} v1, v{firsts[2] + index}, s[{out}:{out + 1}]",
                  f"v_add{'' if old else '_nc'}_u32_e32 v1, {4 * product.lanes}, v1"]
    return Kernel("\n".join(lines), product.chip, product.lanes, len(arrays)).run(arrays)[-1]


def check(product, suffix="", swap=False, scale=None):
    """Whether the instruction computes A B + C by the maps."""
    random = np.random.default_rng([product.rows, product.depth])
    (x, x_bits), (y, y_bits) = (product.values(kind, random) for kind in product.kinds)
    dtype = {"f32": np.float32, "i32": np.int32, "f64": np.float64, "f16": np.float16, "bf16": np.float32}[product.result]
    registers = product.rows**2 * product.blocks // product.lanes
    start = random.integers(-5, 6, (registers, product.lanes)).astype(dtype)
    want = np.zeros((registers, product.lanes), np.float64)
    scales = scale(random, product) if scale else None
    left, right = (x, y) if scales is None else (x * scales[0][1], y * scales[1][1])
    whole = left.astype(np.float64) @ right.astype(np.float64).swapaxes(1, 2)
    for register in range(registers):
        for lane in range(product.lanes):
            want[register, lane] = start[register, lane] + whole[product.result_place(lane, register)]
    words, back = result_words(product, start)
    got = back(execute(product, product.registers(product.kinds[0], x_bits), product.registers(product.kinds[1], y_bits), words, suffix, swap,
                       [s[0] for s in scales] if scales else ()))
    return (got == want).all()


def result_words(product, start):
    """(the registers that hold a result, the function that reads them)."""
    if product.result == "f64":
        words = np.ascontiguousarray(start)[..., None].view(np.uint32).transpose(0, 2, 1).reshape(-1, product.lanes)
        return np.ascontiguousarray(words), lambda got: np.ascontiguousarray(got.reshape(-1, 2, product.lanes).transpose(0, 2, 1)).view(np.float64)[..., 0]
    if product.result in ("f16", "bf16"):
        halves = (start.view(np.uint16) if product.result == "f16" else f32_to_bf16(start)).astype(np.uint32)
        packed = halves if product.chip == "gfx1100" else halves[::2] | halves[1::2] << 16

        def back(got):
            raw = got & 0xFFFF if product.chip == "gfx1100" else np.stack([got & 0xFFFF, got >> 16], 1).reshape(-1, product.lanes)
            raw = raw.astype(np.uint16)
            return raw.view(np.float16) if product.result == "f16" else bf16_to_f32(raw)
        return packed, back
    return start.view(np.uint32), lambda got: got.view(start.dtype)


def mfma(chip, result, rows, depth, kind, blocks=1):
    kinds = tuple(kind.split("_")) if "fp8" in kind or kind == "bf8_bf8" else (kind, kind)
    middle = "" if chip == "gfx90a" else (f"_{blocks}b" if blocks > 1 else "") + "_"
    return Product(f"v_mfma_{result}_{rows}x{rows}x{depth}{middle}{kind}", chip, rows, depth, kinds, result, blocks)


def products():
    for chip in ("gfx90a", "gfx942", "gfx950"):
        bf16 = "bf16_1k" if chip == "gfx90a" else "bf16"
        for kind in ("f16", bf16):
            yield from (mfma(chip, "f32", rows, depth, kind, blocks) for rows, depth, blocks in ((32, 8, 1), (16, 16, 1), (32, 4, 2), (16, 4, 4), (4, 4, 16)))
        yield from (mfma(chip, "f32", rows, depth, "f32", blocks) for rows, depth, blocks in ((32, 2, 1), (16, 4, 1), (32, 1, 2), (16, 1, 4), (4, 1, 16)))
        yield from (mfma(chip, "i32", rows, depth, "i8", blocks) for rows, depth, blocks in ((32, 4, 2), (16, 4, 4), (4, 4, 16)))
        yield from (mfma(chip, "i32", rows, depth, "i8") for rows, depth in (((32, 8), (16, 16)) if chip == "gfx90a" else ((32, 16), (16, 32))))
        yield from (mfma(chip, "f64", 16, 4, "f64"), mfma(chip, "f64", 4, 4, "f64", 4))
    yield from (mfma("gfx90a", "f32", rows, depth, "bf16", blocks) for rows, depth, blocks in ((32, 4, 1), (16, 8, 1), (32, 2, 2), (16, 2, 4), (4, 2, 16)))
    yield from (mfma("gfx942", "f32", rows, depth, "xf32") for rows, depth in ((32, 4), (16, 8)))
    for chip in ("gfx942", "gfx950"):
        for kind in ("fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8"):
            yield from (mfma(chip, "f32", rows, depth, kind) for rows, depth in ((32, 16), (16, 32)))
    for kind in ("f16", "bf16"):
        yield from (mfma("gfx950", "f32", rows, depth, kind) for rows, depth in ((32, 16), (16, 32)))
    yield from (mfma("gfx950", "i32", rows, depth, "i8") for rows, depth in ((32, 32), (16, 64)))
    for chip in ("gfx1100", "gfx1201"):
        for result, kind in (("f32", "f16"), ("f32", "bf16"), ("f16", "f16"), ("bf16", "bf16")):
            yield Product(f"v_wmma_{result}_16x16x16_{kind}", chip, 16, 16, (kind, kind), result)
    for kinds in (("fp8", "fp8"), ("fp8", "bf8"), ("bf8", "fp8"), ("bf8", "bf8")):
        yield Product("v_wmma_f32_16x16x16_" + "_".join(kinds), "gfx1201", 16, 16, kinds)


@pytest.mark.parametrize("product", products(), ids=str)
def test_product(product):
    assert check(product)
    assert not check(product, swap=True)  # the map of the result knows A from B


@pytest.mark.parametrize("chip", ["gfx1100", "gfx1201"])
@pytest.mark.parametrize("kinds", [("i8", "i8"), ("u8", "i8"), ("i8", "u8"), ("u8", "u8")])
def test_integers_of_wmma(chip, kinds):
    signs = ",".join(str(int(kind == "i8")) for kind in kinds)
    assert check(Product("v_wmma_i32_16x16x16_iu8", chip, 16, 16, kinds, "i32"), f" neg_lo:[{signs},0]" if signs != "0,0" else "")


CODES = {"fp8": 0, "bf8": 1, "fp4": 4}


@pytest.mark.parametrize("rows,depth", [(32, 64), (16, 128)])
@pytest.mark.parametrize("kinds", [("fp8", "fp8"), ("bf8", "fp8"), ("fp4", "fp4"), ("fp4", "fp8")])
def test_scaled_products(rows, depth, kinds):
    def scales(random, product):
        """A lane has the scale of 32 neighbours along K; the others of its bytes are not read."""
        found = []
        for _ in range(2):
            codes = random.integers(125, 130, (product.rows, product.depth // 32))
            words = np.array([[codes[lane % rows, lane // rows] | 0x77665500 for lane in range(64)]], np.uint32)
            found.append((words, np.repeat(np.exp2(codes - 127.0), 32, 1)))
        return found
    suffix = "".join(f" {name}:{CODES[kind]}" for name, kind in zip(("cbsz", "blgp"), kinds) if CODES[kind])
    plain = Product(f"v_mfma_f32_{rows}x{rows}x{depth}_f8f6f4", "gfx950", rows, depth, kinds)
    assert check(plain, suffix)
    scaled = dataclasses.replace(plain, name=plain.name.replace("mfma", "mfma_scale"))
    assert check(scaled, " op_sel_hi:[0,0,0]" + suffix, scale=scales)
