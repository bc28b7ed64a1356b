"""Random TTIR: integer arithmetic on scalars and small tensors, loads and stores, loops and branches.

    text(seed)      a function that takes ARGUMENTS and returns some of what it computed

Made of what the passes look for: splats and broadcasts under arithmetic, chains of tt.addptr, selects after masked
loads with stores between, sums of dots, loops that carry values which begin alike and change alike. Accesses stay
within MEMORY elements. A masked load without `other` is read only through a select that hides what it leaves open.
"""
import random

MEMORY = 64
SHAPES = ["", "4", "4x1", "1x8", "4x8"]
ARGUMENTS = {"%a": ("", "i32"), "%b": ("", "i32"), "%n": ("", "i32"), "%k": ("", "i64"), "%c": ("", "i1"),
             "%t": ("4", "i32"), "%u": ("4x1", "i32"), "%w": ("1x8", "i32")}


def spell(type):
    shape, element = type
    return f"tensor<{shape}x{element}>" if shape else element


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.count = [], 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def define(self, known, type, text):
        """One op with one result."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        known.append((name, type))
        return name

    def constant(self, known, type, value):
        value = str(value).lower()
        value = f"dense<{value}>" if type[0] else value
        return self.define(known, type, f"arith.constant {value}" + (f" : {spell(type)}" if type != ("", "i1") else ""))

    def pick(self, known, type):
        """A value of the type, mostly a recent one."""
        values = [name for name, other in known if other == type]
        if values and self.random.random() < 0.93:
            return self.random.choice(values[-12:])
        if type[0] and self.random.random() < 0.5:
            scalar = self.pick(known, ("", type[1]))
            return self.define(known, type, f"tt.splat {scalar} : {type[1]} -> {spell(type)}")
        return self.constant(known, type, self.random.choice([False, True] if type[1] == "i1" else [0, 1, 2, 3, 5, -1, 7]))

    def step(self, known, depth):
        kinds = [(self.arithmetic, 38), (self.compare, 8), (self.select, 8), (self.shape, 16), (self.load, 8),
                 (self.hidden_load, 5), (self.store, 4), (self.dot, 5)]
        if depth < 3:
            kinds += [(self.loop, 8), (self.branch, 4)]
        kind, = self.random.choices([k for k, _ in kinds], [weight for _, weight in kinds])
        kind(known, depth)

    def steps(self, known, depth, most):
        for _ in range(self.random.randint(0, most)):
            self.step(known, depth)

    def type(self):
        return self.random.choice(SHAPES), self.random.choices(["i32", "i64"], [85, 15])[0]

    def arithmetic(self, known, depth):
        type = self.type()
        op = self.random.choice(["addi", "subi", "muli", "andi", "xori", "maxsi"])
        self.define(known, type, f"arith.{op} {self.pick(known, type)}, {self.pick(known, type)} : {spell(type)}")

    def compare(self, known, depth):
        type = self.type()
        relation = self.random.choice(["slt", "sge", "eq", "ult"])
        left, right = self.pick(known, type), self.pick(known, type)
        self.define(known, (type[0], "i1"), f"arith.cmpi {relation}, {left}, {right} : {spell(type)}")

    def choose(self, known, type, condition, yes, no, is_scalar):
        masks = "" if is_scalar or not type[0] else spell((type[0], "i1")) + ", "
        return self.define(known, type, f"arith.select {condition}, {yes}, {no} : {masks}{spell(type)}")

    def select(self, known, depth):
        type, is_scalar = self.type(), self.random.random() < 0.4
        condition = self.pick(known, ("" if is_scalar else type[0], "i1"))
        self.choose(known, type, condition, self.pick(known, type), self.pick(known, type), is_scalar)

    def shape(self, known, depth):
        kind, element = self.random.random(), self.random.choice(["i32", "i1", "i64"])
        if kind < 0.5:
            source = (self.random.choice(["4x1", "1x8"]), element)
            value, result = self.pick(known, source), ("4x8", element)
            self.define(known, result, f"tt.broadcast {value} : {spell(source)} -> {spell(result)}")
        elif kind < 0.75:
            value = self.pick(known, ("4", "i32"))
            self.define(known, ("4x1", "i32"), f"tt.expand_dims {value} {{axis = 1 : i32}} : tensor<4xi32> -> tensor<4x1xi32>")
        else:
            self.define(known, ("4", "i32"), "tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>")

    def offset(self, known, type, most):
        """A number from 0 to `most`, one less than a power of two."""
        if self.random.random() < 0.4:
            return self.constant(known, type, self.random.randint(0, most))
        value, mask = self.pick(known, type), self.constant([], type, most)
        return self.define([], type, f"arith.andi {value}, {mask} : {spell(type)}")

    def pointer(self, known, shape):
        """A pointer into memory, in up to four steps; its name and the text of its type."""
        type = f"tensor<{shape}x!tt.ptr<i32>>" if shape else "!tt.ptr<i32>"
        pointer = self.define([], None, f"tt.splat %memory : !tt.ptr<i32> -> {type}") if shape else "%memory"
        for most in [15] + [7] * self.random.choice([0, 0, 1, 3]):
            offsets = (shape, self.random.choice(["i32", "i64"]))
            offset = self.offset(known, offsets, most)
            pointer = self.define([], None, f"tt.addptr {pointer}, {offset} : {type}, {spell(offsets)}")
        return pointer, type

    def load(self, known, depth):
        shape = self.random.choice(SHAPES)
        pointer, type = self.pointer(known, shape)
        mask = ""
        if self.random.random() < 0.4:
            mask = f", {self.pick(known, (shape, 'i1'))}, {self.pick(known, (shape, 'i32'))}"
        self.define(known, (shape, "i32"), f"tt.load {pointer}{mask} : {type}")

    def hidden_load(self, known, depth):
        shape, is_scalar = self.random.choice(SHAPES), self.random.random() < 0.5
        pointer, type = self.pointer(known, shape)
        condition = mask = self.pick(known, ("" if is_scalar else shape, "i1"))
        if is_scalar and shape:
            mask = self.define([], None, f"tt.splat {condition} : i1 -> {spell((shape, 'i1'))}")
        loaded = self.define([], None, f"tt.load {pointer}, {mask} : {type}")
        other = self.pick(known, (shape, "i32"))
        if self.random.random() < 0.4:
            self.lines.append(f"tt.store {pointer}, {self.pick(known, (shape, 'i32'))} : {type}")
        self.steps(known, 9, 2)
        if self.random.random() < 0.5:
            other = self.pick(known, (shape, "i32"))
        self.choose(known, (shape, "i32"), condition, loaded, other, is_scalar)

    def store(self, known, depth):
        pointer, type = self.pointer(known, "")
        self.lines.append(f"tt.store {pointer}, {self.pick(known, ('', 'i32'))} : {type}")

    def dot(self, known, depth):
        wide, sum = self.pick(known, ("4x8", "i32")), self.pick(known, ("4x4", "i32"))
        left = self.define([], None, f"arith.trunci {wide} : tensor<4x8xi32> to tensor<4x8xi8>")
        right = self.define([], None, f"tt.trans {left} {{order = array<i32: 1, 0>}} : tensor<4x8xi8> -> tensor<8x4xi8>")
        zero = self.constant([], ("4x4", "i32"), 0)
        product = self.define([], None, f"tt.dot {left}, {right}, {zero} : tensor<4x8xi8> * tensor<8x4xi8> -> tensor<4x4xi32>")
        first, second = self.random.sample([product, sum], 2)
        self.define(known, ("4x4", "i32"), f"arith.addi {first}, {second} : tensor<4x4xi32>")

    def bounds(self, known):
        """Whether unsigned, and from where to where; a signed loop may end at %n, which may be below."""
        if self.random.random() < 0.2:
            lower, upper = self.random.choice([(0, 2), (2**31 - 2, 2 - 2**31)])
            return "unsigned ", self.constant([], ("", "i32"), lower), self.constant([], ("", "i32"), upper)
        lower = self.constant([], ("", "i32"), self.random.choice([0, 0, 1, -1]))
        return "", lower, self.random.choice(["%n", self.constant([], ("", "i32"), self.random.choice([0, 1, 3]))])

    def loop(self, known, depth):
        some = [(self.random.choice(["", "4", "4x1"]), "i32") for _ in range(2)]
        types = [self.random.choice(some) for _ in range(self.random.randint(1, 6))]
        begin = {type: self.pick(known, type) for type in some}
        inits = [begin[type] if self.random.random() < 0.7 else self.pick(known, type) for type in types]
        unsigned, lower, upper = self.bounds(known)
        step = self.constant([], ("", "i32"), self.random.choice([1, 1, 2]))
        by = {type: self.pick(known, type) for type in some}
        index, arguments, result = self.name(), [self.name() for _ in types], self.name()
        spelled = ", ".join(map(spell, types))
        carried = ", ".join(f"{argument} = {init}" for argument, init in zip(arguments, inits))
        self.lines.append(f"{result}:{len(types)} = scf.for {unsigned}{index} = {lower} to {upper} step {step} "
                          f"iter_args({carried}) -> ({spelled}) : i32 {{")
        inside = [*known, (index, ("", "i32")), *zip(arguments, types)]
        self.steps(inside, depth + 1, 6)
        yields = []
        for argument, type in zip(arguments, types):
            kind = self.random.random()
            if kind < 0.5:
                op = self.random.choice(["addi", "addi", "muli"])
                yields.append(self.define([], None, f"arith.{op} {argument}, {by[type]} : {spell(type)}"))
            elif kind < 0.7:
                yields.append(self.random.choice([a for a, other in zip(arguments, types) if other == type]))
            else:
                yields.append(self.pick(inside, type))
        self.lines.append(f"scf.yield {', '.join(yields)} : {spelled}\n}}")
        known.extend((f"{result}#{i}", type) for i, type in enumerate(types))

    def branch(self, known, depth):
        types = [(self.random.choice(["", "4", "4x1"]), "i32") for _ in range(self.random.randint(1, 3))]
        condition, result, spelled = self.pick(known, ("", "i1")), self.name(), ", ".join(map(spell, types))
        self.lines.append(f"{result}:{len(types)} = scf.if {condition} -> ({spelled}) {{")
        for end in ["} else {", "}"]:
            inside = list(known)
            self.steps(inside, depth + 1, 4)
            values = ", ".join(self.pick(inside, type) for type in types)
            self.lines.append(f"scf.yield {values} : {spelled}\n{end}")
        known.extend((f"{result}#{i}", type) for i, type in enumerate(types))


def text(seed):
    writer, known = Writer(seed), list(ARGUMENTS.items())
    for _ in range(writer.random.randint(8, 30)):
        writer.step(known, 0)
    results = writer.random.sample(known, min(10, len(known)))
    arguments = ", ".join(f"{name}: {spell(type)}" for name, type in ARGUMENTS.items())
    types = ", ".join(spell(type) for _, type in results)
    return (f"tt.func public @f{seed}(%memory: !tt.ptr<i32>, {arguments}) -> ({types}) {{\n" + "\n".join(writer.lines) +
            f"\ntt.return {', '.join(name for name, _ in results)} : {types}\n}}\n")
