"""Random programs compute the same before and after passes: keeps_meaning.py SEEDS -- PASSES

    keeps_meaning.py 0:100 -- -tt-combine -cse

Both texts come from tessera-opt, in generic form, and are executed here, one op after the other, with NumPy. What
TTIR leaves open (masked elements without `other`) is different in each execution. Says how many of the programs
the passes changed; the first that means something else is an error, with its number and text.
"""
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import numpy as np  # noqa: E402
import random_programs  # noqa: E402

ELEMENTS = {"i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64}
UNSIGNED = {np.dtype(np.int8): np.uint8, np.dtype(np.int32): np.uint32, np.dtype(np.int64): np.uint64}
HEAD = re.compile(r'(?:(%\w+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)(.*)')
ATTRIBUTE = r"\b{} = (?:array<i32: )?(-?\d+)"
CONSTANT = re.compile(r"value = (?:dense<)?(true|false|-?\d+)")
RELATIONS = {"0": np.equal, "1": np.not_equal, "2": np.less, "3": np.less_equal, "4": np.greater, "5": np.greater_equal}


class Op:
    """name, operands, results, attributes (as text), the text of the result's type, regions as (arguments, ops)"""


def parse_region(lines):
    arguments = []
    if lines[-1].startswith("^"):
        arguments = re.findall(r"(%\w+):", lines.pop())
    ops = []
    while not lines[-1].startswith("}"):
        ops.append(parse_op(lines))
    return arguments, ops


def parse_op(lines):
    """`lines` are in reverse order."""
    op = Op()
    base, count, op.name, operands, rest = HEAD.match(lines.pop()).groups()
    op.operands = operands.split(", ") if operands else []
    op.results = [f"{base}#{i}" for i in range(int(count))] if count else [base] if base else []
    op.attributes, op.regions = rest, []
    while rest.endswith("{"):
        op.regions.append(parse_region(lines))
        rest = lines.pop()
        op.attributes += rest
    op.type = rest.rpartition(" -> ")[2]
    return op


def parse_module(text):
    lines = [line.strip() for line in reversed(text.splitlines()) if line.strip()]
    module = parse_op(lines)
    return {re.search(r'sym_name = "(\w+)"', op.attributes)[1]: op for op in module.regions[0][1]}


def attribute(op, name):
    return re.search(ATTRIBUTE.format(name), op.attributes)[1]


def shape_of(type):
    return tuple(int(size) for size in re.match(r"tensor<((?:\d+x)*)", type)[1].split("x")[:-1]) if "<" in type else ()


def element_of(type):
    return ELEMENTS[re.search(r"(\w+)>?$", re.sub(r"(\d+x)+", "", type))[1]]


def compare(op, left, right):
    relation = int(attribute(op, "predicate"))
    if relation > 5:
        left, right, relation = left.view(UNSIGNED[left.dtype]), right.view(UNSIGNED[right.dtype]), relation - 4
    return RELATIONS[str(relation)](left, right)


class Machine:
    """Executes a function on a memory of its own."""
    def __init__(self, seed):
        self.memory = (np.arange(random_programs.MEMORY) * 7919 % 251).astype(np.int32)
        self.open = np.random.default_rng(seed)  # what nobody may depend on

    def run(self, ops, values):
        """The operands of the terminator."""
        for op in ops:
            operands = [values[name] for name in op.operands]
            if op.name in ("scf.yield", "tt.return"):
                return operands
            results = getattr(self, op.name.replace(".", "_"))(op, values, *operands)
            values.update(zip(op.results, results if op.regions else [results]))
        return []

    def arith_constant(self, op, values):
        text = CONSTANT.search(op.attributes)[1]
        value = text == "true" if text in ("true", "false") else int(text)
        return np.full(shape_of(op.type), value, element_of(op.type))

    arith_addi = staticmethod(lambda op, values, x, y: np.asarray(x + y))
    arith_subi = staticmethod(lambda op, values, x, y: np.asarray(x - y))
    arith_muli = staticmethod(lambda op, values, x, y: np.asarray(x * y))
    arith_andi = staticmethod(lambda op, values, x, y: np.asarray(x & y))
    arith_ori = staticmethod(lambda op, values, x, y: np.asarray(x | y))
    arith_xori = staticmethod(lambda op, values, x, y: np.asarray(x ^ y))
    arith_maxsi = staticmethod(lambda op, values, x, y: np.asarray(np.maximum(x, y)))
    arith_cmpi = staticmethod(lambda op, values, x, y: np.asarray(compare(op, x, y)))
    arith_select = staticmethod(lambda op, values, c, x, y: np.where(c, x, y).astype(x.dtype))
    arith_trunci = staticmethod(lambda op, values, x: x.astype(element_of(op.type)))
    arith_extui = staticmethod(lambda op, values, x: x.astype(element_of(op.type)))
    arith_extsi = staticmethod(lambda op, values, x: (-x.astype(np.int8) if x.dtype == bool else x).astype(element_of(op.type)))
    tt_splat = staticmethod(lambda op, values, x: np.full(shape_of(op.type), x))
    tt_broadcast = staticmethod(lambda op, values, x: np.broadcast_to(x, shape_of(op.type)))
    tt_expand_dims = staticmethod(lambda op, values, x: np.expand_dims(x, int(attribute(op, "axis"))))
    tt_trans = staticmethod(lambda op, values, x: x.T)
    tt_addptr = staticmethod(lambda op, values, p, offset: np.asarray(p + offset.astype(np.int64)))
    tt_dot = staticmethod(lambda op, values, a, b, c: a.astype(np.int32) @ b.astype(np.int32) + c)

    def tt_make_range(self, op, values):
        return np.arange(int(attribute(op, "start")), int(attribute(op, "end")), dtype=np.int32)

    def tt_load(self, op, values, pointers, mask=np.True_, other=None):
        if other is None:
            other = self.open.integers(-2**31, 2**31, pointers.shape)
        inside = (pointers >= 0) & (pointers < len(self.memory))
        assert np.all(inside | ~np.asarray(mask)), "a load outside of memory"
        return np.where(mask, self.memory[np.where(inside, pointers, 0)], other).astype(np.int32)

    def tt_store(self, op, values, pointers, value, mask=np.True_):
        places = np.broadcast_arrays(pointers, value, mask)
        for pointer, element, wanted in zip(*(place.ravel() for place in places)):
            if wanted:
                self.memory[pointer] = element

    def scf_for(self, op, values, lower, upper, step, *carried):
        (index, *names), body = op.regions[0]
        width = np.uint32 if "unsignedCmp" in op.attributes else np.int32
        for i in range(int(lower.astype(width)), int(upper.astype(width)), int(step)):
            inside = {**values, index: np.asarray(i).astype(np.int32), **dict(zip(names, carried))}
            carried = self.run(body, inside)
        return carried

    def scf_if(self, op, values, condition):
        _, body = op.regions[0 if condition else 1] if condition or len(op.regions) > 1 else ((), ())
        return self.run(body, dict(values))


def execute(function, inputs, seed):
    """(results, memory)"""
    names, body = function.regions[0]
    machine = Machine(seed)
    with np.errstate(over="ignore"):
        results = machine.run(body, dict(zip(names, inputs)))
    return [*results, machine.memory]


def inputs_of(seed):
    random = np.random.default_rng(seed)
    ranges = {"%n": [-1, 0, 1, 3], "%c": [False, True]}
    inputs = [np.asarray(np.int64(0))]
    for name, (shape, element) in random_programs.ARGUMENTS.items():
        size = tuple(int(part) for part in shape.split("x")) if shape else ()
        inputs.append(np.asarray(random.choice(ranges.get(name, np.arange(-40, 99)), size)).astype(ELEMENTS[element]))
    return inputs


def generic(text, passes):
    done = subprocess.run(["tessera-opt", "--mlir-print-op-generic", *passes, "-"], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tessera-opt {' '.join(passes)}: status {done.returncode}\n{done.stderr}")
    return parse_module(done.stdout)


def kinds(op):
    """The ops inside, in order."""
    return [op.name, *(kinds(inner) for _, ops in op.regions for inner in ops)]


def main():
    separator = sys.argv.index("--")
    seeds, passes = range(*map(int, sys.argv[1].split(":"))), sys.argv[separator + 1:]
    text = "".join(map(random_programs.text, seeds))
    before, after = generic(text, []), generic(text, passes)
    for seed in seeds:
        for k in range(3):
            inputs = inputs_of(3 * seed + k)
            first, second = (execute(module[f"f{seed}"], inputs, turn) for turn, module in enumerate([before, after]))
            if not all(np.array_equal(x, y) for x, y in zip(first, second, strict=True)):
                sys.exit(f"program {seed} means something else after {' '.join(passes)}\n{random_programs.text(seed)}")
    changed = sum(kinds(before[name]) != kinds(after[name]) for name in before)
    print(f"{len(seeds)} programs mean the same, {changed} look different")


if __name__ == "__main__":
    main()
