"""Small kernels of hand-written PTX for the emulator's tests.

    kernel = Kernel("mov.u32 %r1, %tid.x; ...", threads=128, parameters=["in", "out"])
    kernel.run([array, array], shared=4096, seed=3)    the arrays afterwards; complaints are Faults
"""
import numpy as np

import emulator

HEAD = """
.version 8.1
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 global_smem[];
.visible .entry kernel({parameters})
.reqntid {threads}
{{
    .reg .pred %p<64>; .reg .b16 %rs<64>; .reg .b32 %r<600>; .reg .b64 %rd<64>;
{body}
    ret;
}}
"""


class Kernel:
    def __init__(self, body, threads, parameters):
        declared = ", ".join(f".param .u64 {name}" if not name.endswith("_map") else f".param .align 64 .b8 {name}[128]"
                             for name in parameters)
        self.text = HEAD.format(parameters=declared, threads=threads, body=body)
        self.program = emulator.Program(self.text)

    def run(self, arguments, shared, seed=0):
        """Arrays are copied to the emulator's memory and back. (map of an address, array) passes a tensor map."""
        memory = emulator.GlobalMemory()
        passed, placed = [], []
        for argument in arguments:
            tensor_map, array = argument if isinstance(argument, tuple) else (int, argument)
            array = np.ascontiguousarray(array)
            passed.append(tensor_map(memory.place(array.tobytes())))
            placed.append((array, memory.arrays[-1][1]))
        problems = emulator.run(self.program, (1, 1, 1), passed, shared, memory, seed)
        if problems:
            raise emulator.Fault("; ".join(problems))
        return [data.view(array.dtype).reshape(array.shape).copy() for array, data in placed]


def fill_shared(parameter, bytes_, threads):
    """Copies the parameter's first bytes to shared memory, word by word."""
    words = bytes_ // 4
    return f"""
    ld.param.u64 %rd60, [{parameter}];
    mov.u32 %r590, %tid.x;
    mov.u32 %r591, global_smem;
    shl.b32 %r592, %r590, 2;
    add.u32 %r593, %r591, %r592;
    cvt.u64.u32 %rd61, %r592;
    add.u64 %rd60, %rd60, %rd61;
$fill:
    ld.global.b32 %r594, [%rd60];
    st.shared.b32 [%r593], %r594;
    add.u32 %r593, %r593, {4 * threads};
    add.u64 %rd60, %rd60, {4 * threads};
    add.u32 %r590, %r590, {threads};
    setp.lt.u32 %p60, %r590, {words};
    @%p60 bra $fill;
"""


def store_registers(parameter, registers, threads):
    """Register i of thread t becomes word i * threads + t."""
    lines = [f"ld.param.u64 %rd62, [{parameter}]; mov.u32 %r595, %tid.x; mul.wide.u32 %rd63, %r595, 4; add.u64 %rd62, %rd62, %rd63;"]
    lines += [f"st.global.b32 [%rd62+{4 * threads * i}], {name};" for i, name in enumerate(registers)]
    return "\n".join(lines)


def accumulators(columns, kind, first=100):
    return [f"%r{first + i}" for i in range(columns // (4 if kind == "f16" else 2))]


def braces(names):
    return "{" + ", ".join(names) + "}"


def matrix_of_results(words, columns, kind, threads=128):
    """The matrix, 64 rows for each warp group, from what store_registers wrote: element by element."""
    groups = threads // 128
    dtype = {"f32": np.float32, "f16": np.float16, "s32": np.int32}[kind]
    result = np.zeros((64 * groups, columns), dtype)
    words = np.ascontiguousarray(words.reshape(-1, threads))
    for thread in range(threads):
        warp, lane = thread // 32, thread % 32
        for element in range(columns // 2):
            j, i, h = element // 4, element // 2 % 2, element % 2
            if kind == "f16":
                value = words[2 * j + i, thread:thread + 1].view(dtype)[h]
            else:
                value = words[element, thread:thread + 1].view(dtype)[0]
            result[16 * warp + lane // 4 + 8 * i, 8 * j + 2 * (lane % 4) + h] = value
    return result


def wait(address, parity):
    """Waits for an mbarrier's phase in a loop, as inline assembly has it."""
    return f"""{{ .reg .pred done;
    again: mbarrier.try_wait.parity.shared::cta.b64 done, [{address}], {parity};
    @!done bra again; }}"""


def without(lines, dropped=(), added=None):
    """The lines less those that are equal to one in `dropped`; `added[line]` comes after the line."""
    dropped, added = [dropped] if isinstance(dropped, str) else list(dropped), added or {}
    missing = [line for line in [*dropped, *added] if line not in lines]
    assert not missing, f"no such line: {missing}"
    kept = []
    for line in lines:
        kept += [] if line in dropped else [line]
        kept += [added[line]] if line in added else []
    return "\n".join(kept)
