"""Random Python expressions, computed by CPython and by constexpr functions: the same text each time.

    python3 random_host_expressions.py SEED COUNT FOLDER [TESSERA]

Writes FOLDER/expressions.py, compiles it, and compares what its static_print calls print with repr().
Where Python raises, the compiler must refuse. Prints each difference, then a count.
"""
import math
import random
import subprocess
import sys
import warnings

LITERALS = ["True", "False", "0", "1", "2", "3", "7", "16", "255", str(1 << 70), "1e300", "1e-7", "0.1",
            "123456789.123"]
TEXTS = ["'abc'", "'Hello World'", "'a,b,c'", "'x'", "''", "'  pad '", "\"it's\"", "'tab\\t'", "'ünï'"]
SPECS = ["", "d", ">8", "08.3f", "+", "x", ",", ".3e", "g", "b", "#x", "^10", "%", "_", ".2f", "010", "*<9", ".3",
         "e", ",.2f", "!r", "!r:>12"]
SLICES = ["1:", "::-1", ":-1", "::2", "-3:", "0:2", "2:0:-1"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, depth):
        kind = self.random.randrange(13) if depth > 0 else 0
        if kind < 3:
            return self.pick(str(self.random.randint(-20, 20)), str(self.random.randint(-2**40, 2**40)),
                             repr(round(self.random.uniform(-50, 50), self.random.randint(0, 4))), *LITERALS)
        a, b = self.number(depth - 1), self.number(depth - 1)
        small = self.random.randint(-3, 5)
        items = self.list(depth - 1)
        return [f"({a} {self.pick('+', '-', '*')} {b})", f"({a} {self.pick('//', '%', '/')} {b})",
                f"({self.pick('-', '+', 'not ', 'abs')}({a}))",
                f"(int({a}) {self.pick('&', '|', '^', '<<', '>>')} {abs(small)})", f"({a} ** {small})",
                f"round({a}{self.pick('', f', {small}')})", f"{self.pick('min', 'max', 'sum')}({items})",
                f"({a} if {self.boolean(depth - 1)} else {b})", f"{items}[{small}]",
                self.pick(f"len({items})", f"divmod({a}, {b})[{abs(small) % 2}]", f"int({a}).bit_length()",
                          f"pow({abs(small)}, 7, 13)", f"float({a})",
                          f"math.{self.pick('sqrt', 'floor', 'ceil', 'exp', 'log', 'sin', 'gcd', 'isqrt')}({a})"),
                ][kind - 3]

    def text(self, depth):
        kind = self.random.randrange(10) if depth > 0 else 0
        if kind < 2:
            return self.pick(*TEXTS)
        inner, number = self.text(depth - 1), self.number(depth - 1)
        spec = self.pick(*SPECS)
        hole = "{" + (spec if spec.startswith("!") or not spec else ":" + spec) + "}"
        return [f"({inner} + {self.text(depth - 1)})",
                f"{inner}.{self.pick('strip', 'lstrip', 'rstrip')}()",
                f"({inner} * {self.random.randint(-1, 4)})", f"str({self.value(depth - 1)})",
                f"'{hole}'.format({number})", f"{inner}[{self.pick(*SLICES)}]",
                f"'-'.join([str(q) for q in {self.list(depth - 1)}])",
                self.pick(f"{inner}.replace('a', 'ZZ')", f"repr({self.value(depth - 1)})", f"{inner}.split(',')[0]",
                          f"('%s|%5d|%-6s|%.2f' % ({inner}, int({number}), {inner}, {number}))",
                          f"{inner}.ljust(7, '.')", f"hex(int({number}))", f"bin(int({number}))")][kind - 2]

    def list(self, depth):
        kind = self.random.randrange(9) if depth > 0 else 0
        if kind < 3:
            return "[" + ", ".join(self.number(0) for _ in range(self.random.randint(0, 5))) + "]"
        inner, other = self.list(depth - 1), self.list(depth - 1)
        return [f"[a * 2 for a in {inner} if a > {self.random.randint(-5, 5)}]",
                f"sorted({inner}{self.pick('', ', reverse=True', ', key=lambda v: -v', ', key=lambda v: v % 7')})",
                f"({inner} + {other})", f"list({self.pick('reversed', 'tuple', 'list')}({inner}))",
                f"{inner}[{self.pick(*SLICES)}]", f"[a + b for a, b in zip({inner}, {other})]"][kind - 3]

    def boolean(self, depth):
        kind = self.random.randrange(7) if depth > 0 else 0
        a, b = self.number(depth - 1), self.number(depth - 1)
        order = self.pick("<", "<=", "==", "!=", ">", ">=")
        types = self.pick("int", "float", "str", "(int, float)", "bool", "list", "tuple", "dict")
        return [self.pick("True", "False"), f"({a} {order} {b})", f"({a} < {b} <= {self.number(depth - 1)})",
                f"({a} {self.pick('in', 'not in')} {self.list(depth - 1)})",
                f"({self.pick('any', 'all')}({self.list(depth - 1)}))",
                f"({self.text(depth - 1)} {self.pick('<', '==', '>=', 'in')} {self.text(depth - 1)})",
                f"isinstance({self.value(depth - 1)}, {types})"][kind]

    def dict(self, depth):
        items = ", ".join(f"{self.pick('1', '2', '3', 'True', '1.0')}: {self.value(depth - 1)}"
                          for _ in range(self.random.randint(0, 4)))
        return self.pick("{" + items + "}", "{k: v for k, v in enumerate(%s)}" % self.list(depth - 1),
                         f"dict(a={self.number(depth - 1)}, b={self.number(depth - 1)})")

    def tuple(self, depth):
        return "(" + "".join(self.value(depth - 1) + ", " for _ in range(self.random.randint(0, 3))) + ")"

    def value(self, depth):
        kinds = [self.number, self.number, self.text, self.list, self.boolean, self.dict, self.tuple]
        return self.random.choice(kinds if depth > 0 else kinds[:2])(depth)


def expected(expression):
    """repr() of the value; ERROR if Python raises; None for what cannot be compared."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = eval(expression, {"math": math})
    except Exception:
        return "ERROR"
    text = repr(value)
    return None if "j" in text and isinstance(value, complex) or len(text) > 2000 else text


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    generator = Generator(seed)
    cases = []
    while len(cases) < count:
        expression = generator.value(generator.random.randint(1, 4))
        result = expected(expression)
        if result is not None and "j)" not in result:
            cases.append((expression, result))
    lines = ["import math", "import triton", "import triton.language as tl"]
    for i, (expression, _) in enumerate(cases):
        lines += ["@triton.constexpr_function", f"def f{i}():", "    try:", f"        return repr({expression})",
                  "    except Exception:", "        return 'ERROR'"]
    lines += ["@triton.jit", "def k(p):"] + [f"    tl.static_print(f{i}())" for i in range(count)]
    path = f"{folder}/expressions.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    command = [*(sys.argv[4:] or ["tessera"]), "compile", path, "-n", "k", "-s", "*i32", "--emit", "ttir", "-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    printed = done.stderr.splitlines()
    wrong = [(e, want, got) for (e, want), got in zip(cases, printed + ["nothing"] * count) if got != want]
    for expression, want, got in wrong[:10]:
        print(f"{expression}\n  Python:   {want}\n  compiler: {got}")
    print(f"{count - len(wrong)} of {count} the same")
    return bool(wrong)


sys.exit(main())
