#: Named tuples and aggregates that are constructed or used wrongly.
from typing import NamedTuple
import triton
import triton.language as tl


class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor


@tl.core._aggregate
class Pair:
    a: tl.tensor
    B: tl.constexpr

    @triton.constexpr_function
    def __init__(self, a, B, c=None):
        self.a = a
        if B is not None:
            self.B = B
        if c is not None:
            self.c = c


@tl.core._aggregate
class Bare:
    a: tl.tensor


class Plain:
    pass


@triton.jit
def tuples(p, n):
    tl.store(p, Point(n))
    tl.store(p, Point(n, n, n))
    tl.store(p, Point(n, z=1))
    tl.store(p, Point(n, x=1))
    point = Point(n, n)
    tl.store(p, point.z)
    point.x = 5


@triton.jit
def aggregates(p, n):
    first = Pair(1, 2)
    second = Pair(n, n)
    third = Pair(n, None)
    fourth = Pair(n, 1, 2)
    fifth = Bare(n)
    sixth = Plain()
    good = Pair(n, 1)
    good.a = n
    tl.store(p, good.missing)
    tl.store(p, good + 1)


@triton.jit
def changes(p, n):
    pair = Pair(n, 1)
    for i in range(n):
        pair = Pair(n, 2)
    tl.store(p, pair.a)


# Named tuples: what is missing, too much, or cannot be assigned.
# $ tessera compile classes.py -n tuples -s "*i32,i32" --emit ttir -o -
# | classes.py:36:17: error: 'Point' has the fields x, y, and 'y' has no value
# |     tl.store(p, Point(n))
# |                 ^~~~~~~~
# | classes.py:35:15: note: 'n' is a run-time scalar i32, from here
# | classes.py:37:29: error: 'Point' has the fields x, y, and this is one value more
# |     tl.store(p, Point(n, n, n))
# |                             ^
# | classes.py:35:15: note: 'n' is a run-time scalar i32, from here
# | classes.py:38:26: error: 'Point' has the fields x, y, and not 'z'
# |     tl.store(p, Point(n, z=1))
# |                          ^~~
# | classes.py:35:15: note: 'n' is a run-time scalar i32, from here
# | classes.py:39:26: error: 'Point' got two values for 'x'
# |     tl.store(p, Point(n, x=1))
# |                          ^~~
# | classes.py:35:15: note: 'n' is a run-time scalar i32, from here
# | classes.py:41:17: error: an object of class 'Point' has no attribute 'z' that kernels can read
# |     tl.store(p, point.z)
# |                 ^~~~~~~
# | classes.py:42:5: error: tensors and objects cannot be modified in place; assign to a name, or use tl.store
# |     point.x = 5
# |     ^~~~~~~
# = 1

# Aggregates: __init__ sets every field, with a value of its type; nothing else changes one.
# $ tessera compile classes.py -n aggregates -s "*i32,i32" --emit ttir -o -
# | classes.py:18:9: error: the field 'a' of 'Pair' cannot be the int 1
# |         self.a = a
# |         ^~~~~~
# | classes.py:13:8: note: the field is declared here
# | classes.py:47:13: note: in the construction of 'Pair' here
# | classes.py:20:13: error: the field 'B' of 'Pair' cannot be a run-time scalar i32
# |             self.B = B
# |             ^~~~~~
# | classes.py:14:8: note: the field is declared here
# | classes.py:48:14: note: in the construction of 'Pair' here
# | classes.py:46:19: note: 'n' is a run-time scalar i32, from here
# | classes.py:49:13: error: __init__ of 'Pair' does not set the field 'B'
# |     third = Pair(n, None)
# |             ^~~~~~~~~~~~~
# | classes.py:46:19: note: 'n' is a run-time scalar i32, from here
# | classes.py:22:13: error: 'Pair' has no field 'c'; its fields are a, B
# |             self.c = c
# |             ^~~~~~
# | classes.py:50:14: note: in the construction of 'Pair' here
# | classes.py:46:19: note: 'n' is a run-time scalar i32, from here
# | classes.py:51:13: error: 'Bare' has no __init__(self, ...) that sets its fields
# |     fifth = Bare(n)
# |             ^~~~~~~
# | classes.py:46:19: note: 'n' is a run-time scalar i32, from here
# | classes.py:52:13: error: 'Plain' cannot be used in a kernel (line 30: a plain class; kernels know NamedTuple classes and those made by @tl.core._aggregate)
# |     sixth = Plain()
# |             ^~~~~
# | classes.py:54:5: error: tensors and objects cannot be modified in place; assign to a name, or use tl.store
# |     good.a = n
# |     ^~~~~~
# | classes.py:55:17: error: an object of class 'Pair' has no attribute 'missing' that kernels can read
# |     tl.store(p, good.missing)
# |                 ^~~~~~~~~~~~
# | classes.py:56:17: error: operator '+' does not take an object of class 'Pair' and the int 1
# |     tl.store(p, good + 1)
# |                 ^~~~~~~~
# | classes.py:53:5: note: 'good' is an object of class 'Pair', from here
# = 1

# A field that is a constant cannot change in a loop.
# $ tessera compile classes.py -n changes -s "*i32,i32" --emit ttir -o -
# | classes.py:63:9: error: 'pair' is Pair<i32, 1> before the loop and Pair<i32, 2> after an iteration; a loop keeps the types of its variables
# |         pair = Pair(n, 2)
# |         ^~~~
# | classes.py:61:5: note: 'pair' got its type here
# = 1
