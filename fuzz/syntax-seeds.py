"""Every form of Python 3.12's grammar once or twice: each statement here is a seed of the parser's fuzzer."""
from __future__ import annotations

import a.b.c as d, e

from . import f
from ..g import (h as i, j,)
from k import *

x: int
x: list[int] = [1, *y, *z]
x = y = z, *w = 1, 2
x += 1; y -= 2; z **= 3; w //= 4; v >>= 5; u @= 6
x[1:2, ::3, ...] = x.y[:].z
del x, (y, z), [w], v[0], u.t

print(0x_ff, 0b1_0, 0o17, 1_000, 1e10, 1.5e-3j, .5, 5., 0xFFFFFFFFFFFFFFFFFFFFF)
print(b"\x00" Rb'\d', "a" 'b' r"\c" """e
f""" '''g''' u"\u00e9\N{SNOWMAN}\U0001F600\101")
print(f"{x!r:>{width}.{precision}} {{y}} {z=} {'nested' f'{1 + 2}'}" rf'\{x}')
print(f'''{
    x  # a comment
}''')
print(x if y else z, lambda: 0, lambda a, /, b=1, *c, d, e=2, **f: a, not x, -+~x ** -y)
print(x or y and z, x < y <= z != w is not v not in u, x | y ^ z & w << v >> u)
print((yield_ := 5), [i for i in x if i if not i for j in y], {i async for i in x}, {**a, 'b': c}, {*a, b})
print(*args, *more, key=1, **kwargs)
print((x for x in y), ((),), [], {}, (x,), x[y, z], x[*y], await_)
assert x, "message"
raise
raise X from Y
global_ = nonlocal_ = None
type Alias[T: int, *Ts, **P] = dict[T, P]
type = match = case = _ = 1

if x:
    pass
elif y: pass
else:
    ...

while x:
    break
else:
    continue

for x, *y in z, w:
    pass
else:
    pass

try:
    pass
except (A, B) as error:
    pass
except:
    raise
else:
    pass
finally:
    pass

try:
    pass
except* Group as error:
    pass

with a as b, c() as (d, e), f:
    pass

with (
    a as b,
    c,
):
    pass

match x, y:
    case 0 | -1.5 | 1 + 2j | "s" "t" | b"u" | None | True:
        pass
    case [a, b, *_] | (a, [b]) if a:
        pass
    case {"k": v, 1: w, **rest}:
        pass
    case Point(x=0, y=0) | m.Point(a, b, c=d) as p:
        pass
    case _:
        pass


@decorator
@a.b(c)[d]
class C[T](Base, metaclass=M, **k):
    """A docstring."""
    x: int = 1

    @property
    def f(self) -> "C":
        global g
        return lambda: (yield)


def f[T](a, b: int = 1, /, c=2, *args: *Ts, d, e: str = "s", **kwargs) -> None:
    nonlocal x
    yield
    x = yield from y
    return *a, b


async def g():
    async with a as b, c:
        await d
    async for e in f:
        yield g
    return [h async for h in i if await j]

if x: y; z
é = ﬁ = 变量 = 1
x = \
    1
