"""Programs too large to keep in a file: deep, long, endless. Each compiles or gets its error, in seconds and megabytes.

    LIMITS: a name, a program, what the compiler says (None if it compiles)
"""
import dataclasses
import os
import resource
import subprocess

import pytest

import transcript

SECONDS = 60  # on a busy machine; none takes more than a few
MEMORY = 4 << 30
IMPORTS = "import triton\nimport triton.language as tl\n\n\n"


@dataclasses.dataclass
class Limit:
    name: str
    text: object  # str, or bytes
    says: str = None
    signature: str = "*i32,i32"


def kernel(*lines, parameters="x_ptr, n", before=""):
    return IMPORTS + before + f"@triton.jit\ndef kernel({parameters}):\n" + "".join(f"    {line}\n" for line in lines)


def stored(value, before=""):
    return kernel(f"tl.store(x_ptr, {value})", before=before)


def function(head, *lines, decorator="triton.jit"):
    return f"@{decorator}\ndef {head}:\n" + "".join(f"    {line}\n" for line in lines) + "\n\n"


def host(*lines):
    return function("f(a)", *lines, decorator="triton.constexpr_function")


def nested(head, depth, last):
    return [" " * i + head.format(i) for i in range(depth)] + [" " * depth + last]


def chain(count, body):
    """count functions, each calling the one before."""
    return function("f0(a)", "return a") + "".join(function(f"f{i}(a)", body.format(i - 1)) for i in range(1, count))


DEPTH = [
    Limit("parentheses", stored("(" * 150 + "n" + ")" * 150)),
    Limit("too many parentheses", stored("(" * 5000 + "n" + ")" * 5000), "too many nested parentheses"),
    Limit("signs", stored("-" * 900 + "n")),
    Limit("too many signs", stored("-" * 50000 + "n"), "nest 1000 deep"),
    Limit("too many nots", stored("not " * 50000 + "n"), "nest 1000 deep"),
    Limit("sum", stored("+".join(["n"] * 900))),
    Limit("too long a sum", stored("+".join(["n"] * 100000)), "nest 1000 deep"),
    Limit("conjunction", stored(" and ".join(["(n > 1)"] * 20000))),
    Limit("too many attributes", stored("n" + ".T" * 50000), "nest 1000 deep"),
    Limit("calls", stored("tl.abs(" * 150 + "n" + ")" * 150)),
    Limit("conditions", kernel("y = " + "1 if n > 0 else " * 900 + "2", "tl.store(x_ptr, y)")),
    Limit("too many conditions", stored("1 if n > 0 else " * 5000 + "2"), "nest 1000 deep"),
    Limit("too many lambdas", stored("lambda: " * 5000 + "1"), "nest 1000 deep"),
    Limit("f-strings", kernel("tl.static_print(" + "f'{" * 100 + "1" + "}'" * 100 + ")")),
    Limit("ifs", kernel(*nested("if n > {}:", 95, "tl.store(x_ptr, n)"))),
    Limit("too many ifs", kernel(*nested("if n > {}:", 5000, "tl.store(x_ptr, n)")), "too many levels of indentation"),
    Limit("loops", kernel("a = n", *nested("for i{} in range(n):", 95, "a += 1"), "tl.store(x_ptr, a)")),
    Limit("whiles", kernel(*nested("while n > {}:", 95, "n -= 1"))),
    Limit("elifs", kernel("if n == 0:", "    n = 1", *[line for i in range(900) for line in (f"elif n == {i}:", "    n = 2")])),
    Limit("too many elifs",
          kernel("if n == 0:", "    n = 1", *[line for i in range(5000) for line in (f"elif n == {i}:", "    n = 2")]),
          "nest 1000 deep"),
    Limit("returns", kernel(*[line for i in range(500) for line in (f"if n == {i}:", "    return")], "tl.store(x_ptr, n)")),
    Limit("too many returns",
          kernel(*[line for i in range(10000) for line in (f"if n == {i}:", "    return")], "tl.store(x_ptr, n)"),
          "nested too deeply"),
]

LENGTH = [
    Limit("10,000 lines", kernel("a = n", *[f"a += {i}" for i in range(10000)], "tl.store(x_ptr, a)")),
    Limit("10,000 stores",
          kernel("a = n", *[line for i in range(5000) for line in (f"a = a * {i} + n", f"tl.store(x_ptr + {i}, a)")])),
    Limit("5,000 ifs", kernel("a = n", *[line for i in range(5000) for line in (f"if a > {i}:", "    a += 1")], "tl.store(x_ptr, a)")),
    Limit("5,000 loops",
          kernel("a = n", *[line for i in range(5000) for line in (f"for i in range({i}):", "    a += i")], "tl.store(x_ptr, a)")),
    Limit("10,000 names", kernel(*[f"a{i} = n + {i}" for i in range(10000)], "tl.store(x_ptr, a9999)")),
    Limit("10,000 calls",
          kernel("a = n", *[f"a = f(a, {i % 7})" for i in range(10000)], "tl.store(x_ptr, a)",
                 before=function("f(a, b)", "return a + b"))),
    Limit("10,000 mistakes", kernel(*[f"a = b{i}" for i in range(10000)]), "'b0' is not defined"),
    Limit("10,000 parameters", kernel("tl.store(p0, p1)", parameters=", ".join(f"p{i}" for i in range(10000))),
          signature="*i32" + ",i32" * 9999),
    Limit("100,000 parameters", kernel("pass", parameters=", ".join(f"p{i}" for i in range(100000))), "takes 100000"),
    Limit("10,000 arguments",
          kernel(f"f({', '.join(f'a{i}=n' for i in range(10000))})",
                 before=function(f"f({', '.join(f'a{i}' for i in range(10000))})", "pass"))),
    Limit("a long line", kernel("x = " + "n + 1, " * 20000 + "n", "tl.store(x_ptr, n)")),
    Limit("a long name", kernel("a" * 100000 + " = n", "tl.store(x_ptr, " + "a" * 100000 + ")")),
    Limit("a long unknown name", stored("a" * 1000000), "is not defined"),
    Limit("a long string", kernel("tl.device_print('" + "a" * 1000000 + "', n)")),
    Limit("continued lines", stored("\\\n" * 100000 + "n")),
    *[Limit(f"5,000 globals, each in '{head.split()[0]}'",
            stored("A4999", before="A0 = tl.constexpr(1)\n" + "".join(f"{head.format(i)}: A{i} = A{i - 1}\n{tail}" for i in range(1, 5000))))
      for head, tail in (("with open('f')", ""), ("for i{} in range(1)", ""), ("try", "except OSError: pass\n"))],
    Limit("5,000 decorators", IMPORTS + "@triton.jit\n" * 5000 + "def kernel(x_ptr, n):\n    tl.store(x_ptr, n)\n"),
]

CALLS = [
    Limit("a chain", stored("f199(n)", before=chain(200, "return f{}(a) + 1"))),
    Limit("too long a chain", stored("f19999(n)", before=chain(20000, "return f{}(a) + 1")), "nested too deeply"),
    Limit("ifs in functions",
          stored("f100(n)", before=chain(101, "b = a\n" + "".join(f"    {line}\n" for line in nested("if a > 1:", 80, "b = f{}(a)"))
                                         + "    return b")), "nested too deeply"),
    Limit("twice each", stored("f10(n)", before=chain(11, "return f{0}(a) + f{0}(a + 1)"))),
    Limit("too often twice", stored("f40(n)", before=chain(41, "return f{0}(a) + f{0}(a + 1)")), "operations"),
    Limit("each other", stored("f(n)", before=function("f(a)", "return g(a)") + function("g(a)", "return f(a)")), "would never end"),
    Limit("itself", kernel("kernel(x_ptr, n)"), "would never end"),
    Limit("downwards",
          stored("f(n, 50)", before=function("f(a, N: tl.constexpr)", "if N == 0:", "    return a", "else:", "    return g(a, N - 1)")
                 + function("g(a, N: tl.constexpr)", "return f(a + 1, N)"))),
    Limit("upwards",
          stored("f(n, 50)", before=function("f(a, N: tl.constexpr)", "return g(a, N + 1)")
                 + function("g(a, N: tl.constexpr)", "return f(a + 1, N)")), "nested too deeply"),
    Limit("longer tuples", stored("f((n, n))", before=function("f(a)", "return f(a + a)")), "65536 elements"),
    Limit("deeper tuples", stored("f((n, n))", before=function("f(a)", "return f((a, a))")), "elements"),
    Limit("longer texts", stored("f('a')", before=function("f(a: tl.constexpr)", "return f(a + a)")), "too long"),
    Limit("a reduction in itself",
          stored("tl.reduce(tl.arange(0, 16), 0, f)",
                 before=function("f(a, b)", "return tl.reduce(tl.zeros((16,), tl.int32), 0, f)")), "would never end"),
    Limit("a compile-time function", stored("f(1)", before=host("return f(a + 1)")), "nested too deeply"),
]

ENDLESS = [
    Limit("while", stored("f(1)", before=host("while True:", "    a += 1", "return a")), "500000 statements"),
    Limit("while pass", stored("f(1)", before=host("while True:", "    pass")), "500000 statements"),
    Limit("for", stored("f(1)", before=host("for i in range(10**12):", "    a = i", "return a")), "too long"),
    Limit("for for", stored("f(1)", before=host("for i in range(10**5):", "    for j in range(10**5):", "        pass")),
          "500000 statements"),
    Limit("Fibonacci", stored("f(60)", before=host("return a if a < 2 else f(a - 1) + f(a - 2)")), "500000 statements"),
    Limit("squares", stored("f(3)", before=host("while True:", "    a = a * a")), "operator '*'"),
    Limit("doubles", stored("f(3)", before=host("while True:", "    a = a + a")), "operator '+'"),
    Limit("tuples of tuples", stored("f((3,))", before=host("while True:", "    a = (a, a)")), "elements"),
    Limit("a tuple in a tuple", stored("f((3,))", before=host("while True:", "    a = (a,)")), "deep"),
    Limit("texts", stored("f('a')", before=host("while True:", "    a = a + a")), "too long"),
    Limit("f-strings", stored("f('a')", before=host("while True:", "    a = f'{a}{a}'")), "too long"),
    Limit("static_range", kernel("for i in tl.static_range(10**12):", "    n += i"), "500000 statements"),
    Limit("static_range in itself", kernel(*nested("for i{} in tl.static_range(10):", 12, "pass")), "500000 statements"),
    Limit("unrolled",
          kernel("for i in tl.range(0, n, 1, loop_unroll_factor=100000000):", "    tl.store(x_ptr + i, i)"), "cannot unroll"),
    Limit("unrolled in itself",
          kernel(*nested("for i{} in tl.range(0, n, 1, loop_unroll_factor=64):", 6, "tl.store(x_ptr + i0, i1)")), "cannot unroll"),
    Limit("comprehension", stored("[[j for j in range(10**4)] for i in range(10**4)]"), "500000 statements"),
]

NUMBERS = [Limit(f"compile-time {text[:40]}", kernel(f"N: tl.constexpr = {text}", "tl.store(x_ptr, 1)"), "") for text in (
    "2**(10**9)", "10**10**10", "1 << 10**9", "'a' * 10**9", "10**9 * 'a'", "(1,) * 10**9", "[0] * 10**12", "('a' * 65536) * 65536",
    "9" * 70000, "0x" + "f" * 100000, "(1 << 65000) * (1 << 65000)", "1 // 0", "1 % 0", "0 ** -1", "(-8) ** 0.5", "1 << -1",
    "int(float('nan'))", "range(10**18)[5]", "f'{1:1000000000}'", "'%1000000000d' % 5")]

SHAPES = [Limit(f"{form.split('(')[0]} of {size}", kernel(f"x = {form.format(size)}"), "")
          for size in ("2**40", "2**63", "2**64", "-16", "0", "1.5", "2**(10**9)", "(16,)", "None")
          for form in ("tl.arange(0, {})", "tl.zeros(({0}, {0}, {0}), tl.int32)", "tl.reshape(tl.arange(0, 16), ({0}, {0}))",
                       "tl.broadcast_to(tl.arange(0, 16), ({}, 16))", "tl.histogram(tl.arange(0, 16), {})",
                       "tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), ({0}, {0}), (1, 0))",
                       "tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [{0}, {0}])")] + [
    Limit("a product that grows", kernel("x = tl.arange(0, 1024)", "y = x[:, None] * x[None, :]", "z = y[:, :, None] * x"), "1048576"),
]

BYTES = [
    Limit("a surrogate in UTF-8", kernel("tl.device_print('?', n)").encode().replace(b"?", b"\xed\xa0\x80"), "can't decode byte 0xed"),
    Limit("a NUL", kernel("tl.device_print('?', n)").encode().replace(b"?", b"\0"), "null bytes"),
    Limit("NULs in strings", kernel("tl.static_assert(n == '\\0', 'a\\0b')", "tl.device_print('a\\0b', n)"), ""),
    Limit("surrogates in strings", kernel("tl.device_print('\\ud800', n)"), "printable ASCII"),
    Limit("UTF-16", kernel("pass").encode("utf-16"), "can't decode byte 0xff"),
    Limit("machine code", bytes(range(256)) * 100, ""),
    Limit("nothing", "", "no kernel 'kernel'"),
    Limit("only carriage returns", kernel("tl.store(x_ptr, n)").replace("\n", "\r")),
]

ALL = {"depth": DEPTH, "length": LENGTH, "calls": CALLS, "endless": ENDLESS, "numbers": NUMBERS, "shapes": SHAPES, "bytes": BYTES}


@pytest.mark.parametrize("limit", [pytest.param(limit, id=f"{group}: {limit.name}") for group, all in ALL.items() for limit in all])
def test_limit(tmp_path, limit):
    path = tmp_path / "kernel.py"
    path.write_bytes(limit.text if isinstance(limit.text, bytes) else limit.text.encode())
    command = [os.path.join(transcript.BIN, "tessera"), "compile", str(path), "--kernel-name", "kernel", "--signature", limit.signature,
               "--emit", "ttir", "-o", str(tmp_path / "kernel.ttir")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    text = done.stdout.decode(errors="replace")
    if limit.says is None:
        assert done.returncode == 0, text[:4000]
        return
    assert done.returncode in (1, 3) and limit.says in text, f"status {done.returncode}\n{text[:4000]}"
    # Nobody reads a message of a megabyte; names are shown as they are.
    longest = max(text.split("\n"), key=len)
    assert len(longest) < 2000 or "a" * 1000 in longest, longest[:500]
