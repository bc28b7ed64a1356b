"""Workgroups that run together: their registers and their way through the program.

A vector register is an array [wave, lane], a scalar register an array [wave]. Waves at one place of the program execute it
together, also those of several workgroups; after a branch that divides them, those with the lowest place go first until they
meet again. `rows` are the waves that execute the present instruction: all of them (a slice), or their numbers.
A method `op_name(instruction)` executes an instruction; names that follow a pattern are found by `method_of`.
"""
import re

import numpy as np

from ..numbers import Fault
from .accesses import Accesses
from .atomics import Atomics
from .buffers import Buffers
from .lanes import Lanes
from .lds import LocalData, LocalDataShare
from .matrices import Matrices
from .operands import CODE, EXEC, M0, NULL, SCALARS, TTMP, VCC
from .packed import Packed
from .scalar import Scalars
from .vector import Vectors
from .waits import Waits

MOST_STEPS = 4_000_000
TURN = 300  # steps after which a wave gets its turn, wherever it is
SCRATCH = 0x5C0000000000  # base of the buffer that means private memory
NOTHING = 0x5A5A5A5A  # in registers that nobody wrote
IGNORED = re.compile(r"s_(nop|setprio|sleep|clause|delay_alu|waitcnt_depctr|wait_alu|wait_event|inst_prefetch|set_inst_prefetch_distance|code_end|sendmsg|"
                     r"wakeup|icache_inv|dcache_inv|dcache_wb|ttracedata|decperflevel|incperflevel|sethalt|round_mode|denorm_mode|prefetch\w*)$|"
                     r"buffer_(inv|invl2|wbl2|wbinvl1|wbinvl1_vol|gl0_inv|gl1_inv)$|global_(inv|wb|wbinv)$|v_nop$")
FAR_LABEL = re.compile(r"\((\.\w+)-\.\w+\)(&4294967295|>>32)")

FAMILIES = [(re.compile(pattern), method) for pattern, method in (
    (r"s_wait_\w+cnt", "op_wait_counter"), (r"s_(buffer_)?load_\w+", "op_scalar_load"), (r"s_cmpk?_\w+", "op_scalar_compare"),
    (r"v_cmpx?_\w+", "op_compare"), (r"v_s_\w+_f(16|32)", "op_scalar_function"), (r"v_mfma_\w+", "op_mfma"), (r"v_s?wmma_\w+", "op_wmma"),
    (r"v_pk_\w+", "op_packed"), (r"v_dot\d\w+", "op_dot"), (r"v_cvt_\w*(fp8|bf8|fp4)\w*", "op_fp8"),
    (r"ds_(read|load)\w*_tr\w*_b\d+", "op_transposed_read"), (r"ds_(read|write|load|store)\w*", "op_ds_access"), (r"ds_\w+", "op_ds_atomic"),
    (r"buffer_(load|store)_\w+", "op_buffer"), (r"(global|flat|scratch)_(load|store)\w*", "op_global"),
    (r"buffer_atomic_\w+", "op_buffer_atomic"), (r"(global|flat)_atomic_\w+", "op_global_atomic"), (r"s_\w+", "op_scalar"), (r"v_\w+", "op_vector"))]


class Group(Scalars, Vectors, Packed, Lanes, Matrices, Accesses, Buffers, Atomics, LocalDataShare, Waits):
    def __init__(self, program, places, grid, kernarg, shared_bytes, memory, symbols):
        """`places`: of the workgroups."""
        self.program, self.chip, self.memory, self.symbols = program, program.chip, memory, symbols
        self.lanes = self.chip.lanes
        self.group_waves = -(-program.threads // self.lanes)
        self.waves = self.group_waves * len(places)
        self.group_of = np.arange(self.waves) // self.group_waves
        self.threads = np.arange(self.waves * self.lanes).reshape(self.waves, self.lanes)
        self.vectors = {"v": {}, "a": {}}
        self.scalars = np.full((SCALARS, self.waves), NOTHING, np.uint32)
        self.scalars[NULL] = 0
        self.scc = np.zeros(self.waves, bool)
        self.exec = self.threads % (self.group_waves * self.lanes) < program.threads
        self.scratch = np.full((self.waves * self.lanes, program.private_bytes), 0xCD, np.uint8)
        self.shared = LocalData(shared_bytes, self.group_waves * self.lanes, len(places), self.lanes)
        self.mode = np.full(self.waves, self.first_mode(), np.int64)
        self.written = None  # register writes that wait for the other half of a pair
        self.start_waits()
        self.start_registers(places, grid, kernarg)
        self.place = np.zeros(self.waves, np.int64)
        self.done, self.waiting = np.zeros(self.waves, bool), np.zeros(self.waves, bool)
        self.phases, self.signalled = np.zeros(len(places), np.int64), np.zeros(self.waves, bool)  # of the workgroups' barriers
        self.set_rows(None)

    # ---- what the hardware sets up: AMDGPU usage guide, Initial Kernel Execution State --------------

    def first_mode(self):
        p = self.program
        return (p.directive("float_round_mode_32") | p.directive("float_round_mode_16_64") << 2 | p.directive("float_denorm_mode_32") << 4
                | p.directive("float_denorm_mode_16_64") << 6 | p.directive("dx10_clamp") << 8 | p.directive("ieee_mode") << 9
                | p.directive("fp16_overflow") << 23)

    def start_registers(self, places, grid, kernarg):
        program, number = self.program, 0
        local = (np.arange(self.waves * self.lanes, dtype=np.uint32) % np.uint32(self.group_waves * self.lanes)).reshape(self.waves, self.lanes)
        self.vectors["v"][0] = local  # the item's numbers in y and z, 0, lie in the upper bits
        address, data = kernarg
        for name, values in (("private_segment_buffer", [SCRATCH & 0xFFFFFFFF, SCRATCH >> 32, 0xFFFFFFFF, 0]), ("dispatch_ptr", [0, 0]),
                             ("queue_ptr", [0, 0]), ("kernarg_segment_ptr", [address & 0xFFFFFFFF, address >> 32]), ("dispatch_id", [0, 0]),
                             ("flat_scratch_init", [0, 0]), ("private_segment_size", [program.private_bytes])):
            if program.directive("user_sgpr_" + name):
                self.scalars[number:number + len(values)] = np.array(values, np.uint32)[:, None]
                number += len(values)
        preloaded, begin = program.directive("user_sgpr_kernarg_preload_length"), program.directive("user_sgpr_kernarg_preload_offset")
        for word in range(begin, begin + preloaded):
            self.scalars[number] = int.from_bytes(data[4 * word:4 * word + 4].ljust(4, b"\0"), "little")
            number += 1
        number = program.directive("user_sgpr_count")
        where = np.array(places, np.uint32)[self.group_of]
        for axis, letter in enumerate("xyz"):
            if program.directive("system_sgpr_workgroup_id_" + letter) and not self.chip.ids_in_ttmp:
                self.scalars[number] = where[:, axis]
                number += 1
        if self.chip.ids_in_ttmp:
            self.scalars[TTMP + 9] = where[:, 0]
            self.scalars[TTMP + 7] = where[:, 1] | where[:, 2] << np.uint32(16)
        if program.directive("enable_private_segment") and self.chip.scratch_buffer:
            self.scalars[number] = 0  # the wave's offset in private memory
        self.scalars[M0] = 0xFFFFFFFF
        self.write_exec_words()

    def symbol(self, text):
        """LLVM's address operands: `table@rel32@lo+8` is relative to s_getpc's result, `global_smem@abs32@lo` is not. Far branches add
        `(.LBB0_7-.Lpost_getpc0)&4294967295` to it; an instruction's number is its address here."""
        far = FAR_LABEL.fullmatch(text)
        if far and far[1] in self.program.labels:
            return self.program.labels[far[1]] if far[2] == "&4294967295" else 0
        parts = re.fullmatch(r"([\w.$]+?)(?:@(\w+))?(?:@(lo|hi))?([+-]\d+)?", text)
        name, kind, half, offset = parts.groups() if parts else (None,) * 4
        if name not in self.symbols:
            raise Fault(f"no such symbol: {text}")
        value = self.symbols[name] + int(offset or 0)
        if kind == "gotpcrel32":
            value = self.memory.place(value.to_bytes(8, "little"))
        if kind in ("rel32", "gotpcrel32", "rel64"):
            value = (value - CODE) & ((1 << 64) - 1)
        return value >> 32 if half == "hi" else value & 0xFFFFFFFF if half == "lo" or kind else value

    # ---- registers --------------------------------------------------------------------------------

    def set_rows(self, waves):
        """Which waves execute the next instructions: None for all."""
        self.rows = slice(None) if waves is None else waves
        self.num_rows = self.waves if waves is None else len(waves)
        self.refresh_exec()

    def refresh_exec(self):
        self.active = self.exec[self.rows]
        self.is_full = bool(self.active.all())

    def write_exec_words(self):
        words = np.packbits(self.exec, axis=1, bitorder="little").view(np.uint32)
        for index in range(self.lanes // 32):
            self.scalars[EXEC + index] = words[:, index]
        if self.lanes == 32:
            self.scalars[EXEC + 1] = 0

    def set_exec(self, mask):
        self.exec[self.rows] = mask
        self.write_exec_words()
        self.refresh_exec()

    def register(self, kind, number):
        """(waves, lanes) of a vector register, (waves, 1) of a scalar one."""
        if self.flying and (kind, number) in self.flying:
            self.check_flying((kind, number))
        if kind == "s":
            return self.scalars[number][self.rows][:, None]
        return self.whole_register(kind, number)[self.rows]

    def scalar_word(self, number):
        """[wave] of a scalar register."""
        if self.flying and ("s", number) in self.flying:
            self.check_flying(("s", number))
        return self.scalars[number][self.rows]

    def whole_register(self, kind, number):
        found = self.vectors[kind].get(number)
        if found is None:
            found = self.vectors[kind][number] = np.full((self.waves, self.lanes), NOTHING, np.uint32)
        return found

    def set_word(self, kind, number, value, mask):
        """Writes a vector register in the lanes of the mask; None: in all of them."""
        if self.written is not None:
            self.written.append((kind, number, np.array(value), mask))
            return
        if self.flying and (kind, number) in self.flying:
            self.check_flying((kind, number))
        register = self.whole_register(kind, number)
        if mask is None:
            register[self.rows] = value
        elif isinstance(self.rows, slice):
            np.copyto(register, value, where=mask)
        else:
            register[self.rows] = np.where(mask, value, register[self.rows])

    def set_scalar(self, operand, value, bits=32):
        first = operand.first
        if operand.kind != "s":
            raise Fault(f"{operand.text} is no scalar register")
        if first == NULL:
            return
        words = [np.asarray(value).astype(np.uint32)] if bits == 32 else [
            (value & np.uint64(0xFFFFFFFF)).astype(np.uint32), (value >> np.uint64(32)).astype(np.uint32)]
        for index, word in enumerate(words):
            if self.flying and ("s", first + index) in self.flying:
                self.check_flying(("s", first + index))
            self.scalars[first + index][self.rows] = word
        if EXEC <= first <= EXEC + 1:
            words = np.stack([self.scalars[EXEC + i][self.rows] for i in range(self.lanes // 32)], 1)
            self.exec[self.rows] = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little").view(bool)
            self.refresh_exec()

    def set_mask(self, operand, mask):
        """A lane mask; lanes that are not active give 0."""
        words = np.packbits(mask & self.active, axis=1, bitorder="little").view(np.uint32)
        if self.lanes == 32:
            self.set_scalar(operand, words[:, 0])
        else:
            self.set_scalar(operand, words[:, 0].astype(np.uint64) | words[:, 1].astype(np.uint64) << np.uint64(32), 64)

    # ---- the way through the program --------------------------------------------------------------

    def run(self):
        steps, last = 0, np.zeros(self.waves, np.int64)  # when each wave ran last
        while not self.done.all():
            ready = np.flatnonzero(~(self.done | self.waiting))
            if len(ready) == 0:
                self.deadlock()
            # Waves that spin on a lock must let its holder pass, wherever that is.
            longest = ready[last[ready].argmin()]
            at = int(self.place[longest] if steps - last[longest] > TURN else self.place[ready].min())
            chosen, above = ready[self.place[ready] == at], self.place[ready[self.place[ready] > at]]
            limit = int(above.min()) if len(above) else len(self.program.code) + 1
            self.set_rows(None if len(chosen) == self.waves else chosen)
            steps += self.go(at, limit, TURN if len(chosen) < len(ready) else MOST_STEPS)
            last[chosen] = steps
            if steps > MOST_STEPS:
                raise Fault("it does not end")

    def go(self, at, limit, most):
        """Executes instructions until the waves part, wait, end, or meet others at `limit`; the number of instructions."""
        code, steps, instruction = self.program.code, 0, None
        try:
            while steps < most:
                instruction = code[at]
                steps += 1
                self.shared.line = instruction.line
                if instruction.execute is None:
                    instruction.execute = self.method_of(instruction)
                if instruction.execute is Group.control:
                    at = self.control(instruction, at)
                    if at is None:
                        return steps
                else:
                    instruction.execute(self, instruction)
                    at += 1
                if at >= limit:
                    break
        except Exception as problem:
            if at >= len(code):
                raise Fault("the program has no s_endpgm at its end") from problem
            raise Fault(f"{problem} in line {instruction.line}: {instruction.text}") from problem
        self.place[self.rows] = at
        return steps

    @staticmethod
    def method_of(instruction):
        name = instruction.name
        if name in ("s_endpgm", "s_barrier", "s_barrier_wait", "s_branch", "s_setpc_b64") or name.startswith("s_cbranch_"):
            return Group.control
        if hasattr(Group, "op_" + name):
            return getattr(Group, "op_" + name)
        if IGNORED.match(name):
            return Group.op_nothing
        for pattern, method in FAMILIES:
            if pattern.fullmatch(name):
                return getattr(Group, method)
        raise Fault(f"no such instruction here: {instruction.text}")

    def op_nothing(self, _):
        pass

    def op_dual(self, instruction):
        """Both halves read before either writes."""
        self.written = []
        for part in instruction.parts:
            part.execute = part.execute or self.method_of(part)
            part.execute(self, part)
        written, self.written = self.written, None
        for write in written:
            self.set_word(*write)

    def op_s_trap(self, instruction):
        raise Fault(f"the kernel stops itself: {instruction.text}")

    def control(self, instruction, at):
        name = instruction.name
        if name == "s_endpgm":
            self.done[self.rows] = True
            self.complete_barriers()
            return None
        if name in ("s_barrier", "s_barrier_wait"):
            if name == "s_barrier":
                self.signal()
            self.place[self.rows] = at + 1
            self.waiting[self.rows] = True
            self.complete_barriers()
            return None
        if name == "s_branch":
            return self.target(instruction)
        if name == "s_setpc_b64":
            places = instruction.operands[0].scalar(self, 64).astype(np.int64) - CODE
            if (places < 0).any() or (places >= len(self.program.code)).any():
                raise Fault("s_setpc_b64 leaves the kernel")
            self.place[self.rows] = places
            return None
        taken = self.condition(name[len("s_cbranch_"):])
        if taken.all():
            return self.target(instruction)
        if not taken.any():
            return at + 1
        self.place[self.rows] = np.where(taken, self.target(instruction), at + 1)
        return None

    def target(self, instruction):
        label = instruction.operands[0].name
        if label not in self.program.labels:
            raise Fault(f"no such label: {label}")
        return self.program.labels[label]

    def condition(self, name):
        if name.startswith("scc"):
            return self.scc[self.rows] == (name == "scc1")
        if name.startswith("exec"):
            return self.active.any(1) == (name == "execnz")
        words = [self.register("s", VCC + i)[:, 0] for i in range(self.lanes // 32)]
        return (np.bitwise_or.reduce(words) != 0) == (name == "vccnz")

    # ---- barriers: a wave signals, and waits until every wave of its workgroup has -------------------

    def op_s_barrier_signal(self, instruction):
        if instruction.operands[0].name != "-1":
            raise Fault("named barriers are not modelled")
        self.signal()
        self.complete_barriers()

    def signal(self):
        if self.signalled[self.rows].any():
            raise Fault("a wave signals a barrier twice")
        self.signalled[self.rows] = True
        self.shared.signal(np.arange(self.waves)[self.rows], self.finished[self.chip.counter_of["lds"]])

    def complete_barriers(self):
        by_group = (self.signalled | self.done).reshape(-1, self.group_waves)
        complete = by_group.all(1) & self.signalled.reshape(-1, self.group_waves).any(1)
        self.phases[complete] += 1
        self.signalled &= ~complete[self.group_of]
        passed = self.waiting & (self.phases[self.group_of] > self.shared.waits)
        self.shared.waits[passed] += 1
        self.waiting &= ~passed

    def deadlock(self):
        waves = np.flatnonzero(self.waiting)
        lines = sorted({self.program.code[self.place[wave] - 1].line for wave in waves.tolist()})
        raise Fault(f"a deadlock: waves {', '.join(map(str, waves.tolist()))} wait at a barrier in lines {', '.join(map(str, lines))}")
