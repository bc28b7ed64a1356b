"""Random kernels for random AMD chips end in code or in an error (fuzz/amd.py): a share of what the fuzzer tries, and what it found."""
import importlib.util
import os

import pytest

import transcript

ROOT = os.path.dirname(os.path.dirname(transcript.FOLDER))
COUNT, GROUP = int(os.environ.get("TESSERA_FUZZ_AMD", 160)), 40


@pytest.fixture(scope="module")
def fuzz():
    spec = importlib.util.spec_from_file_location("fuzz_amd", os.path.join(ROOT, "fuzz", "amd.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def corpus(fuzz):
    return fuzz.load_corpus()


@pytest.fixture(scope="module")
def session(fuzz):
    return fuzz.CompileSession()


@pytest.mark.parametrize("first", range(0, COUNT, GROUP))
def test_random_programs(fuzz, corpus, session, first):
    outcomes = {seed: fuzz.problem_of(session, fuzz.make_program(seed, corpus)) for seed in range(first, first + GROUP)}
    problems = [f"fuzz/amd.py --show {seed}: {problem}" for seed, (_, problem) in outcomes.items() if problem]
    assert not problems, "\n".join(problems)
    assert sum(outcome == "compiled" for outcome, _ in outcomes.values()) >= GROUP / 8  # it is no test of refusals alone


def kernel(*lines, parameters="x_ptr, N: tl.constexpr"):
    return f"import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n@triton.jit\ndef kernel({parameters}):\n" + \
        "".join(f"    {line}\n" for line in ("i = tl.arange(0, N)", "x = tl.load(x_ptr + i)", *lines))


def assembly(text, constraints="=v,v", pack=1):
    return kernel(f'tl.store(x_ptr + i, tl.inline_asm_elementwise("{text}", "{constraints}", [x], dtype=tl.int32, is_pure=True, pack={pack}))')


# What LLVM's back end would end the process on, or refuse without the program's line: (name, kernel, signature, chip, options, message).
GUARDS = [
    ("assembly without meaning", assembly("no such words"), "*i32,64", "gfx942", "", "error: "),
    ("modifier of an operand", assembly("v_mov_b32 ${0:x}, $1"), "*i32,64", "gfx1201", "", "error: "),
    ("operand that is not there", assembly("v_mov_b32 $0, $7"), "*i32,64", "gfx942", "", "names operand $7"),
    ("register that is not there", assembly("v_mov_b32 v300, $1"), "*i32,64", "gfx1100", "", "error: "),
    ("NVIDIA's constraint", assembly("v_mov_b32 $0, $1", "=r,r"), "*i32,64", "gfx90a", "", "use v, s or a"),
    ("accumulators of RDNA", assembly("v_mov_b32 $0, $1", "=a,v"), "*i32,64", "gfx1100", "", "constraint"),
    ("instruction of another chip", assembly("v_dual_mov_b32 $0, $1 :: v_dual_mov_b32 v1, v2"), "*i32,64", "gfx942", "", "error: "),
    ("too many threads", kernel("tl.store(x_ptr + i, x)"), "*i32,64", "gfx942", "num-warps=32", "num_warps = 32 on gfx942"),
    ("clusters", kernel("tl.store(x_ptr + i, x)"), "*i32,64", "gfx950", "num-ctas=2", "num_ctas = 2"),
    ("waves of a SIMD", kernel("tl.store(x_ptr + i, x)"), "*i32,64", "gfx90a", "waves-per-eu=9", "waves_per_eu = 9"),
    ("size of matrix instructions", kernel("tl.store(x_ptr + i, x)"), "*i32,64", "gfx90a", "matrix-instr-nonkdim=8", "matrix_instr_nonkdim = 8"),
    ("kpack", kernel("tl.store(x_ptr + i, x)"), "*i32,64", "gfx942", "kpack=4", "kpack = 4"),
    ("registers", kernel("tl.store(x_ptr + i, x)"), "*i32,64", "gfx1100", "maxnreg=8", "maxnreg = 8"),
    ("Bessel function", kernel("tl.store(x_ptr + i, libdevice.jn(i, x))"), "*fp64,64", "gfx942", "", "'__nv_jn'"),
    ("no library", kernel("tl.store(x_ptr + i, tl.core.extern_elementwise('', '', [x], {(tl.float32,): ('__ocml_none_f32', tl.float32)}, True))"),
     "*fp32,64", "gfx942", "", ""),
    ("rounding down", kernel("tl.store(x_ptr + i, libdevice.add_rd(x, x))"), "*fp32,64", "gfx1201", "", None),
    ("remainder of bf16", kernel("tl.store(x_ptr + i, x % (x + 1))"), "*bf16,64", "gfx950", "", None),
    # The shift has no defined result, so LLVM leaves no code; the table of lines is empty.
    ("no code", kernel("j = i >> N", "tl.store(x_ptr, tl.sum(tl.load(x_ptr + j % 3)))"), "*fp32:16,64", "gfx1100", "", None),
    ("print", kernel('tl.device_print("x", x)'), "*fp32,64", "gfx942", "", "device_print on hip:gfx942"),
    ("bytes", kernel("tl.atomic_add(x_ptr + i, x)"), "*i8,64", "gfx942", "", "atomic_add"),
    ("several traps", kernel("for j in range(3):", "    tl.device_assert(x > j)", "    tl.device_assert(x < 9)", "tl.store(x_ptr + i, x + x * x)"),
     "*i32,64", "gfx1100", "debug=true", None),
    ("shared memory", kernel("y = tl.dot(tl.load(x_ptr + i[:, None] * N + i[None, :]), tl.load(x_ptr + i[:, None] * N + i[None, :]).trans())",
                             "tl.store(x_ptr + i[:, None] * N + i[None, :], tl.sort(y, 0))"), "*fp32,256", "gfx942", "num-warps=4", ""),
]
# Math in f64 that LLVM has no code for, on every chip: it comes from the embedded library.
MATH = ["sin", "cos", "exp", "exp2", "log", "log2", "erf", "rsqrt", "sqrt", "floor", "ceil"]


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard[0].replace(" ", "-"))
def test_guard(fuzz, session, guard):
    _, text, signature, chip, options, message = guard
    outcome, answer = session.ask((text, "kernel", signature, chip, options))
    assert fuzz.problem_of(session, (text, "kernel", signature, chip, options))[1] is None
    if message is None:
        assert outcome == "compiled", answer
    else:
        assert outcome != "compiled" or message == "", outcome
        assert message in answer and ("kernel.py:" in answer or message == ""), answer


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("dtype", ["fp64", "fp16", "bf16"])
def test_math_of_every_type(session, chip, dtype):
    lines = [f"tl.store(x_ptr + i, tl.{name}(x.to({'x.dtype' if dtype == 'fp64' else 'tl.float32'})).to(x.dtype))" for name in MATH]
    outcome, answer = session.ask((kernel(*lines), "kernel", f"*{dtype},64", chip, ""))
    assert outcome == "compiled", answer
