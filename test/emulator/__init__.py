"""An NVIDIA GPU in NumPy (README.md).

    program, memory = Program(ptx), GlobalMemory()
    address = memory.place(array.tobytes())
    problems = run(program, (2, 1, 1), [address, 64], shared_bytes, memory)
"""
import os

from .asynchronous import AsynchronousBlock
from .block import Block
from .memory import GlobalMemory
from .numbers import Fault
from .program import Program

__all__ = ["Fault", "GlobalMemory", "Program", "run"]


def run(program, grid, arguments, shared_bytes, memory, seed=None):
    """Runs the program's blocks one after the other; what is wrong with their use of shared memory. The seed decides
    what the chip may do in several ways; $TESSERA_TEST_SEED if it is not given."""
    seed = int(os.environ.get("TESSERA_TEST_SEED", 0)) if seed is None else seed
    symbols = {name: memory.place(data) for name, data in program.constants.items()}
    problems, kind = [], AsynchronousBlock if program.is_asynchronous else Block
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                block = kind(program, (x, y, z), grid, arguments, shared_bytes, memory, symbols, seed)
                try:
                    block.run()
                except Fault as fault:
                    raise Fault("\n".join([*problems, *block.shared.problems, str(fault)])) from fault
                problems += block.shared.problems
    return problems
