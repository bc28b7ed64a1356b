"""The operations that random kernels are made of: each method writes a step, of values that are in scope, at random."""
import random

import numpy as np

from random_steps import EXACT, HIGHEST_RANK, INPUT, SCRATCH, TYPES, WORDS, Step, Value, affine_address, read_as


class Operations:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.names = 0
        self.largest = self.rng.choice([512, 2048, 2048, 8192])  # elements of a tile

    # ---- helpers

    def new(self, shape, kind):
        self.names += 1
        return Value(f"v{self.names}", shape, kind)

    def pick(self, scope, want=lambda v: True):
        """A recent value rather than an old one."""
        found = [v for v in scope if want(v)]
        if not found:
            return None
        return found[-1 - min(int(self.rng.expovariate(0.35)), len(found) - 1)]

    def shape(self, size=None):
        rng = self.rng
        if size is None:
            size = min(self.largest, 1 << rng.choice([0, 3, 4, 5, 6, 7, 8, 9, 10, 12]))
        shape = []
        for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 4]) - 1):
            extent = 1 << rng.randrange(min(size.bit_length(), 6))
            shape.append(extent)
            size //= extent
        shape.insert(rng.randrange(len(shape) + 1), size)
        return tuple(shape)

    def step(self, result, line, meaning):
        """One result of an expression of `line`, whose function takes env."""
        return Step([result], [f"{result.name} = {line}"], lambda env: [meaning(env)])

    def fresh(self, scope, shape=None, kind="i32"):
        """A load from the input, of a tile that nothing has touched."""
        shape = self.shape() if shape is None else shape
        where, array = affine_address(self.rng, shape, INPUT, False)
        expression, function = read_as(kind, f"tl.load(in_ptr + ({where}))")
        return self.step(self.new(shape, kind), expression, lambda env: function(env["in"][array]))

    # ---- operations; each returns a step, or None if nothing in scope fits

    def op_load(self, scope):
        shape = self.shape()
        where, array = affine_address(self.rng, shape, INPUT, False)
        v, mask = self.new(shape, "i32"), self.pick(scope, lambda m: m.kind == "i1" and m.shape == shape)
        roll = self.rng.random()
        if mask is not None and roll < 0.6:
            other = self.rng.randrange(-9, 9)
            return self.step(v, f"tl.load(in_ptr + ({where}), mask={mask.name}, other={other})",
                             lambda env: np.where(env[mask.name], env["in"][array], other))
        if roll < 0.8:
            return self.step(v, f"tl.load(in_ptr + ({where}))", lambda env: env["in"][array])
        bound, other = self.rng.randrange(int(array.min()), int(array.max()) + 2), self.rng.randrange(9)
        address = f"({where})"
        return self.step(v, f"tl.load(in_ptr + {address}, mask={address} < {bound}, other={other})",
                         lambda env: np.where(array < bound, env["in"][array], other))

    def op_gather_load(self, scope):
        a = self.pick(scope, lambda v: v.kind in ("i32", "i64"))
        if a is None:
            return None
        return self.step(self.new(a.shape, "i32"), f"tl.load(in_ptr + ({a.name} & {INPUT - 1}))",
                         lambda env: env["in"][env[a.name] & (INPUT - 1)])

    def op_row_load(self, scope):
        """The address is a scalar that was computed, and a tile of offsets."""
        a, shape = self.pick(scope, lambda v: v.shape == () and v.kind in ("i32", "i64")), self.shape()
        if a is None:
            return None
        where, array = affine_address(self.rng, shape, INPUT - 1024, False)
        return self.step(self.new(shape, "i32"), f"tl.load(in_ptr + ({a.name} & 1023) + ({where}))",
                         lambda env: env["in"][(env[a.name] & 1023) + array])

    def op_store(self, scope):
        a = self.pick(scope, lambda v: v.kind != "i1" and v.size <= SCRATCH // 2)
        if a is None:
            return None
        where, array = affine_address(self.rng, a.shape, SCRATCH, True)
        mask = self.pick(scope, lambda m: m.kind == "i1" and m.shape == a.shape) if self.rng.random() < 0.4 else None

        def meaning(env):
            memory, value = env["scratch"], env[a.name].astype(np.int32)
            if mask is None:
                memory[array] = value
            else:
                memory[array[env[mask.name]]] = value[env[mask.name]]
            return []
        return Step([], [f"tl.store(scratch_ptr + ({where}), {a.name}{f', mask={mask.name}' if mask else ''})"], meaning)

    def op_update(self, scope):
        """Scratch memory read, changed and written back, at another place perhaps."""
        shape = self.shape()
        where, array = affine_address(self.rng, shape, SCRATCH, False)
        v = self.new(shape, "i32")
        return self.step(v, f"tl.load(scratch_ptr + ({where}))", lambda env: env["scratch"][array])

    def op_atomic(self, scope):
        a = self.pick(scope, lambda v: v.kind == "i32" and v.size <= SCRATCH // 2)
        if a is None:
            return None
        where, array = affine_address(self.rng, a.shape, SCRATCH, True)
        name, function = self.rng.choice([("add", np.add), ("max", np.maximum), ("xor", np.bitwise_xor), ("xchg", lambda old, new: new)])
        v = self.new(a.shape, "i32")

        def meaning(env):
            old = env["scratch"][array].copy()
            env["scratch"][array] = function(old, env[a.name])
            return old
        return self.step(v, f"tl.atomic_{name}(scratch_ptr + ({where}), {a.name})", meaning)

    def op_number(self, scope):
        v, value = self.new(self.shape(), self.rng.choice(["i32", "i32", "i64", "i16", "u32"])), self.rng.randrange(100)
        if self.rng.random() < 0.5:
            return self.step(v, f"tl.full({v.shape}, {value}, {WORDS[v.kind]})", lambda env: np.full(v.shape, value))
        size, first = 1 << self.rng.randrange(11), self.rng.choice([0, 0, 3, 100])
        v = self.new((size,), "i32")
        return self.step(v, f"tl.arange({first}, {first + size})", lambda env: np.arange(first, first + size))

    def op_binary(self, scope):
        a = self.pick(scope, lambda v: v.kind not in EXACT)
        if a is None:
            return None

        def fits(b):
            if b.kind != a.kind:
                return False
            if b.shape in ((), a.shape) or a.shape == ():
                return True
            return len(b.shape) == len(a.shape) and all(m == n or 1 in (m, n) for m, n in zip(a.shape, b.shape)) \
                and np.prod(np.maximum(a.shape, b.shape)) <= self.largest
        b = self.pick(scope, fits) or a
        shape = np.broadcast_shapes(a.shape, b.shape)
        if a.kind == "i1":
            sign, function = self.rng.choice([("&", np.bitwise_and), ("|", np.bitwise_or), ("^", np.bitwise_xor)])
            return self.step(self.new(shape, "i1"), f"{a.name} {sign} {b.name}", lambda env: function(env[a.name], env[b.name]))
        if self.rng.random() < 0.25:
            sign, function = self.rng.choice([("<", np.less), (">=", np.greater_equal), ("==", np.equal), ("!=", np.not_equal)])
            return self.step(self.new(shape, "i1"), f"{a.name} {sign} {b.name}", lambda env: function(env[a.name], env[b.name]))
        form, function = self.rng.choice([
            ("{} + {}", np.add), ("{} - {}", np.subtract), ("{} * {}", np.multiply), ("{} & {}", np.bitwise_and),
            ("{} | {}", np.bitwise_or), ("{} ^ {}", np.bitwise_xor), ("tl.maximum({}, {})", np.maximum),
            ("tl.minimum({}, {})", np.minimum)])
        return self.step(self.new(shape, a.kind), form.format(a.name, b.name), lambda env: function(env[a.name], env[b.name]))

    def op_constant(self, scope):
        """With a literal: also shifts, divisions and remainders, which truncate."""
        a = self.pick(scope, lambda v: v.kind != "i1" and v.kind not in EXACT)
        if a is None:
            return None
        c = self.rng.randrange(1, 8)

        def quotient(x):
            wide = x.astype(object)
            return np.vectorize(lambda n: abs(n) // c * (1 if n >= 0 else -1), otypes=[np.int64])(wide) if x.size else x
        form, function = self.rng.choice([
            ("{} + {}", lambda x: x + x.dtype.type(c)), ("{} * {}", lambda x: x * x.dtype.type(c)), ("{} << {}", lambda x: x << x.dtype.type(c)),
            ("{} >> {}", lambda x: x >> x.dtype.type(c)), ("{} // {}", quotient),
            ("{} % {}", lambda x: np.fmod(x, x.dtype.type(c))), ("{1} - {0}", lambda x: x.dtype.type(c) - x),
            ("-{}", lambda x: -x) if a.kind[0] == "i" else ("{} + 1", lambda x: x + x.dtype.type(1)), ("~{}", lambda x: ~x), ("tl.abs({})", np.abs)])
        return self.step(self.new(a.shape, a.kind), form.format(a.name, c), lambda env: function(np.asarray(env[a.name])))

    def op_cast(self, scope):
        a = self.pick(scope, lambda v: v.kind not in EXACT)
        kinds = [k for k in ("i8", "i16", "i32", "i32", "i32", "i64", "u8", "u32") if a is not None and k != a.kind]
        if not kinds:
            return None
        kind = self.rng.choice(kinds)
        return self.step(self.new(a.shape, kind), f"{a.name}.to({WORDS[kind]})", lambda env: np.asarray(env[a.name]).astype(TYPES[kind]))

    def op_where(self, scope):
        c = self.pick(scope, lambda v: v.kind == "i1")
        a = c and self.pick(scope, lambda v: v.shape == c.shape and v.kind != "i1")
        b = a and self.pick(scope, lambda v: v.kind == a.kind and v.shape in ((), a.shape))
        if b is None:
            return None
        return self.step(self.new(c.shape, a.kind), f"tl.where({c.name}, {a.name}, {b.name})",
                         lambda env: np.where(env[c.name], env[a.name], env[b.name]))

    def op_reduce(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i64", "i16", "u32", "u8"))
        if a is None:
            return None
        axis = self.rng.choice([*range(len(a.shape)), None])
        keep = self.rng.random() < 0.4
        form, function = self.rng.choice([
            ("tl.sum({}, {}, keep_dims={})", np.add), ("tl.max({}, {}, keep_dims={})", np.maximum),
            ("tl.min({}, {}, keep_dims={})", np.minimum), ("tl.xor_sum({}, {}, keep_dims={})", np.bitwise_xor),
            ("tl.reduce({}, {}, product, keep_dims={})", np.multiply), ("tl.reduce({}, {}, conjunction, keep_dims={})", np.bitwise_and),
            ("tl.reduce({}, {}, chosen, keep_dims={})", np.add)])
        kind = a.kind
        if kind in ("i16", "u8") and form.startswith(("tl.sum", "tl.max", "tl.min")):
            kind = "u32" if kind == "u8" and form.startswith("tl.sum") else "i32"
        shape = tuple(1 if (axis is None or d == axis) else n for d, n in enumerate(a.shape) if keep or not (axis is None or d == axis))
        all_axes = tuple(range(len(a.shape))) if axis is None else axis
        return self.step(self.new(shape, kind), form.format(a.name, axis, keep),
                         lambda env: function.reduce(env[a.name].astype(TYPES[kind]), all_axes, dtype=TYPES[kind], keepdims=keep))

    def op_arg_reduce(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i8", "i64"))
        if a is None:
            return None
        axis, name = self.rng.randrange(len(a.shape)), self.rng.choice(["max", "min"])
        shape = a.shape[:axis] + a.shape[axis + 1:]
        value, index = self.new(shape, a.kind), self.new(shape, "i32")
        return Step([value, index], [f"{value.name}, {index.name} = tl.{name}({a.name}, {axis}, return_indices=True)"],
                    lambda env: [getattr(env[a.name], name)(axis), getattr(env[a.name], "arg" + name)(axis)])

    def op_pair_reduce(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind == "i32")
        b = a and self.pick(scope, lambda v: v.shape == a.shape and v.kind == "i32")
        if b is None:
            return None
        axis = self.rng.randrange(len(a.shape))
        scans, reverse = self.rng.random() < 0.5, self.rng.random() < 0.4
        maps = scans or self.rng.random() < 0.5  # or products of complex numbers, which commute
        shape = a.shape if scans else a.shape[:axis] + a.shape[axis + 1:]
        x, y = self.new(shape, "i32"), self.new(shape, "i32")

        def meaning(env):
            slopes, shifts = (np.moveaxis(env[v.name], axis, 0) for v in (a, b))
            if scans and reverse:
                slopes, shifts = slopes[::-1], shifts[::-1]
            running = [(slopes[0], shifts[0])]
            for slope, shift in zip(slopes[1:], shifts[1:]):
                a0, b0 = running[-1]
                running.append((a0 * slope, b0 * slope + shift) if maps else (a0 * slope - b0 * shift, a0 * shift + b0 * slope))
            if not scans:
                return running[-1]
            running = running[::-1] if reverse else running
            return [np.moveaxis(np.stack([pair[k] for pair in running]), 0, axis) for k in (0, 1)]
        call = f"tl.associative_scan(({a.name}, {b.name}), {axis}, affine, reverse={reverse})" if scans else \
            f"tl.reduce(({a.name}, {b.name}), {axis}, {'affine' if maps else 'complex'})"
        return Step([x, y], [f"{x.name}, {y.name} = {call}"], meaning)

    def op_scan(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i64", "i8"))
        if a is None:
            return None
        axis, reverse = self.rng.randrange(len(a.shape)), self.rng.random() < 0.4
        kind = "i32" if a.kind == "i8" else a.kind

        def meaning(env):
            x = env[a.name].astype(TYPES[kind])
            x = np.flip(x, axis) if reverse else x
            x = np.cumsum(x, axis, dtype=TYPES[kind])
            return np.flip(x, axis) if reverse else x
        return self.step(self.new(a.shape, kind), f"tl.cumsum({a.name}, {axis}, reverse={reverse})", meaning)

    def op_reshape(self, scope):
        a = self.pick(scope, lambda v: v.shape != ())
        if a is None:
            return None
        shape = self.shape(a.size)
        return self.step(self.new(shape, a.kind), f"tl.reshape({a.name}, {shape})", lambda env: env[a.name].reshape(shape))

    def op_transpose(self, scope):
        a = self.pick(scope, lambda v: len(v.shape) > 1)
        if a is None:
            return None
        order = tuple(self.rng.sample(range(len(a.shape)), len(a.shape)))
        form = f"tl.permute({a.name}, {order})"
        if len(order) == 2 and self.rng.random() < 0.5:
            form, order = f"{a.name}.T", (1, 0)
        return self.step(self.new([a.shape[d] for d in order], a.kind), form, lambda env: env[a.name].transpose(order))

    def op_expand(self, scope):
        a = self.pick(scope, lambda v: 0 < len(v.shape) < HIGHEST_RANK)
        if a is None:
            return None
        axis = self.rng.randrange(len(a.shape) + 1)
        v = self.new(a.shape[:axis] + (1,) + a.shape[axis:], a.kind)
        return self.step(v, f"tl.expand_dims({a.name}, {axis})", lambda env: np.expand_dims(env[a.name], axis))

    def op_broadcast(self, scope):
        a = self.pick(scope, lambda v: v.shape == () or 1 in v.shape)
        if a is None or a.size >= self.largest:
            return None
        if a.shape == ():
            shape = self.shape()
        else:
            room, shape = self.largest // a.size, []
            for extent in a.shape:
                grown = 1 << self.rng.randrange(min(6, room.bit_length())) if extent == 1 else extent
                room //= grown // extent
                shape.append(grown)
        shape = tuple(shape)
        return self.step(self.new(shape, a.kind), f"tl.broadcast_to({a.name}, {shape})",
                         lambda env: np.broadcast_to(env[a.name], shape))

    def op_join(self, scope):
        a = self.pick(scope, lambda v: len(v.shape) < HIGHEST_RANK and v.size < self.largest and v.shape != ())
        b = a and self.pick(scope, lambda v: v.shape == a.shape and v.kind == a.kind)
        if b is None:
            return None
        if self.rng.random() < 0.3:
            shape = a.shape[:-1] + (2 * a.shape[-1],)
            return self.step(self.new(shape, a.kind), f"tl.interleave({a.name}, {b.name})",
                             lambda env: np.stack([env[a.name], env[b.name]], -1).reshape(shape))
        return self.step(self.new(a.shape + (2,), a.kind), f"tl.join({a.name}, {b.name})",
                         lambda env: np.stack([env[a.name], env[b.name]], -1))

    def op_split(self, scope):
        a = self.pick(scope, lambda v: v.shape[-1:] == (2,) and len(v.shape) > 1)
        if a is None:
            a = self.pick(scope, lambda v: v.shape != () and v.size >= 4)
            if a is None:
                return None
            shape = (a.size // 2, 2)
            x, y = self.new(shape[:1], a.kind), self.new(shape[:1], a.kind)
            return Step([x, y], [f"{x.name}, {y.name} = tl.split(tl.reshape({a.name}, {shape}))"],
                        lambda env: [env[a.name].reshape(shape)[:, k] for k in (0, 1)])
        x, y = self.new(a.shape[:-1], a.kind), self.new(a.shape[:-1], a.kind)
        return Step([x, y], [f"{x.name}, {y.name} = tl.split({a.name})"], lambda env: [env[a.name][..., k] for k in (0, 1)])

    def op_sort(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i16", "f32", "f16") and v.size <= 256)
        if a is None:
            return None
        if self.rng.random() < 0.4:
            axis = self.rng.randrange(len(a.shape))
            return self.step(self.new(a.shape, a.kind), f"tl.flip({a.name}, {axis})", lambda env: np.flip(env[a.name], axis))
        descending = self.rng.random() < 0.5
        return self.step(self.new(a.shape, a.kind), f"tl.sort({a.name}, descending={descending})",
                         lambda env: np.sort(env[a.name], -1)[..., ::-1] if descending else np.sort(env[a.name], -1))

    def op_gather(self, scope):
        a = self.pick(scope, lambda v: v.shape != () and v.kind in ("i32", "i16", "f32", "f64", "u8"))
        i = a and self.pick(scope, lambda v: v.shape == a.shape and v.kind == "i32")
        if i is None:
            return None
        axis = self.rng.randrange(len(a.shape))
        last = a.shape[axis] - 1
        return self.step(self.new(a.shape, a.kind), f"tl.gather({a.name}, {i.name} & {last}, {axis})",
                         lambda env: np.take_along_axis(env[a.name], (env[i.name] & last).astype(np.int64), axis))

    def op_histogram(self, scope):
        a, bins = self.pick(scope, lambda v: len(v.shape) == 1 and v.kind == "i32"), 1 << self.rng.randrange(1, 6)
        if a is None:
            return None
        return self.step(self.new((bins,), "i32"), f"tl.histogram({a.name} & {bins - 1}, {bins})",
                         lambda env: np.bincount(env[a.name] & (bins - 1), minlength=bins))

    def op_dot(self, scope):
        a = self.pick(scope, lambda v: len(v.shape) == 2 and v.kind == "i32" and min(v.shape) >= 16)
        b = a and self.pick(scope, lambda v: len(v.shape) == 2 and v.kind == "i32" and min(v.shape) >= 16
                            and a.shape[1] in v.shape and a.shape[0] * v.size // a.shape[1] <= self.largest)
        if b is None:
            return None
        flip = b.shape[0] != a.shape[1]
        n = b.shape[0] if flip else b.shape[1]
        word, mask = self.rng.choice([("tl.float32", 15), ("tl.float16", 7), ("tl.int8", 63)])
        left, right = (f"({v.name} & {mask}).to({word})" for v in (a, b))
        exact = ', input_precision="ieee"' if word == "tl.float32" else ", out_dtype=tl.int32" if word == "tl.int8" else ""
        return self.step(self.new((a.shape[0], n), "i32"), f"tl.dot({left}, {right}{'.T' if flip else ''}{exact}).to(tl.int32)",
                         lambda env: (env[a.name] & mask) @ ((env[b.name] & mask).T if flip else env[b.name] & mask))
