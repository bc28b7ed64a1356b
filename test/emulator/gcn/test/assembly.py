"""Small kernels of hand-written AMDGCN assembly for the emulator's tests.

    kernel = Kernel(body, "gfx942", threads=128, arguments=2)
    kernel.run([array, array])     the arrays afterwards; complaints are Faults

The body finds the kernel's arguments at s[0:1], the workgroup's number in s2 (in ttmp9 on gfx1201) and the thread's in v0.
"""
import numpy as np

import emulator

HEAD = """	.amdgcn_target "amdgcn-amd-amdhsa--{chip}"
	.amdhsa_code_object_version 5
	.text
	.globl	kernel
	.p2align	8
	.type	kernel,@function
kernel:
{body}
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel kernel
		.amdhsa_group_segment_fixed_size {lds}
		.amdhsa_private_segment_fixed_size {private}
		.amdhsa_kernarg_size {size}
		.amdhsa_user_sgpr_count {user}
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		{preload}
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 256
		.amdhsa_next_free_sgpr 96
		{offset}
		.amdhsa_float_denorm_mode_32 {denormals}
		.amdhsa_float_denorm_mode_16_64 3
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
{arguments}
    .group_segment_fixed_size: {lds}
    .kernarg_segment_align: 8
    .kernarg_segment_size: {size}
    .max_flat_workgroup_size: {threads}
    .name:           kernel
    .private_segment_fixed_size: {private}
    .sgpr_count:     100
    .symbol:         kernel.kd
    .vgpr_count:     256
    .wavefront_size: {lanes}
amdhsa.target:   amdgcn-amd-amdhsa--{chip}
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
"""


def indented(body):
    """Labels stay at the beginning of their lines."""
    lines = [line.strip() for line in body.strip().split("\n")]
    return "\n".join(line if line.endswith(":") else "\t" + line for line in lines if line)


class Kernel:
    def __init__(self, body, chip="gfx942", threads=64, arguments=2, lds=0, private=0, hidden=(), preload=0, denormals=3):
        places = [(8 * i, 8, "global_buffer") for i in range(arguments)]
        places += [(8 * arguments + 4 * i, 4, name) for i, name in enumerate(hidden)]
        described = "\n".join(f"      - .offset:         {offset}\n        .size:           {size}\n        .value_kind:     {kind}" for offset, size, kind in places)
        self.lds = lds
        self.text = HEAD.format(
            chip=chip, body=indented(body), lds=lds, private=private, size=8 * arguments + 4 * len(hidden), arguments=described, threads=threads,
            lanes=64 if chip.startswith("gfx9") else 32, denormals=denormals, user=2 + preload,
            preload=f".amdhsa_user_sgpr_kernarg_preload_length {preload}" if preload else "",
            offset=".amdhsa_accum_offset 128" if chip.startswith("gfx9") else f".amdhsa_wavefront_size32 {int(not chip.startswith('gfx9'))}")

    def run(self, arrays, grid=1):
        """The arrays afterwards."""
        memory = emulator.GlobalMemory()
        passed = [memory.place(np.ascontiguousarray(array).tobytes()) for array in arrays]
        placed = [data for _, data in memory.arrays]
        problems = emulator.run(emulator.parse(self.text), (grid, 1, 1), passed, self.lds, memory)
        if problems:
            raise emulator.Fault("; ".join(problems))
        return [data.view(array.dtype).reshape(array.shape).copy() for array, data in zip(arrays, placed)]


def without(body, dropped, instead=""):
    """The body less a line that must be there once."""
    lines = [line.strip() for line in body.strip().split("\n")]
    assert lines.count(dropped) == 1, f"no such line, or several: {dropped}"
    return "\n".join(instead if line == dropped else line for line in lines)
