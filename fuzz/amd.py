#!/usr/bin/python3
"""Compiles random kernels for random AMD chips, down to the code object: none may end the process.

    fuzz/amd.py --count 2000 --seed 7     programs 7, 8, ... 2006; one line each finding, and the counts
    fuzz/amd.py --show 42                 the text, signature, chip and options of one

LLVM's AMDGPU back end ends the process on what it cannot translate, so everything that a user can write must be refused
before. A program is a kernel of the tree (fuzz/make-corpus.py) or of the templates below, with other types, sizes, operators,
functions, options and chip. It compiles, or gets an error with `error:` or `unsupported:`, or one about its options. Anything else is a finding: a process that
died, an internal error, or more than five minutes.
"""
import argparse
import collections
import importlib.util
import os
import random
import re
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "test"), os.path.join(ROOT, "test", "run")]
from session import Library, Refused, Session, Unsupported  # noqa: E402

CHIPS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
SECONDS = 300  # products in scalar code take a minute on a busy machine
LARGEST = 1 << 13  # elements of a tile: what takes long is no finding
TYPES = ["i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15"]
NAMES = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64", "float8e4nv",
         "float8e5", "float8e4b8", "float8e5b16"]
FUNCTIONS = [["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "abs", "erf", "floor", "ceil", "sigmoid", "sqrt_rn"],
             ["sum", "max", "min", "xor_sum", "argmax", "argmin", "cumsum", "cumprod", "sort"],
             ["atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg"],
             ["maximum", "minimum", "div_rn", "umulhi", "fdiv", "cdiv"]]
OPERATORS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>"]
OPTIONS = {"num-warps": [1, 2, 4, 8, 16, 32], "num-stages": [1, 2, 3, 5], "maxnreg": [0, 8, 16, 24, 32, 64, 128, 255],
           "waves-per-eu": [0, 1, 2, 4, 8, 16, 100], "matrix-instr-nonkdim": [0, 16, 32, 4, 7], "kpack": [1, 2, 3], "allow-flush-denorm": ["true", "false"],
           "enable-fp-fusion": ["true", "false"], "line-info": ["true", "false"], "debug": ["true", "false"], "num-ctas": [1, 2]}
ASSEMBLY = ["v_add_f32 $0, $1, $1", "v_mov_b32 $0, $1", "v_mov_b32 $0, 0", "s_nop 0", "s_mov_b32 $0, $1", "v_add_u32 $0, $1, 1", "bad words", "v_pk_add_f16 $0, $1, $1",
            "v_mov_b32 $0, $9", "v_accvgpr_write_b32 $0, $1", "s_endpgm", ".if", "$", "${0:x}", "v_mov_b32 v300, $1", ".section x", "s_branch nowhere", "v_mov_b32 $0, exec",
            "v_mov_b64 $0, $1", "v_lshl_add_u64 $0, $1, 1, $1", "label: s_nop 0", "/*", "v_mfma_f32_4x4x1f32 $0, $1, $1, $1", "buffer_wbinvl1", "s_barrier", "\\\\n\\\\0"]
CONSTRAINTS = ["=v,v", "=s,s", "=v,s", "=a,v", "=v,a", "=a,a", "=r,r", "=v,0", "=&v,v", "=v,v,~{memory}", "=v,v,~{v255}", "=v,v,~{s0}", "={v0},{v1}", "=v", "v", "",
               "=v,i", "=m,v", "=^VA,v", "={v300},v", "=v,~{vcc},v", "=VA,v", "=v,v,~{nothing}", "=v,{s[0:1]}"]

TEMPLATES = {
    "atomic": ("""def kernel(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    y = tl.load(y_ptr + i)
    old = tl.{function}(x_ptr + i % {n}, y{mask}, sem="{sem}", scope="{scope}")
    tl.store(y_ptr + i, old)
""", lambda r: f"*{r.choice(TYPES)},*{{0}},{r.choice([1, 16, 64, 256, 1024])}"),
    "dot": ("""def kernel(x_ptr, y_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(x_ptr + m[:, None] * K + k[None, :])
    y = tl.load(y_ptr + k[:, None] * N + n[None, :])
    z = tl.dot(x, y{dot})
    tl.store(z_ptr + m[:, None] * N + n[None, :], z{cast})
""", lambda r: f"*{r.choice(TYPES)},*{{0}},*{r.choice(TYPES)}," + ",".join(str(r.choice([1, 2, 4, 8, 16, 32, 64])) for _ in range(3))),
    "scaled": ("""def kernel(x_ptr, xs_ptr, y_ptr, ys_ptr, z_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * (K // {xp}) + tl.arange(0, K // {xp})[None, :])
    y = tl.load(y_ptr + tl.arange(0, K // {yp})[:, None] * N + n[None, :])
    xs = tl.load(xs_ptr + m[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    ys = tl.load(ys_ptr + n[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    z = tl.dot_scaled(x, {xs}, "{xf}", y, {ys}, "{yf}")
    tl.store(z_ptr + m[:, None] * N + n[None, :], z)
""", None),
    "asm": ("""def kernel(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.inline_asm_elementwise("{asm}", "{constraints}", [x], dtype=tl.{dtype}, is_pure={pure}, pack={pack})
    tl.store(x_ptr + i, y)
""", lambda r: f"*{r.choice(TYPES)},{r.choice([64, 128, 256])}"),
    "cast": ("""def kernel(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(tl.{dtype}{rounding}).to(tl.{other})
    tl.store(y_ptr + i, (x {operator} x).to(y_ptr.dtype.element_ty))
""", lambda r: f"*{r.choice(TYPES)},*{r.choice(TYPES)},{r.choice([1, 32, 256, 1024])}"),
    "many": ("""def kernel({arguments}, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x_ptr + i, i + {sum})
""", None),
}
HEAD = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n@triton.jit\n"


def make_template(r):
    name = r.choice(list(TEMPLATES))
    text, signature = TEMPLATES[name]
    if name == "many":
        count = r.choice([20, 60, 300, 1100])
        names = [f"a{i}" for i in range(count)]
        return HEAD + text.format(arguments=", ".join(["x_ptr", *names]), sum=" + ".join(names[:200])), ",".join(["*i32", *["i64"] * count, "64"])
    first = r.choice(TYPES)
    formats = {"e2m1": "u8", "e4m3": "fp8e4nv", "e5m2": "fp8e5", "bf16": "bf16", "fp16": "fp16"}
    left, right = r.choice(list(formats)), r.choice(list(formats))
    words = dict(function=r.choice(FUNCTIONS[2]), n=r.choice([1, 7, 1024]), sem=r.choice(["relaxed", "acquire", "release", "acq_rel"]),
                 scope=r.choice(["cta", "gpu", "sys"]), mask=r.choice(["", ", mask=i % 3 == 0"]), asm=r.choice(ASSEMBLY), constraints=r.choice(CONSTRAINTS),
                 pure=r.choice([True, False]), pack=r.choice([1, 1, 2, 4]), dtype=r.choice(NAMES), other=r.choice(NAMES), operator=r.choice(OPERATORS),
                 rounding=r.choice(["", "", ', fp_downcast_rounding="rtz"', ", bitcast=True"]), cast=r.choice(["", ".to(z_ptr.dtype.element_ty)"]),
                 dot=r.choice(["", f", out_dtype=tl.{r.choice(NAMES)}", ', input_precision="bf16x3"', ', input_precision="tf32"', ', input_precision="ieee"',
                               ", max_num_imprecise_acc=0"]),
                 xf=left, yf=right, xp=1 + (left == "e2m1"), yp=1 + (right == "e2m1"), xs=r.choice(["xs", "xs", "None"]), ys=r.choice(["ys", "ys", "None"]))
    if name == "scaled":
        types = f"*{formats[left]},*u8,*{formats[right]},*u8,*fp32,{r.choice([16, 32, 64, 4])},{r.choice([16, 32, 64, 4])},{r.choice([32, 64, 128, 256])}"
    else:
        types = signature(r).format(first)
        if name in ("atomic", "dot") and r.random() < 0.8:  # operands of one type
            types = re.sub(r"\*\w+", f"*{first}", types, count=2)
    return HEAD + text.format(**words), types


def mutate_signature(r, signature):
    entries = signature.split(",")
    for i, entry in enumerate(entries):
        if r.random() < 0.6:
            continue
        if entry.startswith("*"):
            entries[i] = "*" + r.choice(TYPES)
        elif re.fullmatch(r"-?\d+", entry):
            entries[i] = str(r.choice([1, 2, 4, 8, 16, 32, 64, 128, 256, int(entry), int(entry) * 2]))
        elif entry in TYPES:
            entries[i] = r.choice(TYPES)
    return ",".join(entries)


def mutate_text(r, text):
    for _ in range(r.choice([0, 0, 1, 2, 4])):
        kind = r.randrange(4)
        if kind == 0:
            family = r.choice(FUNCTIONS)
            places = list(re.finditer(r"\btl\.(" + "|".join(family) + r")\(", text))
            new = f"tl.{r.choice(family)}("
        elif kind == 1:
            places, new = list(re.finditer(r"\btl\.(" + "|".join(NAMES) + r")\b", text)), f"tl.{r.choice(NAMES)}"
        elif kind == 2:
            places, new = list(re.finditer(r"(?<=\w )(//|<<|>>|[-+*/%&|^])(?= \w)", text)), r.choice(OPERATORS)
        else:
            places, new = list(re.finditer(r"(?<=tl\.load\()([^()]*)\)", text)), None
        if places:
            place = r.choice(places)
            word = new if new is not None else f"{place[1]}).to(tl.{r.choice(NAMES)})"
            text = text[:place.start()] + word + text[place.end():]
    return text


def load_corpus():
    """[(text, kernel, signature)] of the tree's kernels."""
    spec = importlib.util.spec_from_file_location("make_corpus", os.path.join(HERE, "make-corpus.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    import signatures
    found = set()
    for text in module.seeds("frontend"):
        for case in signatures.commented("kernel.py", text):
            numbers = [int(entry) for entry in case.entries if re.fullmatch(r"\d+", entry)]
            parameters = re.search(rf"def {case.kernel}\((.*?)\):", text, re.S)
            fits = parameters and len([name for name in parameters[1].split(",") if name.strip()]) == len(case.entries)
            if fits and all(number <= LARGEST for number in numbers):
                found.add((text, case.kernel, case.signature))
    return sorted(found)


def make_program(seed, corpus):
    """(text, kernel, signature, chip, options)"""
    r = random.Random(seed)
    if r.random() < 0.5:
        text, signature = make_template(r)
        kernel = "kernel"
    else:
        text, kernel, signature = r.choice(corpus)
        text, signature = mutate_text(r, text), mutate_signature(r, signature) if r.random() < 0.7 else signature
    chosen = {name: r.choice(values) for name, values in OPTIONS.items() if r.random() < 0.15}
    return text, kernel, signature, r.choice(CHIPS), ",".join(f"{name}={value}" for name, value in chosen.items())


# ---- running --------------------------------------------------------------------------------------

def serve(connection):
    library = Library()
    while True:
        try:
            text, kernel, signature, chip, options = connection.recv()
        except EOFError:
            return
        try:
            compiled, _ = library.compiled("kernel.py", text, kernel, signature, options, f"hip:{chip}", "hsaco")
            library.kernel_free(compiled)
            connection.send(("compiled", ""))
        except (Unsupported, Refused) as problem:
            connection.send((type(problem).__name__, str(problem)))
        except Exception:
            connection.send(("broken", traceback.format_exc()))


class CompileSession(Session):
    serve = staticmethod(serve)
    seconds = SECONDS


def problem_of(session, program):
    """(outcome, what is wrong or None)"""
    try:
        outcome, answer = session.ask(program)
    except Refused as death:
        return "finding", str(death)
    if outcome == "compiled":
        return outcome, None
    is_told = re.search(r"\b(error|unsupported): |^status 2\n", answer) and not re.search(r"internal error|this is a bug|LLVM ERROR", answer, re.I)
    if outcome == "broken" or not is_told:
        return "finding", answer
    return "unsupported" if outcome == "Unsupported" else "refused", None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, metavar="SEED")
    arguments = parser.parse_args()
    corpus = load_corpus()
    if arguments.show is not None:
        print(*make_program(arguments.show, corpus), sep="\n")
        return 0
    session, counts = CompileSession(), collections.Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        program = make_program(seed, corpus)
        outcome, problem = problem_of(session, program)
        counts[outcome] += 1
        if problem:
            print(f"seed {seed}, {program[3]}, {program[4]}, {program[2][:100]}: {problem}\n", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 1 if counts["finding"] else 0


if __name__ == "__main__":
    sys.exit(main())
