"""Writes the steps of random kernels: floats, loops, calls, and blocks of all operations inside of one another."""
import numpy as np

from random_operations import Operations
from random_steps import EXACT, INPUT, SCRATCH, TYPES, WORDS, Branch, Loop, Returned, Step, affine_address, read_as
from tiles import offsets


class Writer(Operations):
    def op_float_sum(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind == "i32")
        if a is None:
            return None
        axis = self.rng.randrange(len(a.shape))
        v = self.new(a.shape[:axis] + a.shape[axis + 1:], "i32")
        return self.step(v, f"tl.sum(({a.name} & 255).to(tl.float32) * 0.5, {axis}).to(tl.int32)",
                         lambda env: np.floor((env[a.name] & 255).sum(axis) / 2))

    def op_float_chain(self, scope):
        """Arithmetic of floats that is exact."""
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape in ((), a.shape))
        if b is None:
            return None
        word, mask = self.rng.choice([("tl.float32", 255), ("tl.float64", 1023), ("tl.float16", 31), ("tl.bfloat16", 7)])
        x, y = (f"({v.name} & {mask}).to({word})" for v in (a, b))
        return self.step(self.new(a.shape, "i32"), f"({x} * {y} - {x} * 2).to(tl.int32)",
                         lambda env: (env[a.name] & mask) * (env[b.name] & mask) - (env[a.name] & mask) * 2)

    def clamped(self, shape, kind, expression, meaning):
        """Floats stay small."""
        top = EXACT[kind]
        back = ".to(tl.float16)" if kind == "f16" else ""  # the limits are fp32
        return self.step(self.new(shape, kind), f"tl.clamp({expression}, -{top}.0, {top}.0){back}",
                         lambda env: np.clip(meaning(env), -top, top))

    def op_to_float(self, scope):
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        if a is None:
            return None
        kind = self.rng.choice(["f32", "f32", "f32", "f16", "f64"])
        expression, function = read_as(kind, a.name)
        return self.step(self.new(a.shape, kind), expression, lambda env: function(env[a.name]))

    def op_from_float(self, scope):
        a = self.pick(scope, lambda v: v.kind in EXACT)
        if a is None:
            return None
        kind = self.rng.choice(["i32", "i32", "i64", "f32", "f64", "f16"])
        if kind in EXACT:
            return self.clamped(a.shape, kind, f"{a.name}.to({WORDS[kind]})", lambda env: env[a.name]) if EXACT[kind] >= EXACT[a.kind] else None
        return self.step(self.new(a.shape, kind), f"{a.name}.to({WORDS[kind]})", lambda env: env[a.name])

    def op_float_binary(self, scope):
        a = self.pick(scope, lambda v: v.kind in EXACT)
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape in ((), a.shape))
        if b is None:
            return None
        if self.rng.random() < 0.2:
            sign, function = self.rng.choice([("<", np.less), (">=", np.greater_equal), ("==", np.equal), ("!=", np.not_equal)])
            return self.step(self.new(a.shape, "i1"), f"{a.name} {sign} {b.name}", lambda env: function(env[a.name], env[b.name]))
        form, function = self.rng.choice([
            ("{0} + {1}", np.add), ("{0} - {1}", np.subtract), ("{0} * {1}", np.multiply), ("{0} * {1} + {0}", lambda x, y: x * y + x),
            ("{0} * {1} - {1}", lambda x, y: x * y - y), ("tl.maximum({0}, {1})", np.maximum), ("tl.minimum({0}, {1})", np.minimum),
            ("tl.abs({0}) - {1}", lambda x, y: np.abs(x) - y), ("-{0} * 2", lambda x, y: -x * 2),
            ("tl.fma({0}, {1}, {0})", lambda x, y: x * y + x)])
        return self.clamped(a.shape, a.kind, form.format(a.name, b.name), lambda env: function(env[a.name], env[b.name]))

    def op_float_reduce(self, scope):
        a = self.pick(scope, lambda v: v.kind in EXACT and v.shape != ())
        if a is None:
            return None
        axis, keep = self.rng.randrange(len(a.shape)), self.rng.random() < 0.4
        shape = tuple(1 if d == axis else n for d, n in enumerate(a.shape) if keep or d != axis)
        roll = self.rng.random()
        if roll < 0.4 and (a.kind != "f16" or a.shape[axis] <= 32):
            if self.rng.random() < 0.3:
                return self.clamped(a.shape, a.kind, f"tl.cumsum({a.name}, {axis})", lambda env: np.cumsum(env[a.name], axis))
            return self.clamped(shape, a.kind, f"tl.sum({a.name}, {axis}, keep_dims={keep})",
                                lambda env: env[a.name].sum(axis, keepdims=keep))
        name, kind = self.rng.choice(["max", "min"]), "f32" if a.kind == "f16" else a.kind
        if roll < 0.7:
            return self.step(self.new(shape, kind), f"tl.{name}({a.name}, {axis}, keep_dims={keep})",
                             lambda env: getattr(env[a.name], name)(axis, keepdims=keep))
        return self.step(self.new(shape, "i32"), f"tl.arg{name}({a.name}, {axis}, keep_dims={keep})",
                         lambda env: getattr(np, "arg" + name)(env[a.name], axis, keepdims=keep))

    def op_float_dot(self, scope):
        """Of halves, with an accumulator that is another value."""
        a = self.pick(scope, lambda v: v.kind == "f16" and len(v.shape) == 2 and min(v.shape) >= 16)
        b = a and self.pick(scope, lambda v: v.kind == "f16" and len(v.shape) == 2 and min(v.shape) >= 16 and v.shape[0] == a.shape[1])
        if b is None:
            return None
        shape = (a.shape[0], b.shape[1])
        c = self.pick(scope, lambda v: v.kind == "f32" and v.shape == shape)
        more = f", {c.name}" if c else ""
        return self.clamped(shape, "f32", f"tl.dot({a.name}, {b.name}{more})",
                            lambda env: env[a.name] @ env[b.name] + (env[c.name] if c else 0))

    def op_block_pointer(self, scope):
        """A block that lies partly outside, at a place that was computed."""
        at = self.pick(scope, lambda v: v.shape == () and v.kind == "i32")
        if at is None:
            return None
        block = (1 << self.rng.randrange(5), 1 << self.rng.randrange(6))
        rows, columns = self.rng.randrange(1, 40), self.rng.randrange(1, 60)
        strides = (columns, 1) if self.rng.random() < 0.6 else (1, rows)
        column = self.rng.randrange(-8, columns + 4)

        def meaning(env):
            i = (int(env[at.name]) & 31) - 4 + np.arange(block[0])[:, None]
            j = column + np.arange(block[1])[None, :]
            inside = (i >= 0) & (i < rows) & (j >= 0) & (j < columns)
            return np.where(inside, env["in"][np.where(inside, i * strides[0] + j * strides[1], 0)], 0)
        pointer = (f"tl.make_block_ptr(in_ptr, ({rows}, {columns}), {strides}, (({at.name} & 31) - 4, {column}), {block}, (1, 0))")
        return self.step(self.new(block, "i32"), f'tl.load({pointer}, boundary_check=(0, 1), padding_option="zero")', meaning)

    def op_pointer_loop(self, scope):
        """A loop that carries a tile of pointers and a tile of sums."""
        shape, times = self.shape(), self.rng.choice(["n", "2", "5"])
        where, array = affine_address(self.rng, shape, INPUT - 64, False)
        step = self.rng.choice([1, 7, 8, 16])
        mask = self.pick(scope, lambda m: m.kind == "i1" and m.shape == shape) if self.rng.random() < 0.4 else None
        v, p = self.new(shape, "i32"), self.new(shape, "i64").name
        masked = f", mask={mask.name}, other=9" if mask else ""
        lines = [f"{p} = in_ptr + ({where})", f"{v.name} = tl.zeros({shape}, tl.int32)", f"for _ in range({times}):",
                 f"    {v.name} = {v.name} * 3 + tl.load({p}{masked})", f"    {p} += {step}"]

        def meaning(env):
            total = np.zeros(shape, np.int32)
            for k in range(int(env["n"]) if times == "n" else int(times)):
                read = env["in"][array + k * step]
                total = total * np.int32(3) + (read if mask is None else np.where(env[mask.name], read, np.int32(9)))
            return [total]
        return Step([v], lines, meaning)

    def op_dot_loop(self, scope):
        """A product accumulated over a loop, as matmul kernels do it."""
        m, n, k = (self.rng.choice([16, 32]) for _ in range(3))
        times = self.rng.choice(["n", "2", "3"])
        word, mask = self.rng.choice([("tl.float32", 15), ("tl.float16", 7)])
        v = self.new((m, n), "i32")
        acc = self.new((), "i32").name
        lines = [f"{acc} = tl.zeros({(m, n)}, tl.float32)", f"for i{acc} in range({times}):",
                 f"    {acc} = tl.dot((tl.load(in_ptr + i{acc} * {k} + ({offsets((m, k), (k * 3, 1))})) & {mask}).to({word}), "
                 f"(tl.load(in_ptr + 100 + i{acc} * {k * n} + ({offsets((k, n))})) & {mask}).to({word}), {acc}, input_precision=\"ieee\")",
                 f"{v.name} = {acc}.to(tl.int32)"]

        def meaning(env):
            total = np.zeros((m, n), np.int64)
            for t in range(int(env["n"]) if times == "n" else int(times)):
                a = env["in"][t * k + np.arange(m)[:, None] * k * 3 + np.arange(k)[None, :]] & mask
                total += a @ (env["in"][100 + t * k * n + np.arange(k * n).reshape(k, n)] & mask)
            return [total]
        return Step([v], lines, meaning)

    def op_call(self, scope):
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape == a.shape)
        if b is None:
            return None
        x, y = self.new(a.shape, a.kind), self.new(a.shape, a.kind)

        def meaning(env):
            p, q = env[a.name], env[b.name]
            for _ in range(int(env["n"])):
                p, q = q, p * p.dtype.type(5) + q
            return [p, p ^ q]
        return Step([x, y], [f"{x.name}, {y.name} = mix({a.name}, {b.name}, n)"], meaning)

    def op_map(self, scope):
        a = self.pick(scope, lambda v: v.kind == "i32" and v.shape != () and v.size <= 512)
        if a is None:
            return None

        def count(n):
            steps = 0
            while n > 1 and steps < 40:
                n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
            return steps
        return self.step(self.new(a.shape, "i32"), f"tl.map_elementwise(steps_to_one, {a.name} & 1023)",
                         lambda env: np.array([count(int(n)) for n in (env[a.name] & 1023).reshape(-1)], np.int32).reshape(a.shape))

    def op_bytes(self, scope):
        """The scratch memory through pointers to other types."""
        shape, kind = self.shape(), self.rng.choice(["i8", "i16", "i64", "u8"])
        width = np.dtype(TYPES[kind]).itemsize
        pointer = f"scratch_ptr.to(tl.pointer_type({WORDS[kind]}))"
        a = self.pick(scope, lambda v: v.kind == kind and v.size <= SCRATCH // 8)
        if a is not None and self.rng.random() < 0.6:
            where, array = affine_address(self.rng, a.shape, SCRATCH * 4 // width, True)

            def meaning(env):
                env["scratch"].view(TYPES[kind])[array] = env[a.name]
                return []
            return Step([], [f"tl.store({pointer} + ({where}), {a.name})"], meaning)
        where, array = affine_address(self.rng, shape, SCRATCH * 4 // width, False)
        return self.step(self.new(shape, kind), f"tl.load({pointer} + ({where}))", lambda env: env["scratch"].view(TYPES[kind])[array])

    def op_count(self, scope):
        """Atomic additions that meet at a few addresses."""
        a = self.pick(scope, lambda v: v.kind == "i32")
        if a is None:
            return None
        base = self.rng.randrange(SCRATCH - 16)

        def meaning(env):
            np.add.at(env["scratch"], base + (env[a.name] & 15), np.int32(3))
            return []
        return Step([], [f"tl.atomic_add(scratch_ptr + {base} + ({a.name} & 15), 3)"], meaning)

    def op_return(self, scope):
        """An early way out, at the top of the kernel only."""
        a = self.pick(scope, lambda v: v.shape == () and v.kind == "i32")
        if a is None:
            return None

        def meaning(env):
            if int(env[a.name]) & 7 == 5:
                raise Returned
            return []
        return Step([], [f"if ({a.name} & 7) == 5:", "    return"], meaning)

    # ---- structure

    WEIGHTS = dict(load=6, gather_load=2, row_load=2, store=4, update=3, atomic=1, number=2, binary=14, constant=5, cast=3, where=4,
                   reduce=7, arg_reduce=2, pair_reduce=2, scan=2, reshape=4, transpose=4, expand=3, broadcast=4, join=3, split=3,
                   sort=1, gather=2, histogram=1, dot=2, float_sum=1, float_chain=2, to_float=4, from_float=3, float_binary=8, float_reduce=4,
                   float_dot=2, block_pointer=1, pointer_loop=2, dot_loop=1, call=1, map=1, bytes=2, count=1,
                   **{"return": 0.5}, loop=2, branch=2)

    def block(self, scope, count, depth):
        """Random steps; what they give is added to the scope."""
        steps = []
        names, weights = zip(*((n, w) for n, w in self.WEIGHTS.items() if (depth < 2 or n not in ("loop", "branch")) and (depth == 0 or n != "return")))
        while count > 0:
            name = self.rng.choices(names, weights)[0]
            step = self.structured(name, scope, depth) if name in ("loop", "branch") else getattr(self, "op_" + name)(scope)
            if step is not None:
                steps.append(step)
                scope += step.results
                count -= 1
        return steps

    def like(self, scope, v, steps):
        """The name of a value of v's shape and type, made if there is none that will do."""
        found = self.pick(scope, lambda u: u.shape == v.shape and u.kind == v.kind and u.name != v.name)
        if found is None or self.rng.random() < 0.3:
            step = self.fresh(scope, v.shape, v.kind)
            steps.append(step)
            scope.append(step.results[0])
            found = step.results[0]
        if v.kind in EXACT:
            mixed = self.new(v.shape, v.kind)
            steps.append(self.step(mixed, f"tl.maximum({v.name}, {found.name})", lambda env: np.maximum(env[v.name], env[found.name])))
            return mixed.name
        if v.kind != "i1" and self.rng.random() < 0.7:
            mixed = self.new(v.shape, v.kind)
            steps.append(self.step(mixed, f"{v.name} * 3 + {found.name}", lambda env: env[v.name] * v_type(v, 3) + env[found.name]))
            return mixed.name
        return found.name

    def structured(self, name, scope, depth):
        wanted = [v for v in (self.pick(scope, lambda v: v.size <= 1024) for _ in range(self.rng.randrange(1, 4))) if v is not None]
        wanted = list({v.name: v for v in wanted}.values())
        if not wanted:
            return None
        if name == "loop":
            carried = [self.new(v.shape, v.kind) for v in wanted]
            index = self.new((), "i32")
            inner = scope + carried + [index]
            steps = self.block(inner, self.rng.randrange(1, 5), depth + 1)
            yields = [self.like(inner, c, steps) for c in carried]
            count = self.rng.choice(["n", "n", "2", "3", "1"])
            return Loop(carried, [v.name for v in wanted], count, steps, yields, index.name, self.rng.random() < 0.3)
        condition = self.pick(scope, lambda v: v.shape == () and v.kind == "i32")
        if condition is None:
            return None
        results, sides = [self.new(v.shape, v.kind) for v in wanted], []
        for _ in range(2):
            inner = list(scope)
            steps = self.block(inner, self.rng.randrange(0, 4), depth + 1)
            sides += [steps, [self.like(inner, v, steps) for v in wanted]]
        return Branch(results, condition.name, *sides)


def v_type(v, number):
    return TYPES[v.kind](number)
