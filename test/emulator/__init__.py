"""GPUs in NumPy (README.md): NVIDIA's, which executes PTX, and in gcn/ AMD's, which executes AMDGCN assembly.

    program, memory = parse(text), GlobalMemory()
    address = memory.place(array.tobytes())
    problems = run(program, (2, 1, 1), [address, 64], shared_bytes, memory)
"""
from . import gcn
from .asynchronous import AsynchronousBlock
from .block import Block
from .memory import GlobalMemory
from .numbers import Fault
from .program import Program
from .recipes import NoTensorMap, build_maps
from .tensor_copies import MAP_BYTES, TensorMap

__all__ = ["Fault", "GlobalMemory", "NoTensorMap", "Program", "TensorMap", "build_maps", "parse", "run"]


def parse(text):
    """The program of PTX or of AMDGCN assembly."""
    return gcn.Program(text) if ".amdgcn_target" in text else Program(text)


def place_maps(program, arguments, memory):
    """(arguments, symbols): a tensor map is passed by value, so the kernel takes its parameter's address."""
    passed, symbols = [], {}
    for name, argument in zip([*program.parameters, *[None] * len(arguments)], arguments):
        if isinstance(argument, TensorMap):
            symbols[name] = memory.place(bytes(MAP_BYTES))
            memory.maps[symbols[name]] = argument
        passed.append(symbols.get(name, argument) if name else argument)
    return passed, symbols


def run(program, grid, arguments, shared_bytes, memory, seed=0):
    """Runs the program's blocks, or clusters, one after the other; what is wrong with their use of shared memory. The seed decides
    what the chip may do in several ways, if the program has asynchronous instructions."""
    if isinstance(program, gcn.Program):
        return gcn.run(program, grid, arguments, shared_bytes, memory)
    symbols = {name: memory.place(data) for name, data in program.constants.items()}
    arguments, maps = place_maps(program, arguments, memory)
    symbols.update(maps)
    problems, kind = [], AsynchronousBlock if program.is_asynchronous else Block
    for z in range(0, grid[2], program.cluster[2]):
        for y in range(0, grid[1], program.cluster[1]):
            for x in range(0, grid[0], program.cluster[0]):
                block = kind(program, (x, y, z), grid, arguments, shared_bytes, memory, symbols, seed)
                try:
                    block.run()
                except Fault as fault:
                    raise Fault("\n".join([*problems, *block.shared.problems, str(fault)])) from fault
                problems += block.shared.problems
    return problems
