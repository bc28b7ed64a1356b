# Python that runs at compile time: what a constexpr function computes is a constant in the kernel.
# RUN: split-file %s %t
# RUN: tessera compile %t/functions.py -n k -s "*i64,64" --emit ttir -o - | FileCheck %s
# CHECK-DAG: arith.constant 6 : i64
# CHECK-DAG: arith.constant 5050 : i64
# CHECK-DAG: arith.constant 21 : i64
# CHECK-DAG: arith.constant 1597 : i64
# CHECK-DAG: arith.constant 30 : i64
# CHECK-DAG: arith.constant 8192 : i64
# CHECK-DAG: arith.constant 7 : i64
# CHECK-DAG: arith.constant 17 : i64
# CHECK-DAG: arith.constant 1011 : i64
# CHECK-DAG: arith.constant 99 : i32
# CHECK-DAG: tt.make_range {end = 128 : i32, start = 0 : i32}
# CHECK: tt.store
# RUN: tessera compile %t/functions.py -n text -s "*i32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=TEXT
# TEXT: RELU_fp16_x64
# TEXT-NEXT: [1, 2, 3] {'a': 1.5, 'b': None} (True,)
# TEXT-NEXT: 00042|  ff|1.500e+03|  ok  |3.14|1,234,567

#--- functions.py
import math
import triton
import triton.language as tl

@triton.constexpr_function
def log2(n):
    return n.bit_length() - 1

@triton.constexpr_function
def total(n):
    result = 0
    for i in range(n + 1):
        result += i
    return result

def helper(values, *, scale=1, **options):
    return sum(v * scale for v in values) + options.get("offset", 0)

@triton.constexpr_function
def calls_plain():
    return helper([1, 2, 3], scale=3, offset=3)

@triton.constexpr_function
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

@triton.constexpr_function
def flow(n):
    seen = []
    while True:
        n -= 1
        if n % 2:
            continue
        if n < 0:
            break
        seen.append(n)
    else:
        seen.append(1000)
    first, *rest = seen
    return first + sum(rest) if len(rest) > 2 else 0

@triton.constexpr_function
def shape(n, rank=2):
    dims = {i: n for i in range(rank)}
    dims[rank - 1] //= 2
    return [v * 2 for _, v in sorted(dims.items())]

@triton.constexpr_function
def area(dims):
    return math.prod(dims)

@triton.constexpr_function
def caught(x):
    try:
        if x > 3:
            raise ValueError("too large")
        return 1 // x
    except ZeroDivisionError:
        return 5
    except ValueError as error:
        return 7 if "too large" in str(error) else 8
    finally:
        x = 0

@triton.constexpr_function
def nested(n):
    def add(a, b=10):
        return a + b + n
    pick = lambda a, key=max: key(a, 1)
    return add(pick(2), b=5) if isinstance(n, int) and 0 < n <= 20 else -1

@triton.constexpr_function
def closures(n):
    def power(base, k=n):  # calls itself; its default is the outer function's
        return 1 if k == 0 else base * power(base, k - 1)
    for i in range(500):
        last = lambda: power(2) + i
    return last()

@triton.constexpr_function
def chooses(kind):
    return {"max": tl.maximum, "min": tl.minimum}[kind] if kind in ("max", "min") else None

@triton.jit
def k(p, BLOCK: tl.constexpr):
    tl.store(p, log2(BLOCK))
    tl.store(p, total(100))
    tl.store(p, calls_plain())
    tl.store(p, fibonacci(17))
    tl.store(p, flow(12))
    tl.store(p, area(shape(BLOCK)))
    tl.store(p, caught(4))
    tl.store(p, nested(n=10))
    tl.store(p, closures(9))
    tl.store(p + tl.arange(0, shape(BLOCK)[0]), 0)
    MAX: tl.constexpr = chooses("max")
    tl.store(p, MAX(tl.program_id(0), 99))

@triton.constexpr_function
def name(kind, dtype, n):
    return f"{kind.upper()}_{dtype}_x{n}"

@triton.constexpr_function
def shown():
    return str([1, 2, 3]) + " " + repr({"a": 1.5, "b": None}) + " " + str((True,))

@triton.constexpr_function
def formatted():
    return f"{42:05}|{255:4x}|{1500.0:.3e}|{'ok':^6}|" + "{:.2f}".format(math.pi) + f"|{1234567:,}"

@triton.jit
def text(p):
    tl.static_print(name("relu", tl.float16, 64))
    tl.static_print(shown())
    tl.static_print(formatted())
    tl.store(p, 1)
