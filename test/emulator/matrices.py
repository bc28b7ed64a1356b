"""ldmatrix, stmatrix and mma.sync: PTX ISA, Matrix Fragments. Products are added up in double precision or int64."""
import re

import numpy as np

from .memory import WARP
from .numbers import bf16_to_f32, fp8_values
from .program import names_in

GROUP, IN_GROUP = np.arange(WARP) // 4, np.arange(WARP) % 4  # a lane's row, and its place in the row


class Matrices:
    def op_ldmatrix(self, instruction, mask):
        names = names_in(instruction.operands[0])
        lane = self.thread % WARP
        rows = self.load("shared", self.address(instruction.operands[1]), 16, mask & (lane < 8 * len(names)))
        for index, name in enumerate(names):
            matrix = rows.reshape(-1, WARP, 16)[:, 8 * index:8 * index + 8].copy().view(np.uint16)
            matrix = matrix.transpose(0, 2, 1) if "trans" in instruction.modifiers else matrix
            self.set(name, np.ascontiguousarray(matrix).view(np.uint32).reshape(-1), mask)

    def op_stmatrix(self, instruction, mask):
        names = names_in(instruction.operands[1])
        rows = np.zeros((self.threads // WARP, WARP, 16), np.uint8)
        for index, name in enumerate(names):
            matrix = np.ascontiguousarray(self.get(name, "u32")).view(np.uint16).reshape(-1, 8, 8)
            matrix = matrix.transpose(0, 2, 1) if "trans" in instruction.modifiers else matrix
            rows[:, 8 * index:8 * index + 8] = np.ascontiguousarray(matrix).view(np.uint8)
        lane = self.thread % WARP
        self.store("shared", self.address(instruction.operands[0]), rows.reshape(-1, 16), mask & (lane < 8 * len(names)))

    def fragment(self, name, kind):
        """The elements of a register: [warp, lane, element]."""
        if kind in ("f32", "s32", "f64"):
            return self.get(name, kind).reshape(-1, WARP, 1)
        words = np.ascontiguousarray(self.get(name, "u32")).reshape(-1, WARP, 1)
        if kind == "tf32":
            return (words & np.uint32(0xFFFFE000)).view(np.float32)
        if kind == "bf16":
            return bf16_to_f32(words.view(np.uint16))
        if kind in ("e4m3", "e5m2"):
            return fp8_values(kind)[words.view(np.uint8)]
        return words.view({"f16": np.float16, "s8": np.int8, "u8": np.uint8}[kind])

    def op_mma(self, instruction, mask):
        rows, columns, depth = map(int, re.findall(r"\d+", next(w for w in instruction.modifiers if re.fullmatch(r"m\d+n\d+k\d+", w))))
        kinds = [w for w in instruction.modifiers if w in ("f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32", "e4m3", "e5m2")][-4:]
        wide = np.int64 if kinds[1] in ("s8", "u8") else np.float64
        warps = self.threads // WARP
        a, b, c = (np.zeros((warps, *shape), wide) for shape in ((rows, depth), (depth, columns), (rows, columns)))
        halves = rows // 8  # of the lanes' rows: registers alternate between them
        for index, name in enumerate(names_in(instruction.operands[1])):
            values = self.fragment(name, kinds[1])
            count = values.shape[2]
            for element in range(count):
                column = IN_GROUP * count + element + 4 * count * (index // halves)
                a[:, GROUP + 8 * (index % halves), column] = values[:, :, element]
        for index, name in enumerate(names_in(instruction.operands[2])):
            values = self.fragment(name, kinds[2])
            count = values.shape[2]
            for element in range(count):
                b[:, IN_GROUP * count + element + 4 * count * index, GROUP] = values[:, :, element]
        for index, name in enumerate(names_in(instruction.operands[3])):
            values = self.fragment(name, kinds[3])
            for element in range(values.shape[2]):
                c[:, *self.result_place(values.shape[2] * index + element)] = values[:, :, element]
        self.set_results(instruction, mask, kinds[0], a @ b + c)

    @staticmethod
    def result_place(number):
        """Row and column of a lane's result: two in a row, then eight rows further down."""
        return GROUP + 8 * (number // 2), IN_GROUP * 2 + number % 2

    def set_results(self, instruction, mask, kind, product):
        count = 2 if kind == "f16" else 1
        dtype = {"f16": np.float16, "f32": np.float32, "s32": np.int32, "f64": np.float64}[kind]
        for index, name in enumerate(names_in(instruction.operands[0])):
            values = [product[:, *self.result_place(count * index + element)] for element in range(count)]
            values = np.ascontiguousarray(np.stack(values, 2).astype(dtype))
            self.set(name, (values.view(np.uint32) if count == 2 else values).reshape(-1), mask)
