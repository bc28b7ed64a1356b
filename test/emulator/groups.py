"""wgmma: products of a warp group, four warps that begin at a multiple of four (PTX ISA, Asynchronous Warpgroup Level
Matrix Instructions).

A product is issued, committed to a group of products, and over when that group has been waited for. Until then its
registers (D, and A if that comes from registers) belong to the product: reading or writing them is a fault. Operands in
shared memory are read at any time between issue and wait; the seed decides whether early or late.

    operand_chunks(descriptor, rows, mn_major)      where the operand's 16-byte chunks lie in shared memory
"""
import dataclasses
import functools
import re

import numpy as np

from .memory import WARP
from .numbers import Fault, bf16_to_f32, fp8_values
from .program import names_in

GROUP = 4 * WARP
CHUNK = 16  # bytes: the unit of descriptors and swizzles
SWIZZLE = {0: 0, 1: 128, 2: 64, 3: 32}  # bytes, by the descriptor's bits 62 and 63
ROW, PLACE = np.arange(WARP) // 4, np.arange(WARP) % 4  # a lane's row, and its place in the row


# ---- descriptors ------------------------------------------------------------------------------------

@functools.cache
def chunk_offsets(rows, mn_major, swizzle, leading, stride):
    """Offsets of an operand's chunks: [row, half of K], or if M or N is contiguous [K, group of 8 rows]."""
    if not mn_major:
        row, half = np.arange(rows)[:, None], np.arange(2)
        return row // 8 * stride + row % 8 * (swizzle or CHUNK) + half * (CHUNK if swizzle else leading)
    k, group = np.arange(16)[:, None], np.arange(rows // 8)
    if not swizzle:
        return group * stride + k // 8 * leading + k % 8 * CHUNK
    in_box = swizzle // CHUNK
    return group // in_box * leading + group % in_box * CHUNK + k // 8 * stride + k % 8 * swizzle


def swizzled(addresses, swizzle):
    """Address bits 4.. are XORed with bits 7..: as many as number the chunks of a row."""
    return addresses ^ ((addresses >> 7 & (swizzle // CHUNK - 1)) << 4) if swizzle else addresses


def operand_chunks(descriptor, rows, mn_major):
    """The numbers of an operand's chunks in shared memory."""
    start, leading, stride = ((descriptor >> bit & 0x3FFF) * CHUNK for bit in (0, 16, 32))
    if descriptor >> 49 & 7:
        raise Fault("a descriptor's base offset is not 0")
    swizzle = SWIZZLE[descriptor >> 62]
    return swizzled(start + chunk_offsets(rows, mn_major, swizzle, leading, stride), swizzle) // CHUNK


# ---- products ---------------------------------------------------------------------------------------

@dataclasses.dataclass
class Form:
    """What an instruction's text says: parsed once."""
    columns: int
    kinds: tuple  # of D, A, B
    results: tuple  # registers of D
    a_registers: tuple  # empty: A is in shared memory
    signs: tuple  # of A, B
    mn_major: tuple  # of A, B
    saturating: bool

    @functools.cached_property
    def sets(self):
        return frozenset(self.results), frozenset(self.a_registers)

    def fits(self, other):
        """Whether both may be under way at once."""
        same = self.results == other.results and self.kinds == other.kinds
        (results, a), (other_results, other_a) = self.sets, other.sets
        return (same or not results & other_results) and not results & other_a and not a & other_results


def form_of(instruction):
    if instruction.plan is None:
        columns, depth = map(int, re.fullmatch(r"m64n(\d+)k(\d+)", instruction.modifiers[3]).groups())
        kinds = tuple(w for w in instruction.modifiers[4:] if w != "satfinite")
        operands = instruction.operands
        results, from_registers = tuple(names_in(operands[0])), operands[1].startswith("{")
        numbers = [int(text) for text in operands[4:]]
        signs, transposed = (tuple(numbers[:2]) or (1, 1)), tuple(numbers[2:])
        if from_registers and transposed:
            transposed = (0, *transposed)
        check_form(columns, depth, kinds, signs, transposed or (0, 0), len(results))
        instruction.plan = Form(columns, kinds, results, tuple(names_in(operands[1])) if from_registers else (), signs,
                                tuple(map(bool, transposed or (0, 0))), "satfinite" in instruction.modifiers)
    return instruction.plan


def check_form(columns, depth, kinds, signs, transposed, results):
    bits = {"f16": 16, "bf16": 16, "tf32": 32}.get(kinds[1], 8)
    allowed = columns in (8, 16, 24, 32) or columns % 16 == 0 if kinds[0] == "s32" else columns % 8 == 0
    if depth * bits != 256 or not 8 <= columns <= 256 or not allowed:
        raise Fault("no such shape of wgmma")
    if results != columns // (4 if kinds[0] == "f16" else 2):
        raise Fault(f"{results} registers of results")
    if len(transposed) != 2 or (bits != 16 and any(transposed)) or not set(signs) <= {1, -1}:
        raise Fault("no such immediates of wgmma")


@dataclasses.dataclass
class Product:
    """One instruction of some warp groups, between issue and wait."""
    form: Form
    groups: np.ndarray  # numbers of warp groups; the arrays below have an element for each
    commit: np.ndarray  # how many commits came before
    running: np.ndarray
    keep: np.ndarray  # scale-d: adds to D
    a: np.ndarray  # matrices, if A comes from registers
    chunks: list  # (of A or None, of B)
    read: list  # (A, B) where the operands were read early, else None


class Groups:
    """A block's products. `in_flight` says which threads' registers belong to products."""

    def start_groups(self):
        self.num_groups = self.threads // GROUP
        self.commits = np.zeros(self.num_groups, np.int64)
        self.products, self.in_flight, self.sums = [], {}, {}
        self.fence_of_group = np.zeros(self.num_groups, np.int64)
        self.touched = {}  # when each group's threads last touched a register that some wgmma uses

    def op_wgmma(self, instruction, mask):
        groups = self.groups_of(mask)
        what = instruction.modifiers[0]
        if what == "mma_async":
            self.issue(instruction, groups)
        elif what == "fence":
            self.fence_of_group[groups] = self.clocks.now
        elif what == "commit_group":
            self.commits[groups] += 1
        elif what == "wait_group":
            self.wait_for_products(groups, int(instruction.operands[0]))

    def end_groups(self):
        if self.products:
            raise Fault("the kernel ends before its wgmmas were waited for")

    def groups_of(self, mask):
        """Numbers of the warp groups, which are there as a whole."""
        whole = mask[:self.num_groups * GROUP].reshape(-1, GROUP).all(1)
        if whole.sum() * GROUP != mask.sum():
            raise Fault("only a part of a warp group takes part")
        return np.flatnonzero(whole)

    def uniform(self, values, groups, what):
        """A value of each group, in which all of its threads agree."""
        values = np.broadcast_to(values, self.threads)[:self.num_groups * GROUP].reshape(-1, GROUP)[groups]
        if (values != values[:, :1]).any():
            raise Fault(f"threads of a warp group differ in {what}")
        return values[:, 0]

    def issue(self, instruction, groups):
        form, operands = form_of(instruction), instruction.operands
        keep = self.uniform(self.get(operands[3], "pred"), groups, "scale-d")
        b = self.uniform(self.get(operands[2], "u64"), groups, "B's descriptor")
        b_chunks = [operand_chunks(int(word), form.columns, form.mn_major[1]) for word in b]
        a, a_chunks = None, [None] * len(groups)
        if form.a_registers:
            a = self.matrix_of_a(form)[groups]
        else:
            words = self.uniform(self.get(operands[1], "u64"), groups, "A's descriptor")
            a_chunks = [operand_chunks(int(word), 64, form.mn_major[0]) for word in words]
        self.check_registers(form, groups)
        product = Product(form, groups, self.commits[groups], np.ones(len(groups), bool), keep, a,
                          list(zip(a_chunks, b_chunks)), [None] * len(groups))
        for index, group in enumerate(groups):
            for chunks in product.chunks[index]:
                if chunks is not None:
                    self.shared.begin_group_read(group, chunks)
            if self.random.integers(2):
                product.read[index] = self.read_operands(product, index)
        self.products.append(product)
        self.find_registers_in_flight()

    def wait_for_products(self, groups, left):
        """All but the `left` commits before this are over."""
        for product in self.products:
            over = product.running & np.isin(product.groups, groups) & (product.commit < self.commits[product.groups] - left)
            if over.any():
                self.add(product, np.flatnonzero(over))
                product.running &= ~over
                for index in np.flatnonzero(over):
                    for chunks in product.chunks[index]:
                        if chunks is not None:
                            self.shared.end_group_read(product.groups[index], chunks)
        self.products = [product for product in self.products if product.running.any()]
        self.find_registers_in_flight()
        self.return_sums()

    # ---- operands -----------------------------------------------------------------------------------

    def read_operands(self, product, index):
        form, (a, b) = product.form, product.chunks[index]
        return (product.a[index] if a is None else self.matrix_at(a, form.kinds[1], form.mn_major[0]),
                self.matrix_at(b, form.kinds[2], form.mn_major[1]))

    def matrix_at(self, chunks, kind, mn_major):
        """[row, K]"""
        rows = self.numbers(self.shared.chunks(chunks), kind)
        return rows.reshape(len(chunks), -1).T if mn_major else rows.reshape(len(chunks), -1)

    @staticmethod
    def numbers(raw, kind):
        """Bytes or words as what products compute with."""
        if kind in ("s8", "u8"):
            return raw.view({"s8": np.int8, "u8": np.uint8}[kind]).astype(np.int64)
        if kind in ("e4m3", "e5m2"):
            return fp8_values(kind)[raw.view(np.uint8)]
        if kind == "bf16":
            return bf16_to_f32(raw.view(np.uint16)).astype(np.float64)
        if kind == "tf32":
            return (raw.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
        return raw.view(np.float16).astype(np.float64)

    def matrix_of_a(self, form):
        """[warp group, row, K], of four registers: two rows, then two halves of K."""
        words = np.stack([self.registers[name][:self.num_groups * GROUP].astype(np.uint32) for name in form.a_registers])
        values = self.numbers(np.ascontiguousarray(words)[..., None], form.kinds[1])
        values = values.reshape(2, 2, self.num_groups, 4, 8, 4, -1)  # half of K, half of rows, group, warp, row, place, element
        return values.transpose(2, 3, 1, 4, 0, 5, 6).reshape(self.num_groups, 64, -1)

    # ---- sums ---------------------------------------------------------------------------------------

    def add(self, product, indices):
        """Adds a product to its sums, which stay matrices until they go back to their registers."""
        form, groups = product.form, product.groups[indices]
        values, live = self.sums.setdefault((form.results, form.kinds[0]), (np.zeros((self.num_groups, 64, form.columns), np.float64),
                                                                           np.zeros(self.num_groups, bool)))
        fresh = groups[~live[groups]]
        if len(fresh) and product.keep.any():
            values[fresh] = self.sums_in_registers(form)[fresh]
        live[groups] = True
        operands = [product.read[index] or self.read_operands(product, index) for index in indices]
        a, b = (np.stack(matrices) for matrices in zip(*operands))
        result = form.signs[0] * form.signs[1] * (a @ b.transpose(0, 2, 1))
        result = result + np.where(product.keep[indices][:, None, None], values[groups], 0)
        values[groups] = self.rounded(result, form)

    @staticmethod
    def rounded(result, form):
        if form.kinds[0] == "s32":
            limits = np.iinfo(np.int32)
            return np.clip(result, limits.min, limits.max) if form.saturating else result.astype(np.int64).astype(np.int32)
        return result.astype(np.float32 if form.kinds[0] == "f32" else np.float16)

    def sums_in_registers(self, form):
        """[warp group, row, column]. Registers: 8 columns, then 8 rows further down, then the next column."""
        raw = np.stack([self.registers.get(name, self.thread)[:self.num_groups * GROUP].astype(np.uint32) for name in form.results])
        shape = (form.columns // 8, 2, self.num_groups, 4, 8, 4)  # columns, half of rows, group, warp, row, place
        if form.kinds[0] == "f16":
            values = raw.view(np.float16).reshape(*shape, 2)
        else:
            values = raw.view(np.float32 if form.kinds[0] == "f32" else np.int32)
            values = np.moveaxis(values.reshape(shape[0], 2, 2, *shape[2:]), 2, -1)
        return values.transpose(2, 3, 1, 4, 0, 5, 6).reshape(self.num_groups, 64, form.columns)

    def return_sums(self):
        """Sums that no product works on any more go back to their registers."""
        for (results, kind), (values, live) in list(self.sums.items()):
            busy = self.in_flight.get(results[0])
            ready = live & ~busy[:self.num_groups * GROUP:GROUP] if busy is not None else live.copy()
            if ready.any():
                self.set_results_of_groups(results, kind, values, np.repeat(ready, GROUP))
                live &= ~ready
            if not live.any():
                del self.sums[results, kind]

    def set_results_of_groups(self, results, kind, values, mask):
        dtype = {"f32": np.float32, "f16": np.float16, "s32": np.int32}[kind]
        values = values.astype(dtype).reshape(self.num_groups, 4, 2, 8, -1, 4, 2).transpose(4, 2, 0, 1, 3, 5, 6)
        if kind != "f16":
            values = np.moveaxis(values, -1, 2)  # one element in a register instead of two
        rows = np.ascontiguousarray(values).view(np.uint32).reshape(len(results), -1)
        full = np.zeros((len(results), self.threads), np.uint32)
        full[:, :rows.shape[1]] = rows
        threads = np.zeros(self.threads, bool)
        threads[:len(mask)] = mask
        for name, row in zip(results, full):
            before = self.registers.get(name)
            self.registers[name] = row if before is None or threads.all() else np.where(threads, row, before)

    # ---- registers ----------------------------------------------------------------------------------

    def touch_register(self, name):
        """Another instruction reads or writes a register that some wgmma uses."""
        if name in self.in_flight and (self.in_flight[name] & self.active).any():
            raise Fault(f"{name} belongs to a wgmma that has not been waited for")
        steps = self.touched.setdefault(name, np.zeros(self.num_groups, np.int64))
        groups = self.active[:self.num_groups * GROUP].reshape(-1, GROUP).any(1)
        steps[groups] = self.clocks.now

    def check_registers(self, form, groups):
        """wgmma.fence stands between other accesses to the registers and the wgmma; products under way may share
        accumulators only as a whole, in one shape."""
        fence = self.fence_of_group[groups]
        if (fence == 0).any():
            raise Fault("no wgmma.fence before the first wgmma")
        for name in form.results + form.a_registers:
            if name in self.touched and (self.touched[name][groups] > fence).any():
                raise Fault(f"no wgmma.fence after the last access to {name}")
        for product in self.products:
            other = product.form
            if np.isin(groups, product.groups[product.running]).any() and not form.fits(other):
                raise Fault("a wgmma under way uses these registers otherwise")

    def find_registers_in_flight(self):
        self.in_flight = {}
        for product in self.products:
            mask = np.zeros(self.threads, bool)
            for group in product.groups[product.running]:
                mask[group * GROUP:(group + 1) * GROUP] = True
            for name in (*product.form.results, *product.form.a_registers):
                before = self.in_flight.get(name)
                self.in_flight[name] = mask if before is None else before | mask
