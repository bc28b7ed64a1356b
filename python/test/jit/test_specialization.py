"""Which variants a kernel gets, why, and how to have them all before they are needed."""
import json
import warnings

import pytest
import tessera
import tessera.language as tl
from tessera import knobs

np = pytest.importorskip("numpy")


def make(**options):
    @tessera.jit(**options)
    def fn(out_ptr, n):
        tl.store(out_ptr, n)
    return fn


def launch(fn, n, out=None, **options):
    out = np.zeros(16, "int64") if out is None else out
    fn[(1, )](out, n, **options)
    assert out[0] == n


def count(fn, values):
    for n in values:
        launch(fn, n)
    return len(fn.specializations())


# ---- which ------------------------------------------------------------------------------------------------

def test_ints_have_three_kinds():
    assert count(make(), [1, 2, 4, 8, 16, 32]) == 3


def test_ints_that_are_not_specialized():
    assert count(make(do_not_specialize=["n"]), [1, 2, 4, 8, 16, 32]) == 1
    assert count(make(do_not_specialize=[1]), [1, 2, 4, 8, 16, 32]) == 1
    assert count(make(do_not_specialize_on_alignment=["n"]), [1, 2, 4, 8, 16, 32]) == 2


def test_annotated_ints():
    @tessera.jit
    def fn(out_ptr, n: tl.int32):
        tl.store(out_ptr, n)

    for n in (1, 8, 16, 17):
        launch(fn, n)
    # 1 and 8 are keys of their own to launches; the code is the same.
    assert len(fn.specializations()) in (2, 3)


def test_wide_ints():
    fn = make()
    assert count(fn, [3, (1 << 31) - 1, 1 << 31, -(1 << 31), -(1 << 31) - 1, 1 << 40]) == 4
    with pytest.raises(OverflowError):
        launch(fn, 1 << 64)


def test_floats_and_bools_have_one():
    @tessera.jit
    def fn(out_ptr, x):
        tl.store(out_ptr, x)

    out = np.zeros(1, "float32")
    for x in (1.0, 16.0, 0.5):
        fn[(1, )](out, x)
        assert out[0] == x
    assert len(fn.specializations()) == 1
    for x in (True, False):
        fn[(1, )](out, x)
        assert out[0] == x
    assert len(fn.specializations()) == 2


def unaligned(n=16, dtype="int64"):
    memory = np.zeros(n + 4, dtype)
    start = 1 if memory.ctypes.data % 16 == 0 else 0
    array = memory[start:start + n]
    assert array.ctypes.data % 16 == memory.itemsize % 16
    return array


def test_addresses():
    fn = make()
    launch(fn, 5)
    launch(fn, 5, unaligned())
    assert len(fn.specializations()) == 2
    assert fn.specializations().why == "out_ptr is not aligned to 16 bytes, unlike before"


def specializations_of(fn, *args, **kwargs):
    return fn._classify(args, kwargs)[1]


@pytest.mark.parametrize("value", [0, 1, 2, 16, -16, 17, (1 << 31) - 1, 1 << 31, 1 << 32, -(1 << 31), -(1 << 31) - 1,
                                   (1 << 63) - 1,
                                   1 << 63, (1 << 64) - 16, (1 << 64) - 1, True, False, None, 1.0, 0.0, float("nan"), 1e300,
                                   (1, 2), (16, (1, None)), ((), )])
@pytest.mark.parametrize("flags", [(), ("do_not_specialize", ), ("do_not_specialize_on_alignment", )])
@pytest.mark.parametrize("annotation", ["", "int", "tl.int64", "u8", "float", "bool"])
def test_classification_is_that_of_triton(triton, value, flags, annotation):
    their_compiler = pytest.importorskip("triton.backends.nvidia.compiler")
    from triton.runtime.jit import create_function_from_signature, JITFunction
    if JITFunction is tessera.JITFunction:
        pytest.skip("the drop-in is installed as triton")

    def fn(x):
        pass
    if annotation:
        fn.__annotations__["x"] = annotation
    options = {flag: ["x"] for flag in flags}
    ours, theirs = tessera.jit(**options)(fn), triton.jit(**options)(fn)
    binder = create_function_from_signature(theirs.signature, theirs.params, their_compiler.CUDABackend)
    try:
        expected = binder(value)[1]
    except (OverflowError, TypeError) as error:
        with pytest.raises(type(error)):
            specializations_of(ours, value)
        return
    if annotation and not can_be(value, annotation):
        with pytest.raises((OverflowError, TypeError)):  # Triton finds out when it launches
            specializations_of(ours, value)
    else:
        assert repr(specializations_of(ours, value)) == repr(expected)


def can_be(value, annotation):
    """Whether a value can be passed to a parameter with that annotation."""
    if annotation == "float":
        return isinstance(value, (int, float))
    low, high = {"int": (-1 << 31, 1 << 31), "tl.int64": (-1 << 63, 1 << 63), "u8": (0, 256), "bool": (0, 2)}[annotation]
    return isinstance(value, int) and low <= value < high


def test_devices_options_and_types_are_told_apart():
    fn = make()
    launch(fn, 5)
    launch(fn, 5, num_warps=8)
    assert fn.specializations().why == "num_warps is 8, before not given"
    launch(fn, 5, np.zeros(16, "int32"))
    assert fn.specializations().why == "out_ptr is a pointer to i32, before a pointer to i64"


# ---- why --------------------------------------------------------------------------------------------------

def test_reasons():
    fn = make()
    assert fn.specializations().why == "fn has not been compiled yet"
    launch(fn, 16)
    assert fn.specializations().why == "first call"
    launch(fn, 17)
    assert fn.specializations().why == "n is 17: not divisible by 16, unlike before"
    launch(fn, 1)
    assert fn.specializations().why == "n is 1: compiled in as a constant, unlike before"
    launch(fn, 1 << 40)
    assert fn.specializations().why == "n is i64, before i32"


def test_reasons_of_constants():
    @tessera.jit
    def fn(out_ptr, K: tl.constexpr, f: tl.constexpr):
        tl.store(out_ptr, K)

    out = np.zeros(16, "float32")
    fn[(1, )](out, 1, None)
    fn[(1, )](out, 2, None)
    assert fn.specializations().why == "K is 2, before 1"
    fn[(1, )](out, 1.0, None)
    assert fn.specializations().why in ("K is 1.0 (float), before 1 (int)", "K is 1.0 (float), before 2 (int)")
    fn[(1, )](out, 2, tl.float32)
    assert fn.specializations().why == "f is fp32 (dtype), before None (NoneType)"


def test_the_nearest_variant_explains():
    @tessera.jit
    def fn(out_ptr, a, b, c):
        tl.store(out_ptr, a + b + c)

    out = np.zeros(16, "int32")
    fn[(1, )](out, 2, 2, 2)
    fn[(1, )](out, 16, 16, 16)
    fn[(1, )](out, 16, 16, 3)
    assert fn.specializations().why == "c is 3: not divisible by 16, unlike before"
    fn[(1, )](out, 16, 2, 3)
    assert fn.specializations().why == "b is 2: not divisible by 16, unlike before"


def test_the_report():
    fn = make()
    launch(fn, 16)
    launch(fn, 32, num_warps=2)
    first, second = fn.specializations()
    assert first.types == {"out_ptr": "*i64:16", "n": "i32:16"} and first.device == "cpu" and first.options == {}
    assert second.options == {"num_warps": 2} and second.seconds > 0 and second.kernel.asm["ttir"]
    text = str(fn.specializations())
    assert text.startswith("fn: 2 variants on cpu, ") and "\nin all: out_ptr: *i64:16, n: i32:16\n" in text
    head, first_row, second_row = text.split("\n")[2:]
    assert head.split() == ["num_warps", "launches", "time", "why"]
    assert first_row.split()[:2] == ["0", "1"] and first_row.endswith("  first call")
    assert second_row.split()[:3] == ["1", "2", "1"] and second_row.endswith("  num_warps is 2, before not given")
    assert "<th" in fn.specializations()._repr_html_() and "num_warps is 2" in fn.specializations()._repr_html_()
    launch(fn, 16)
    assert first.launches == 2 and "2 launches" in str(first)


# ---- precompile -------------------------------------------------------------------------------------------

def test_precompile_builds_all_variants():
    fn = make()
    built = fn.precompile(np.zeros(16, "int64"), 5)
    assert len(built) == 6 == built.new and str(built).startswith("fn: 6 kernels on cpu in ")
    assert {record.why for record in built} == {"precompiled"}
    before = len(fn.specializations())
    for out in (None, unaligned()):
        for n in (1, 5, 16):
            launch(fn, n, out)
    assert len(fn.specializations()) == before
    assert fn.precompile(np.zeros(16, "int64"), 5).new == 0


def test_after_precompile_launches_stay_on_the_fast_path(monkeypatch):
    @tessera.jit
    def fn(out_ptr, n, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), n)

    out = np.zeros(16, "int64")
    fn.precompile(out, 5, BLOCK=[1, 16], num_warps=2)
    monkeypatch.setattr(tessera.JITFunction, "_make_variant", None)
    for n in (1, 5, 16):
        for block in (1, 16):
            fn[(1, )](out, n, BLOCK=block, num_warps=2)
            assert (out[:block] == n).all()
    assert sum(record.launches for record in fn.specializations()) == 6


def test_precompile_on_the_device(device, put, get, monkeypatch):
    @tessera.jit
    def fn(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n) * 2, mask=offsets < n)

    x = np.arange(200, dtype="float32")
    there, out = put(x), put(np.zeros(200, "float32"))
    assert len(fn.precompile(there, out, 100, BLOCK=64, num_warps=2)) == 12
    monkeypatch.setattr(tessera.JITFunction, "_make_variant", None)
    for shift in (0, 1, 4):
        for n in (1, 16, 100):
            fn[(2, )](there[shift:], out[8:], n, BLOCK=64, num_warps=2)
            assert np.array_equal(get(out[8:8 + n]), 2 * x[shift:shift + n])


@pytest.mark.parametrize("given", [("*i64", "i32"), ("*i64:16, i32", ), ({"out_ptr": "*i64", "n": "i32"}, ), (tl.int64, 3)])
def test_precompile_from_types(given):
    fn = make()
    assert len(fn.precompile(*given, device="cpu")) == 6
    launch(fn, 1)
    launch(fn, 5, unaligned())
    assert len(fn.specializations()) == 6


def test_precompile_one_or_some():
    assert len(make().precompile("*i64:16", "i32", all_variants=False, device="cpu")) == 1
    assert len(make().precompile("*i64:16", "i32", all_variants=["n"], device="cpu")) == 3
    fn = make()
    fn.precompile("*i64:16", "i32:16", all_variants=False, device="cpu")
    launch(fn, 16)
    assert len(fn.specializations()) == 1


def test_precompile_lists_are_alternatives():
    @tessera.jit
    def fn(out_ptr, n, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), n)

    built = fn.precompile("*i32:16", 16, BLOCK=[4, 8], num_warps=[1, 2, 4], all_variants=False, device="cpu")
    assert len(built) == 6
    out = np.zeros(16, "int32")
    fn[(1, )](out, 32, BLOCK=8, num_warps=2)
    assert len(fn.specializations()) == 6 and out.tolist() == [32] * 8 + [0] * 8


def test_precompile_follows_the_decorator():
    assert len(make(do_not_specialize=["n"]).precompile("*i64", "i32", device="cpu")) == 2
    assert len(make(do_not_specialize_on_alignment=["n"]).precompile("*i64", "i32", device="cpu")) == 4
    assert len(make(do_not_specialize=["out_ptr", "n"]).precompile("*i64", "i32", device="cpu")) == 1


def test_precompile_with_annotated_parameters(device, put, get, monkeypatch):
    """A number stands for each annotated parameter while the others are looked at: None is not one."""
    @tessera.jit
    def fn(out_ptr: "*fp32", n: int, wide: tl.int64, scale: tl.float32, flip: tl.int1, BLOCK: tl.constexpr):
        offsets = tl.arange(0, BLOCK)
        tl.store(out_ptr + offsets, (n + wide) * scale * (1 - 2 * flip), mask=offsets < n)

    out = put(np.zeros(64, "float32"))
    assert len(fn.precompile(out, 64, 32, 0.5, True, BLOCK=64, all_variants=False)) == 1
    monkeypatch.setattr(tessera.JITFunction, "_make_variant", None)
    fn[(1, )](out, 64, 32, 0.5, True, BLOCK=64)
    assert get(out).tolist() == [-48.0] * 64
    monkeypatch.undo()
    assert len(fn.precompile(out, 5, 1, 2, False, BLOCK=64)) == 8
    assert len(fn.precompile("*fp32", "i32", "i64", "fp32", "u1", 64, all_variants=False)) == 1


def test_precompile_of_tuples():
    @tessera.jit
    def fn(out_ptr, strides):
        tl.store(out_ptr, strides[0] + strides[2][0])

    built = fn.precompile("*i32:16", (5, None, (1, )), all_variants=["strides"], device="cpu")
    assert len(built) == 9


def test_precompile_for_another_target():
    built = make().precompile("*i64", "i32", target="cuda:90", all_variants=["n"])
    assert len(built) == 3 and ".target sm_90" in built[0].kernel.asm["ptx"]


def test_precompile_refuses_too_many_and_nonsense():
    @tessera.jit
    def fn(a, b, c, d, e, f, g):
        tl.store(a, b)

    with pytest.raises(ValueError, match="2187 such variants.*all_variants=\\[...\\].*a, b, c"):
        fn.precompile(*["i32"] * 7)
    with pytest.raises(ValueError, match="'integer' for 'n' of 'fn' is no type"):
        make().precompile("*i64", "integer")
    with pytest.raises(TypeError, match="needs a value or a type for 'n'"):
        make().precompile("*i64")
    with pytest.raises(KeyError, match="num_warps"):
        make().precompile("*i64", "i32", num_warp=2, device="cpu")


def test_precompile_reports_what_cannot_be_compiled():
    @tessera.jit
    def fn(out_ptr, n, K: tl.constexpr):
        tl.static_assert(K > 2)
        tl.store(out_ptr, n)

    with pytest.raises(tessera.CompilationError):
        fn.precompile("*i32", "i32", K=[1, 3], device="cpu")
    assert len(fn.specializations()) == 6  # those with K=3


# ---- save_variants, load_variants -------------------------------------------------------------------------

RECORDED = """
import sys
from typing import NamedTuple
import numpy as np
import tessera
import tessera.language as tl

class Pair(NamedTuple):
    out: object
    n: int

@tessera.jit
def twice(v):
    return v * 2

@tessera.jit(do_not_specialize=["m"])
def fn(pair, m, x, f: tl.constexpr, dtype: tl.constexpr, K: tl.constexpr):
    tl.store(pair.out, f(pair.n + m + K).to(dtype))

@tessera.jit(debug=True)
def other(out_ptr, n: int):
    tl.store(out_ptr, n)

def launches():
    out = np.zeros(16, "int64")
    for n in (1, 16, 17):
        fn[(1,)](Pair(out, n), 1, 0.5, f=twice, dtype=tl.int64, K=3, num_warps=2)
        assert out[0] == 2 * (n + 1 + 3)
        other[(1,)](out, n)
        assert out[0] == n

if sys.argv[1] == "save":
    launches()
    print(tessera.save_variants(sys.argv[2]), tessera.save_variants(sys.argv[2]))
else:
    loaded = tessera.load_variants(sys.argv[2])
    tessera.JITFunction._make_variant = None
    launches()
    print(len(loaded), loaded.failed, loaded.unknown)
    print(loaded)
"""


def test_variants_of_one_process_in_the_next(snippet, tmp_path):
    path = str(tmp_path / "variants.json")
    saved = snippet(RECORDED, "save", path, name="recorded.py").stdout.split()
    assert saved[0] == saved[1] and int(saved[0]) >= 5
    done = snippet(RECORDED, "load", path, name="recorded.py").stdout
    assert done.startswith(f"{saved[0]} [] []\n{saved[0]} variants of 2 kernels in ")
    edited = RECORDED.replace("def other(", "def renamed(").replace("other[", "renamed[").replace("launches()\n    print", "print")
    other = snippet(edited, "load", path, name="recorded.py").stdout
    assert "__main__.other is not here; is its module imported?" in other


def test_a_file_that_is_none(tmp_path):
    path = tmp_path / "variants.json"
    path.write_text('{"version": 99, "kernels": {}}')
    with pytest.raises(ValueError, match="is no file of variants"):
        tessera.load_variants(path)


def test_variants_that_cannot_be_built_do_not_stop_the_others(tmp_path):
    text = """{"name": "%s.late", "signature": {"out_ptr": "*i64", "n": "constexpr"}, "constant_keys": [[1]],
               "constant_vals": [%s], "attrs_keys": [[0]], "attrs_vals": [[]], "options": {}, "key": "", "device": "cpu"}"""
    path = tmp_path / "variants.json"
    texts = [text % (__name__, value) for value in ("3", "5", '{"lost": "a thing"}')]
    path.write_text(json.dumps({"version": 1, "kernels": {f"{__name__}.late": texts}}))
    loaded = tessera.load_variants(path)
    assert len(loaded) == 1 and len(loaded.failed) == 2 and "late failed: " in str(loaded)


@tessera.jit
def late(out_ptr, n: tl.constexpr):
    tl.static_assert(n > 4)
    tl.store(out_ptr, n)


# ---- TESSERA_ON_RECOMPILE ---------------------------------------------------------------------------------

def print_nothing(metadata):
    pass


def test_warnings(monkeypatch, fresh_cache):
    monkeypatch.setenv("TESSERA_ON_RECOMPILE", "warn")
    fn = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launch(fn, 16)
    sentence = "'fn' was compiled again in .*: n is 17: not divisible by 16, unlike before"
    with pytest.warns(tessera.RecompilationWarning, match=sentence) as caught:
        launch(fn, 17)
    assert caught[0].filename == __file__
    knobs.runtime.launch_enter_hook.add(print_nothing)  # such launches go through Python
    try:
        with pytest.warns(tessera.RecompilationWarning, match="n is 1: ") as caught:
            launch(fn, 1)
    finally:
        knobs.runtime.launch_enter_hook.remove(print_nothing)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launch(fn, 19)
        fn.warmup(np.zeros(16, "int64"), 1, grid=(1, ))
    again = make()
    launch(again, 16)
    with pytest.warns(tessera.RecompilationWarning, match="'fn' was loaded again from the disk cache in .*: n is 17"):
        launch(again, 17)


def test_errors():
    fn = make()
    launch(fn, 16)
    with knobs.runtime.scope():
        knobs.runtime.on_recompile = "error"
        with pytest.raises(tessera.RecompilationError, match="'fn' needs another variant: n is 17.*precompile"):
            launch(fn, 17)
        fn.precompile(np.zeros(16, "int64"), 5)
        launch(fn, 17)
        launch(fn, 1)


def test_other_values_of_the_variable_are_named(monkeypatch):
    monkeypatch.setenv("TESSERA_ON_RECOMPILE", "perhaps")
    with pytest.raises(ValueError, match="TESSERA_ON_RECOMPILE=perhaps: warn and error are known"):
        launch(make(), 16)
