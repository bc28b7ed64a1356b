"""An AMD GPU in NumPy (README.md): the same interface as the emulator of PTX.

    program, memory = Program(assembly), GlobalMemory()
    problems = run(program, (2, 1, 1), [memory.place(array.tobytes()), 64], shared_bytes, memory)
"""
import itertools

from ..numbers import Fault
from .group import Group
from .program import Program

__all__ = ["Program", "run"]
TOGETHER = 64  # waves of several workgroups that run together, at least one workgroup


def kernarg_segment(program, grid, arguments):
    """The bytes that a launch writes: the arguments and the hidden ones, at the places that the metadata says."""
    size = max([program.directive("kernarg_size"), *(offset + size for offset, size, _ in program.arguments)])
    data, values = bytearray(size + 16), iter(arguments)
    hidden = {f"hidden_block_count_{axis}": blocks for axis, blocks in zip("xyz", grid)}
    hidden |= {"hidden_group_size_x": program.threads, "hidden_group_size_y": 1, "hidden_group_size_z": 1, "hidden_grid_dims": 3}
    for offset, size, kind in program.arguments:
        value = hidden.get(kind, 0) if kind.startswith("hidden_") else next(values, 0)
        data[offset:offset + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return bytes(data)


def run(program, grid, arguments, shared_bytes, memory):
    """Runs the program's workgroups, several together; what is wrong with their use of LDS."""
    if shared_bytes > program.chip.lds_bytes:
        raise Fault(f"{shared_bytes} bytes of LDS of {program.chip.lds_bytes}")
    data = kernarg_segment(program, grid, arguments)
    kernarg = memory.place(data), data
    symbols = {name: memory.place(bytes(value)) for name, value in program.constants.items() if value}
    symbols |= dict.fromkeys(program.lds, 0)
    symbols.setdefault("global_smem", 0)
    places = ((x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0]))
    waves = -(-program.threads // program.chip.lanes)
    # Where programs wait for each other, for a lock say, those before must have ended: they run one after the other.
    count, problems = 1 if program.returns_atomics else max(1, TOGETHER // waves), []
    while together := list(itertools.islice(places, count)):
        group = Group(program, together, grid, kernarg, max(shared_bytes, program.shared_bytes), memory, symbols)
        try:
            group.run()
        except Fault as fault:
            raise Fault("\n".join([*problems, *group.shared.problems, str(fault)])) from fault
        problems += group.shared.problems
    return problems
