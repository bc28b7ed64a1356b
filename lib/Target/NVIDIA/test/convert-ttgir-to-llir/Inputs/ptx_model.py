"""A model of the threads of one cluster that execute PTX without branches, for tests on machines without a GPU.

    machine = Machine(ptx_text, parameters=[4096, 8192], memory=numpy_bytes, threads=128)
    machine.run()
    machine.memory                          # global memory, afterwards
    machine.races                           # accesses to shared memory that no barrier orders
    machine.count["ldmatrix.sync..."]       # instructions executed

A register is an array with one number per thread; all threads execute an instruction at once. Addresses of global
memory are indices into `memory`. Shared memory remembers who wrote and read each byte since which barrier, so that a
missing barrier is noticed even though the lockstep order would hide it. Instructions are those of the PTX ISA that
layout conversions and shared-memory buffers need; anything else raises NotImplementedError.
"""
import re

import numpy as np

U64 = np.uint64
SHARED_BYTES = 1 << 18


def mask(bits):
    return U64((1 << bits) - 1)


def signed(values, bits):
    values = (values & mask(bits)).astype(np.int64)
    return values if bits == 64 else np.where(values >> (bits - 1) & 1, values - (1 << bits), values)


def split_operands(text):
    """Commas inside braces and brackets do not separate operands."""
    operands, depth = [""], 0
    for character in text:
        depth += (character in "{[") - (character in "}]")
        if character == "," and depth == 0:
            operands.append("")
        else:
            operands[-1] += character
    return [operand.strip() for operand in operands]


def names_in(vector):
    return [name.strip() for name in vector.strip("{}").split(",")]


class SharedMemory:
    """Of all blocks of a cluster, and who accessed what. A warp's barrier orders its own accesses alone."""

    def __init__(self, blocks, warps):
        size = blocks * SHARED_BYTES
        self.bytes = np.zeros(size, np.uint8)
        self.barriers, self.warp_barriers = 0, np.zeros(warps, int)
        self.accesses = [dict(), dict()]  # readers and writers: byte -> {thread: (barriers, warp barriers)}
        self.races = 0

    def note(self, address, thread, is_write):
        now = (self.barriers, self.warp_barriers[thread // 32])
        for kind, table in enumerate(self.accesses):
            others = table.setdefault(address, {})
            for other in [t for t, (barriers, _) in others.items() if barriers < self.barriers]:
                del others[other]
            if kind == is_write:  # two reads are no conflict; copies of an element are written by all who have it
                continue
            for other, (_, warp_barriers) in others.items():
                ordered = other // 32 == thread // 32 and warp_barriers < now[1]
                self.races += other != thread and not ordered
        self.accesses[is_write][address][thread] = now

    def barrier(self):
        self.barriers += 1


class Machine:
    def __init__(self, ptx, parameters, memory, threads, blocks=1):
        self.threads, self.blocks, self.total = threads, blocks, threads * blocks
        self.memory, self.parameters = memory, parameters
        self.shared = SharedMemory(blocks, max(1, self.total // 32))
        self.registers, self.count = {}, {}
        self.thread = np.arange(self.total, dtype=U64)
        self.lane = np.arange(self.total) % 32
        body = re.sub(r"//[^\n]*|\.loc[^\n]*|\.file[^\n]*|\$L\w+:", "", ptx[ptx.index("\n{") + 2:ptx.index("\n}")])
        # Braces around a statement open a scope; those of vectors follow an operand or an opcode.
        self.statements = [re.sub(r"^[{}\s]+", "", " ".join(s.split())) for s in body.split(";")]

    @property
    def races(self):
        return self.shared.races

    def run(self):
        for statement in self.statements:
            if statement and not statement.startswith(".reg"):
                self.execute(statement)

    # -- Values --------------------------------------------------------------

    def value(self, operand):
        special = {"%tid.x": self.thread % U64(self.threads), "%cluster_ctarank": self.thread // U64(self.threads)}
        if operand in special:
            return special[operand]
        if operand.startswith("%"):
            return self.registers[operand]
        number = 0 if operand == "global_smem" else int(operand.rstrip("U"), 0)
        return np.full(self.total, number & (2**64 - 1), U64)

    def set(self, register, values, bits, where=None):
        values = np.asarray(values, U64) & mask(bits)
        if where is not None:
            values = np.where(where, values, self.registers.get(register, np.zeros(self.total, U64)))
        self.registers[register] = values

    def address(self, operand):
        base, offset = re.fullmatch(r"\[\s*([^\]+]+?)\s*(?:\+\s*(-?\d+))?\s*\]", operand).groups()
        return self.value(base) + U64(int(offset or 0) & (2**64 - 1))

    # -- Memory --------------------------------------------------------------

    def places(self, space, addresses, size, where):
        """(thread, bytes, index) of each access. A block's number lies above the address in its shared memory, plus
        one; zero is the thread's own."""
        for thread in np.nonzero(where)[0]:
            at = int(addresses[thread])
            if space == "global":
                data = self.memory
            else:
                data, number = self.shared.bytes, at >> 32
                block = number - 1 if number else thread // self.threads
                at = (at & (SHARED_BYTES - 1)) + block * SHARED_BYTES
            assert at % size == 0, f"misaligned access to {space} memory"
            assert at + size <= len(data), f"access outside of {space} memory"
            yield thread, data, at

    def load(self, space, addresses, size, where):
        values = np.zeros(self.total, U64)
        for thread, data, at in self.places(space, addresses, size, where):
            values[thread] = int.from_bytes(data[at:at + size].tobytes(), "little")
            if space == "shared":
                for byte in range(at, at + size):
                    self.shared.note(byte, thread, False)
        return values

    def store(self, space, addresses, size, values, where):
        for thread, data, at in self.places(space, addresses, size, where):
            number = int(values[thread]) & ((1 << 8 * size) - 1)
            data[at:at + size] = np.frombuffer(number.to_bytes(size, "little"), np.uint8)
            if space == "shared":
                for byte in range(at, at + size):
                    self.shared.note(byte, thread, True)

    # -- Instructions ----------------------------------------------------------

    def execute(self, statement):
        where = np.ones(self.total, bool)
        predicate = re.match(r"@(!?)(%\w+)\s+(.*)", statement)
        if predicate:
            where = (self.registers[predicate[2]] != 0) != bool(predicate[1])
            statement = predicate[3]
        opcode, _, rest = statement.partition(" ")
        self.count[opcode] = self.count.get(opcode, 0) + 1
        kind, *modifiers = opcode.split(".")
        handler = getattr(self, "do_" + kind, None)
        if handler is None:
            raise NotImplementedError(statement)
        handler(modifiers, split_operands(rest), where)

    @staticmethod
    def bits_of(modifiers):
        return 1 if modifiers[-1] == "pred" else int(re.sub(r"\D", "", modifiers[-1]))

    def access(self, modifiers, vector, address, where, is_load):
        space = "shared" if any(m.startswith("shared") for m in modifiers) else "global"
        size = self.bits_of(modifiers) // 8
        names, addresses = names_in(vector), self.address(address)
        assert not (addresses[where] % U64(size * len(names))).any(), "misaligned vector"
        for i, name in enumerate(names):
            if is_load:
                self.set(name, self.load(space, addresses + U64(i * size), size, where), 64, where)
            else:
                self.store(space, addresses + U64(i * size), size, self.value(name), where)

    def do_ld(self, modifiers, operands, where):
        if modifiers[0] == "param":
            index = int(re.search(r"_param_(\d+)", operands[1])[1])
            self.set(operands[0], np.full(self.total, self.parameters[index]), 64)
        else:
            self.access(modifiers, operands[0], operands[1], where, True)

    def do_st(self, modifiers, operands, where):
        self.access(modifiers, operands[1], operands[0], where, False)

    def matrix_places(self, addresses, matrix, half, transposed):
        """PTX ISA, ldmatrix: lane l has elements 2(l%4) and 2(l%4)+1 of row l/4, or of column l/4."""
        row, column = self.lane // 4, self.lane % 4 * 2 + half
        if transposed:
            row, column = column, row
        rows = addresses[np.arange(self.total) - self.lane + 8 * matrix + row]
        return rows + U64(2) * column.astype(U64)

    def do_ldmatrix(self, modifiers, operands, where):
        addresses = self.address(operands[1])
        assert not (addresses % U64(16)).any(), "misaligned row"
        for matrix, name in enumerate(names_in(operands[0])):
            halves = [self.load("shared", self.matrix_places(addresses, matrix, h, "trans" in modifiers), 2, where)
                      for h in range(2)]
            self.set(name, halves[0] | halves[1] << U64(16), 32)

    def do_stmatrix(self, modifiers, operands, where):
        addresses = self.address(operands[0])
        assert not (addresses % U64(16)).any(), "misaligned row"
        for matrix, name in enumerate(names_in(operands[1])):
            for half in range(2):
                places = self.matrix_places(addresses, matrix, half, "trans" in modifiers)
                self.store("shared", places, 2, self.value(name) >> U64(16 * half), where)

    def do_shfl(self, modifiers, operands, where):
        other = self.value(operands[2]).astype(np.int64) % 32
        other = {"bfly": self.lane ^ other, "idx": other}[modifiers[1]]
        self.set(operands[0].split("|")[0], self.value(operands[1])[np.arange(self.total) - self.lane + other], 32)

    def do_mapa(self, modifiers, operands, where):
        block = self.value(operands[2]) + U64(1)
        self.registers[operands[0]] = self.value(operands[1]) & mask(32) | block << U64(32)

    def do_bar(self, modifiers, operands, where):
        if modifiers[0] == "warp":
            self.shared.warp_barriers += 1
        else:
            self.shared.barrier()

    def do_barrier(self, modifiers, operands, where):
        if "arrive" not in modifiers:
            self.shared.barrier()

    def do_mov(self, modifiers, operands, where):
        bits, (result, source) = self.bits_of(modifiers), operands
        if result.startswith("{"):
            parts = names_in(result)
            for i, part in enumerate(parts):
                if part != "_":
                    self.set(part, self.value(source) >> U64(i * bits // len(parts)), bits // len(parts))
        elif source.startswith("{"):
            parts = names_in(source)
            each = bits // len(parts)
            self.set(result, sum((self.value(p) & mask(each)) << U64(i * each) for i, p in enumerate(parts)), bits)
        else:
            self.set(result, self.value(source), bits, where)

    def do_mul(self, modifiers, operands, where):
        bits, x, y = self.bits_of(modifiers), self.value(operands[1]), self.value(operands[2])
        if "wide" not in modifiers:
            return self.set(operands[0], x * y, bits)
        if modifiers[-1][0] == "s":
            x, y = signed(x, bits).astype(U64), signed(y, bits).astype(U64)
        self.set(operands[0], x * y, 2 * bits)

    def do_mad(self, modifiers, operands, where):
        self.do_mul(modifiers, operands[:3], where)
        bits = self.bits_of(modifiers) * (2 if "wide" in modifiers else 1)
        self.set(operands[0], self.registers[operands[0]] + self.value(operands[3]), bits)

    def do_shr(self, modifiers, operands, where):
        bits, x, y = self.bits_of(modifiers), self.value(operands[1]), self.value(operands[2])
        is_signed = modifiers[-1][0] == "s"
        shifted = signed(x, bits) >> y.astype(np.int64) if is_signed else (x & mask(bits)) >> y
        self.set(operands[0], shifted.astype(U64), bits)

    def do_bfe(self, modifiers, operands, where):
        x, first, length = map(self.value, operands[1:])
        self.set(operands[0], x >> first & ((U64(1) << length) - U64(1)), self.bits_of(modifiers))

    def do_prmt(self, modifiers, operands, where):
        x, y, selector = map(self.value, operands[1:])
        both, result = x & mask(32) | y << U64(32), np.zeros(self.total, U64)
        for i in range(4):
            byte = selector >> U64(4 * i) & U64(7)
            result |= (both >> U64(8) * byte & U64(255)) << U64(8 * i)
        self.set(operands[0], result, 32)

    def do_cvt(self, modifiers, operands, where):
        to, source = modifiers[-2:]
        bits = int(re.sub(r"\D", "", source))
        x = self.value(operands[1])
        self.set(operands[0], signed(x, bits).astype(U64) if source[0] == "s" else x & mask(bits),
                 int(re.sub(r"\D", "", to)))

    def do_setp(self, modifiers, operands, where):
        bits, x, y = self.bits_of(modifiers), self.value(operands[1]), self.value(operands[2])
        if modifiers[-1][0] == "s":
            x, y = signed(x, bits), signed(y, bits)
        compare = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
                   "ge": np.greater_equal}[modifiers[0]]
        self.set(operands[0], compare(x, y), 1)

    def do_selp(self, modifiers, operands, where):
        yes, no, which = map(self.value, operands[1:])
        self.set(operands[0], np.where(which != 0, yes, no), self.bits_of(modifiers))

    def do_popc(self, modifiers, operands, where):
        self.set(operands[0], [bin(int(x)).count("1") for x in self.value(operands[1])], 32)

    def do_not(self, modifiers, operands, where):
        self.set(operands[0], ~self.value(operands[1]), self.bits_of(modifiers))

    def do_ret(self, modifiers, operands, where):
        pass


def binary(function):
    def do(self, modifiers, operands, where):
        x, y = self.value(operands[1]), self.value(operands[2])
        self.set(operands[0], function(x, y), self.bits_of(modifiers))
    return do


for name, function in {"add": np.add, "sub": np.subtract, "and": np.bitwise_and, "or": np.bitwise_or,
                       "xor": np.bitwise_xor, "shl": np.left_shift}.items():
    setattr(Machine, "do_" + name, binary(function))
