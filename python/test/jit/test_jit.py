"""@tessera.jit: the object that it makes, launching it, hooks, and the small things around it."""
import copy
import enum
import functools
import inspect
import json

import pytest
import tessera
import tessera.language as tl
from tessera import knobs

np = pytest.importorskip("numpy")


@tessera.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Adds."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@tessera.jit
def store_kernel(out_ptr, value):
    tl.store(out_ptr + tl.program_id(0), value)


@tessera.jit
def grid_kernel(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    position = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out_ptr + position, 1 + x + 10 * y + 100 * z)


def operands(n=1000):
    rng = np.random.default_rng(0)
    return rng.random(n, "float32"), rng.random(n, "float32"), np.zeros(n, "float32")


# ---- launching ------------------------------------------------------------------------------------------

def test_add(device, put, get):
    x, y, out = operands()
    there = put(out)
    compiled = add_kernel[(tessera.cdiv(1000, 128), )](put(x), put(y), there, 1000, BLOCK=128)
    assert np.array_equal(get(there), x + y)
    assert compiled.name == "add_kernel" and "tt.load" in compiled.asm["ttir"]


def test_torch_tensors_on_the_cpu(torch):
    x, y = torch.rand(100), torch.rand(100)
    out = torch.zeros(100)
    add_kernel[(1, )](x, y, out, 100, BLOCK=128)
    assert torch.equal(out, x + y)


def test_arguments_by_name_and_by_default():
    @tessera.jit
    def fn(out_ptr, value=7, BLOCK: tl.constexpr = 4):
        tl.store(out_ptr + tl.arange(0, BLOCK), value)

    out = np.zeros(8, "int32")
    fn[(1, )](out)
    assert out.tolist() == [7] * 4 + [0] * 4
    fn[(1, )](value=9, out_ptr=out, BLOCK=8)
    assert out.tolist() == [9] * 8


@pytest.mark.parametrize("grid, shape", [((5, ), (1, 1, 5)), ((3, 2), (1, 2, 3)), ((3, 2, 2), (2, 2, 3)), ([4], (1, 1, 4)),
                                         (lambda meta: (4, ), (1, 1, 4))])
def test_grids(grid, shape):
    out = np.zeros(shape, "int32")
    grid_kernel[grid](out)
    z, y, x = np.indices(shape)
    assert np.array_equal(out, 1 + x + 10 * y + 100 * z)


def test_the_grid_function_sees_every_parameter():
    x, y, out = operands(64)
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (tessera.cdiv(meta["n"], meta["BLOCK"]), )

    add_kernel[grid](x, y, out, 64, BLOCK=16, num_warps=2)
    assert set(seen) == {"x_ptr", "y_ptr", "out_ptr", "n", "BLOCK"} and seen["x_ptr"] is x
    assert np.array_equal(out, x + y)


def test_an_empty_grid_launches_nothing():
    out = np.zeros(4, "int32")
    store_kernel[(0, )](out, 1)
    assert not out.any()


@pytest.mark.parametrize("grid, error", [(5, TypeError), ((), Exception), ((1, 1, 1, 1), Exception)])
def test_wrong_grids(grid, error):
    with pytest.raises(error):
        store_kernel[grid](np.zeros(4, "int32"), 1)


def test_wrong_arguments():
    x, y, out = operands(4)
    with pytest.raises(TypeError):
        add_kernel[(1, )](x, y, out, BLOCK=4)
    with pytest.raises(TypeError):
        add_kernel[(1, )](x, y, out, 4, 4, 4)
    with pytest.raises(TypeError):
        add_kernel[(1, )]([1.0], y, out, 4, BLOCK=4)
    with pytest.raises(TypeError):
        add_kernel[(1, )](x, y, out, 4, BLOCK=[4])  # not hashable


def test_unknown_options_name_their_neighbours():
    x, y, out = operands(4)
    with pytest.raises(KeyError, match="num_warps"):
        add_kernel[(1, )](x, y, out, 4, BLOCK=4, num_warp=4)


@pytest.mark.parametrize("options", [{"num_warps": 2}, {"num_stages": 4}, {"maxnreg": None}, {"enable_fp_fusion": False},
                                     {"debug": True}, {"launch_pdl": False}, {"extern_libs": None}, {"num_ctas": 1},
                                     {"sanitize_overflow": False}, {"waves_per_eu": 2}])
def test_options_are_accepted(options):
    x, y, out = operands(4)
    add_kernel[(1, )](x, y, out, 4, BLOCK=4, **options)
    assert np.array_equal(out, x + y)


def test_calling_a_kernel_says_how_to_launch_it():
    with pytest.raises(RuntimeError, match=r"add_kernel\[grid\]"):
        add_kernel(1, 2)


def test_constexpr_values_are_told_apart_by_their_types():
    @tessera.jit
    def fn(out_ptr, A: tl.constexpr):
        tl.store(out_ptr, A / 2)

    out = np.zeros(1, "float32")
    for value in (1, 1.0, True, 0.0, -0.0):
        fn[(1, )](out, value)
    assert len(fn.specializations()) == 5


def test_jit_functions_as_arguments():
    @tessera.jit
    def twice(v):
        return v * 2

    @tessera.jit
    def thrice(v):
        return v * 3

    @tessera.jit
    def fn(out_ptr, f: tl.constexpr):
        tl.store(out_ptr, f(7))

    out = np.zeros(1, "int32")
    fn[(1, )](out, twice)
    assert out[0] == 14
    fn[(1, )](out, thrice)
    assert out[0] == 21
    fn[(1, )](out, twice)
    assert out[0] == 14 and len(fn.specializations()) == 2


def test_none_and_dtypes_as_arguments():
    @tessera.jit
    def fn(out_ptr, bias_ptr, dtype: tl.constexpr):
        value = tl.full((), 3.7, tl.float32).to(dtype).to(tl.float32)
        if bias_ptr is not None:
            value += tl.load(bias_ptr)
        tl.store(out_ptr, value)

    out = np.zeros(1, "float32")
    fn[(1, )](out, None, tl.int32)
    assert out[0] == 3
    fn[(1, )](out, np.full(1, 10, "float32"), tl.int32)
    assert out[0] == 13


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2


@tessera.constexpr_function
def is_fast(mode):
    return mode is Mode.FAST and mode == Mode.FAST and mode != Mode.EXACT


def test_enumerations_as_arguments():
    @tessera.jit
    def fn(out_ptr, mode: tl.constexpr):
        if is_fast(mode):
            tl.store(out_ptr, 10)
        else:
            tl.store(out_ptr, 20 + mode.value.value)  # of the constexpr, then of the member

    out = np.zeros(1, "int32")
    fn[(1, )](out, Mode.FAST)
    assert out[0] == 10
    fn[(1, )](out, Mode.EXACT)
    assert out[0] == 22


def test_closures_and_methods():
    def make(scale):
        factor = tl.constexpr(scale)

        @tessera.jit
        def fn(out_ptr, value):
            tl.store(out_ptr, value * factor)
        return fn

    class Holder:
        @staticmethod
        @tessera.jit
        def fn(out_ptr, value):
            tl.store(out_ptr, value + 100)

    out = np.zeros(1, "int32")
    twice, thrice = make(2), make(3)
    twice[(1, )](out, 5)
    assert out[0] == 10
    thrice[(1, )](out, 5)
    assert out[0] == 15
    Holder.fn[(1, )](out, 5)
    assert out[0] == 105


# ---- the object -----------------------------------------------------------------------------------------

def test_attributes():
    assert add_kernel.__name__ == "add_kernel" and add_kernel.__doc__ == "Adds." and add_kernel.__module__ == __name__
    assert add_kernel.__qualname__ == "add_kernel" and inspect.isfunction(add_kernel.fn)
    assert add_kernel.arg_names == ["x_ptr", "y_ptr", "out_ptr", "n", "BLOCK"] and add_kernel.constexprs == [4]
    assert list(add_kernel.signature.parameters) == add_kernel.arg_names
    assert add_kernel.src.startswith("def add_kernel(") and add_kernel.src.rstrip().endswith("mask=mask)")
    assert len(add_kernel.cache_key) == 64 and add_kernel.debug is None and add_kernel.noinline is None
    assert repr(add_kernel) == f"JITFunction({__name__}:add_kernel)"
    assert isinstance(add_kernel, tessera.JITFunction) and isinstance(add_kernel, tessera.KernelInterface)
    with pytest.raises(AttributeError, match="_unsafe_update_src"):
        add_kernel.src = "def add_kernel(): pass"


ANNOTATIONS = [
    # annotation, .annotation, .annotation_type, .is_constexpr, .is_const
    (None, "", "", False, False), (tl.constexpr, "constexpr", "", True, False), ("tl.constexpr", "constexpr", "", True, False),
    (int, "i32", "i32", False, False), (float, "fp32", "fp32", False, False), (bool, "u1", "u1", False, False),
    (tl.int32, "i32", "i32", False, False), (tl.float64, "fp64", "fp64", False, False), ("u8", "u8", "u8", False, False),
    ("tl.int8", "i8", "i8", False, False), ("float*", "*fp32", "*fp32", False, False), ("*fp16", "*fp16", "*fp16", False, False),
    ("const float*", "*kfp32", "*kfp32", False, True), ("uint32_t", "u32", "u32", False, False),
    (tl.const, "const", "", False, True),
    (tl.pointer_type(tl.float16), "*fp16", "*fp16", False, False), ("torch.Tensor", "torch.Tensor", "", False, False),
]


def annotated(annotation):
    def fn(p, q=3):
        pass
    if annotation is not None:
        fn.__annotations__["p"] = annotation
    return fn


@pytest.mark.parametrize("annotation, text, forced, is_constexpr, is_const", ANNOTATIONS)
def test_annotations(annotation, text, forced, is_constexpr, is_const):
    p, q = tessera.jit(annotated(annotation)).params
    assert (p.annotation, p.annotation_type, p.is_constexpr, p.is_const) == (text, forced, is_constexpr, is_const)
    assert (p.name, p.num, p.has_default, p.default) == ("p", 0, False, inspect.Parameter.empty)
    assert (q.name, q.num, q.has_default, q.default) == ("q", 1, True, 3)


def test_parameters_are_those_of_triton(triton):
    theirs_tl = triton.language
    if theirs_tl is tl:
        pytest.skip("the drop-in is installed as triton")
    swapped = {getattr(tl, name): getattr(theirs_tl, name) for name in ("constexpr", "int32", "float64", "const")}
    for annotation, *_ in ANNOTATIONS:
        if not isinstance(annotation, tl.pointer_type):
            ours = tessera.jit(do_not_specialize=["q"], do_not_specialize_on_alignment=[0])(annotated(annotation))
            fn = annotated(swapped.get(annotation, annotation) if annotation is not None and annotation.__hash__ else annotation)
            theirs = triton.jit(do_not_specialize=["q"], do_not_specialize_on_alignment=[0])(fn)
            for mine, other in zip(ours.params, theirs.params):
                for name in ("name", "num", "annotation", "annotation_type", "is_constexpr", "is_const", "default", "has_default",
                             "do_not_specialize", "do_not_specialize_on_alignment"):
                    assert getattr(mine, name) == getattr(other, name), (annotation, name)
            assert ours.arg_names == theirs.arg_names and ours.constexprs == theirs.constexprs
            assert ours.src.strip() == theirs.src.strip() and ours.starting_line_number == theirs.starting_line_number


def test_jit_with_arguments():
    fn = tessera.jit(version=1, repr=lambda proxy: "named", launch_metadata=lambda *a: {}, do_not_specialize=["q"],
                     do_not_specialize_on_alignment=(0, ), debug=True, noinline=True)(annotated(None))
    assert fn.debug and fn.noinline and fn.version == 1 and fn.launch_metadata and fn.repr(None) == "named"
    assert [p.do_not_specialize for p in fn.params] == [False, True]
    assert [p.do_not_specialize_on_alignment for p in fn.params] == [True, False]


def positional_only(a, /, b):
    pass


def keyword_only(a, *, b):
    pass


def variable(a, *rest):
    pass


def variable_names(a, **rest):
    pass


@pytest.mark.parametrize("fn, message", [
    (positional_only, "positional-only parameter 'a'.*take the '/' out"),
    (keyword_only, "keyword-only parameter 'b'.*take the .* out"),
    (variable, r"variable parameter '\*rest'.*pass a tuple"), (variable_names, r"variable parameter '\*\*rest'")])
def test_parameters_that_kernels_cannot_have(fn, message):
    with pytest.raises(TypeError, match=message):
        tessera.jit(fn)


def test_jit_of_what_is_no_function():
    with pytest.raises(TypeError, match="needs a function made with def"):
        tessera.jit(5)


def test_wrapped_functions():
    def wrap(fn):
        @functools.wraps(fn)
        def outer(*args):
            return fn(*args)
        return outer

    @tessera.jit
    @wrap
    def fn(out_ptr, value):
        tl.store(out_ptr, value)

    assert fn.arg_names == ["out_ptr", "value"] and fn.src.startswith("def fn(out_ptr, value)")
    out = np.zeros(1, "int32")
    fn[(1, )](out, 3)
    assert out[0] == 3


def test_copies_are_the_function():
    assert copy.copy(add_kernel) is add_kernel and copy.deepcopy({"f": add_kernel})["f"] is add_kernel


def test_the_text_can_be_replaced():
    @tessera.jit
    def inner():
        return 1

    @tessera.jit
    def fn(out_ptr):
        tl.store(out_ptr, inner())

    out = np.zeros(1, "int32")
    fn[(1, )](out)
    before = fn.cache_key
    inner._unsafe_update_src("def inner():\n    return 2\n")
    assert inner.src == "def inner():\n    return 2\n" and fn.cache_key != before
    fn[(1, )](out)
    assert out[0] == 2


def test_cache_keys():
    def make(text, **options):
        import linecache
        name = f"<key {len(linecache.cache)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        scope = {"tessera": tessera, "tl": tl, "__name__": "somewhere", "K": tl.constexpr(1), "options": options}
        exec(compile(text, name, "exec"), scope)
        return scope["fn"]

    text = "@tessera.jit(**options)\ndef fn(x):\n    return x + K\n"
    key = make(text).cache_key
    assert key == make(text).cache_key == make(text, do_not_specialize=["x"]).cache_key
    assert key != make(text.replace("K", "K  # remark")).cache_key
    assert key != make("\n" + text).cache_key
    changed = make(text)
    changed.fn.__globals__["K"] = tl.constexpr(2)
    assert key != changed.cache_key
    assert key != make(text, noinline=True).cache_key


def test_used_global_vals():
    @tessera.jit
    def fn(x):
        return x + LIMIT + np.pi

    ((name, where), (value, scope)), = fn.used_global_vals.items()
    assert name == "LIMIT" and value is LIMIT and scope is globals() and where == id(globals())


LIMIT = tl.constexpr(3)


def test_kernels_by_the_key_that_programs_compute():
    """As launchers of programs' own do it: bind, compute the key, look for the kernel, run it."""
    from tessera.runtime.jit import compute_cache_key

    @tessera.jit
    def fn(out_ptr, value, BLOCK: tl.constexpr, OP: tl.constexpr = None):
        tl.store(out_ptr + tl.arange(0, BLOCK), value)

    found = []

    def hook(key, fn, compile, **_):  # as mori's and torch's NVSHMEM do, to initialise what was compiled
        found.append(fn.jit_function.device_caches["cpu"][0].get(key))

    out = np.zeros(4, "int32")
    tessera.knobs.runtime.jit_post_compile_hook = hook
    try:
        compiled = [fn[(1, )](out, 3, 4, num_warps=2), fn[(1, )](out, 16, BLOCK=4, OP=tl.float32), fn[(1, )](out, 1, 4, fn)]
    finally:
        tessera.knobs.runtime.jit_post_compile_hook = None
    assert found == compiled
    kernels, keys, _, _, binder = fn.device_caches["cpu"]
    for kernel, args, options in zip(compiled, [(3, 4), (16, 4, tl.float32), (1, 4, fn)], [{"num_warps": 2}, {}, {}]):
        bound, specialization, options = binder(out, *args, **options, debug=False, instrumentation_mode="")
        assert kernels.get(compute_cache_key(keys, specialization, options)) is kernel
        out[:] = 0
        kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, *bound.values())
        assert out.tolist() == [args[0]] * 4
    with tessera.knobs.runtime.scope():
        tessera.knobs.runtime.debug = True
        checked = fn[(1, )](out, 3, 4, num_warps=2)
    _, specialization, _ = binder(out, 3, 4)
    for debug, kernel in ((False, compiled[0]), (True, checked)):  # by what was true when it was compiled
        options = {"num_warps": 2, "debug": debug, "instrumentation_mode": ""}
        assert fn.device_caches["cpu"][0].get(compute_cache_key({}, specialization, options)) is kernel
        with tessera.knobs.runtime.scope():
            tessera.knobs.runtime.debug = True
            assert fn.device_caches["cpu"][0].get(compute_cache_key({}, specialization, options)) is kernel


def test_device_caches():
    @tessera.jit
    def fn(out_ptr, value):
        tl.store(out_ptr, value)

    out = np.zeros(1, "int32")
    compiled = fn[(1, )](out, 3)
    kernels, _, target, backend, binder = fn.device_caches["cpu"]
    assert list(kernels.values()) == [compiled] and target.backend == "cpu" and backend.target == target
    bound, specialization, options = binder(out, 16, num_warps=2)
    assert bound["value"] == 16 and specialization == [("*i32", "D"), ("i32", "D")] and options == {"num_warps": 2}
    fn.device_caches.clear()
    assert not fn.specializations() and fn[(1, )](out, 3) is not None and len(fn.specializations()) == 1


def test_clients_tell_variants_apart():
    """As programs that warm kernels up do, before anything is compiled."""
    from tessera.runtime.jit import compute_cache_key

    @tessera.jit
    def double(x):
        return x * 2

    @tessera.jit
    def triple(x):
        return x * 3

    @tessera.jit
    def fn(out_ptr, value, f: tl.constexpr):
        tl.store(out_ptr, f(value))

    _, keys, _, _, binder = fn.device_caches["cpu"]
    out = np.zeros(1, "int32")

    def key_of(value, **others):
        _, specialization, options = binder(out_ptr=out, value=value, **others)
        return compute_cache_key(keys, specialization, options)

    assert key_of(16, f=double) == key_of(32, f=double) and len(keys) == 1
    assert len({key_of(16, f=double), key_of(17, f=double), key_of(16, f=triple), key_of(16, f=double, num_warps=2)}) == 4
    assert double.cache_key in key_of(16, f=double)


# ---- warmup, hooks, preload -----------------------------------------------------------------------------

def test_warmup_compiles_and_launches_nothing():
    @tessera.jit
    def fn(out_ptr, value):
        tl.store(out_ptr, value)

    out = np.zeros(1, "int32")
    compiled = fn.warmup(out, 3, grid=(1, ))
    assert not out.any() and compiled.asm["ttir"]
    assert fn[(1, )](out, 3) is compiled and out[0] == 3 and len(fn.specializations()) == 1


def test_warmup_with_dtypes_instead_of_tensors(torch):
    knobs_device = tessera.MockTensor(torch.float32)
    compiled = add_kernel.warmup(torch.float32, knobs_device, torch.float32, 1024, BLOCK=64, grid=(1, ))
    assert compiled.name == "add_kernel"


def test_pre_run_hooks():
    @tessera.jit
    def fn(out_ptr, value):
        tl.store(out_ptr, value)

    calls = []
    fn.add_pre_run_hook(lambda *args, **kwargs: calls.append((args, kwargs)))
    out = np.zeros(1, "int32")
    fn[(1, )](out, value=4, num_warps=2)
    assert out[0] == 4 and calls[0][0][0] is out and calls[0][1]["value"] == 4
    with pytest.raises(TypeError):
        fn.add_pre_run_hook(5)


def test_launch_hooks():
    @tessera.jit(launch_metadata=lambda grid, kernel, args: {"grid": grid, "value": args["value"]})
    def fn(out_ptr, value):
        tl.store(out_ptr, value)

    seen = []
    out = np.zeros(1, "int32")

    def enter(metadata):
        seen.append(("enter", metadata.get()["name"], metadata.get().get("value"), out[0]))

    def leave(metadata):
        seen.append(("exit", metadata.get()["name"]))

    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook.add(leave)
    try:
        fn[(1, )](out, 4)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
    fn[(1, )](out, 5)
    assert seen == [("enter", "fn", 4, 0), ("exit", "fn")] and out[0] == 5


def hooked(**hooks):
    class Hooks:
        def __enter__(self):
            for name, hook in hooks.items():
                setattr(knobs.runtime, name, hook)

        def __exit__(self, *_):
            for name in hooks:
                setattr(knobs.runtime, name, None)
    return Hooks()


def test_compilation_hooks_and_preload():
    @tessera.jit
    def fn(out_ptr, value, K: tl.constexpr, dtype: tl.constexpr):
        tl.store(out_ptr, (value + K).to(dtype))

    seen = []
    out = np.zeros(1, "int32")
    with hooked(jit_cache_hook=lambda **kw: seen.append(("before", kw)),
                jit_post_compile_hook=lambda **kw: seen.append(("after", kw))):
        fn[(1, )](out, 16, K=2, dtype=tl.int32, num_warps=2)
        fn[(1, )](out, 32, K=2, dtype=tl.int32, num_warps=2)
    assert [when for when, _ in seen] == ["before", "after"] and out[0] == 34
    told = seen[0][1]
    assert set(told) == {"key", "repr", "fn", "compile", "is_manual_warmup", "already_compiled"}
    assert told["fn"].jit_function is fn and told["compile"]["num_warps"] == 2 and told["compile"]["constants"][(2, )] == 2
    assert told["compile"]["signature"] == {"out_ptr": "*i32", "value": "i32", "K": "constexpr", "dtype": "constexpr"}
    data = told["compile"]["specialization_data"]
    assert json.loads(data)["name"].endswith("fn")

    again = tessera.jit(fn.fn)
    preloaded = again.preload(data)
    assert again[(1, )](out, 48, K=2, dtype=tl.int32, num_warps=2) is preloaded and out[0] == 50
    assert len(again.specializations()) == 1
    with pytest.raises(RuntimeError, match="specialization is of"):
        add_kernel.preload(data)


def test_the_text_of_a_variant_by_triton_s_name():
    """Programs replace runtime.jit.serialize_specialization_data, or call it with what a hook was told."""
    from types import SimpleNamespace
    from tessera.runtime.jit import serialize_specialization_data

    @tessera.jit
    def fn(out_ptr, value, K: tl.constexpr, dtype: tl.constexpr):
        tl.store(out_ptr, (value + K).to(dtype))

    text = serialize_specialization_data(fn._fn_name, {"out_ptr": "*i32", "value": "i32", "K": "constexpr", "dtype": "constexpr"},
                                         {(2, ): 2, (3, ): tl.int32}, {(0, ): [["tt.divisibility", 16]]},
                                         SimpleNamespace(num_warps=2, extern_libs=object()), "the key")
    data = json.loads(text)
    assert data["options"] == {"num_warps": 2} and data["key"] == "the key" and data["constant_keys"] == [[2], [3]]
    out = np.zeros(4, "int32")
    assert fn.preload(text).metadata.num_warps == 2
    fn[(1, )](out, 7, K=2, dtype=tl.int32)
    assert out[0] == 9


def test_a_hook_can_veto():
    @tessera.jit
    def fn(out_ptr, value):
        tl.store(out_ptr, value)

    out = np.zeros(1, "int32")
    with hooked(jit_cache_hook=lambda **kw: True):
        assert fn[(1, )](out, 3) is None
    assert not out.any()
    assert fn[(1, )](out, 3) is not None and out[0] == 3


# ---- what else is there ---------------------------------------------------------------------------------

def test_constexpr_functions_on_the_host():
    @tessera.constexpr_function
    def twice(n, times=2):
        """Doubles."""
        return n * times

    assert twice.src.startswith("def twice(n, times=2):") and tessera.cdiv.src.startswith("def cdiv(")
    assert twice(4) == 8 and twice(tl.constexpr(4), times=tl.constexpr(3)) == 12 and twice.__doc__ == "Doubles."

    class Holder:
        n = 5

        @tessera.constexpr_function
        def scaled(self, by):
            return self.n * by

    assert Holder().scaled(2) == 10


def test_constexpr_functions_in_kernels():
    @tessera.constexpr_function
    def logarithm(n):
        return int(np.log2(n))  # only Python can

    @tessera.jit
    def fn(out_ptr, N: tl.constexpr):
        tl.store(out_ptr, logarithm(N) + tl.arange(0, 1 << logarithm(N)).shape[0])

    out = np.zeros(1, "int32")
    fn[(1, )](out, 8)
    assert out[0] == 11
    fn[(1, )](out, 16)
    assert out[0] == 20


@pytest.mark.parametrize("n", list(range(0, 20)) + [1 << 40, (1 << 40) + 1, (1 << 64) - 1])
def test_cdiv_and_next_power_of_2(n):
    power = tessera.next_power_of_2(n)
    assert power == 0 if n == 0 else power >= n and power & (power - 1) == 0 and (power == 1 or power // 2 < n)
    assert tessera.cdiv(n, 3) == (n + 2) // 3 and tessera.cdiv(-n, 3) == (-n + 2) // 3


def test_reinterpret(torch):
    tensor = torch.arange(16, dtype=torch.int32)
    wrapped = tessera.reinterpret(tensor, tl.float32)
    assert wrapped.data_ptr() == tensor.data_ptr() and wrapped.dtype is tl.float32 and wrapped.shape == tensor.shape
    assert tessera.reinterpret(wrapped, torch.int32) is tensor
    assert tessera.reinterpret(wrapped, tl.int8).base is tensor
    with pytest.raises(TypeError):
        tessera.reinterpret(5, tl.int8)


def test_reinterpreted_arguments(torch):
    bits = torch.zeros(4, dtype=torch.int32)
    store_kernel[(4, )](tessera.reinterpret(bits, tl.float32), 1.0)
    assert bits.tolist() == [0x3f800000] * 4


def test_must_use_result():
    @tessera.must_use_result
    @tessera.jit
    def inner(x):
        return x

    @tessera.jit
    def fn(out_ptr):
        inner(3)
        tl.store(out_ptr, 1)

    with pytest.raises(tessera.CompilationError):
        fn[(1, )](np.zeros(1, "int32"))


def test_errors_name_the_line():
    @tessera.jit
    def fn(out_ptr):
        tl.store(out_ptr, no_such_name)  # noqa: F821

    with pytest.raises(tessera.CompilationError, match="test_jit.py.*no_such_name") as caught:
        fn[(1, )](np.zeros(1, "int32"))
    line = fn.starting_line_number + 2
    assert f"test_jit.py:{line}:" in str(caught.value)


def test_constexpr_parameters_cannot_be_left_unspecialized():
    @tessera.jit(do_not_specialize=["K"])
    def fn(out_ptr, K: tl.constexpr):
        tl.store(out_ptr, K)

    with pytest.raises(tessera.CompilationError, match="'K'.*do_not_specialize"):
        fn[(1, )](np.zeros(1, "int32"), 3)


def test_public_names():
    for name in tessera.__all__:
        assert getattr(tessera, name) is not None
        assert name in dir(tessera)
    with pytest.raises(AttributeError):
        tessera.no_such_name


# ---- kernels out of texts ---------------------------------------------------------------------------------------------------

def kernel_from_text(text, attributes=None, **names):
    """As triton_kernels makes kernels: the code of an empty function, and the signature and the text of another one."""
    import inspect
    import types

    def empty():
        pass

    scope = {**globals(), **names}
    exec(text, scope)
    fn = types.FunctionType(empty.__code__, scope)
    fn.__name__ = text[len("def "):text.index("(")]
    fn.__signature__ = inspect.signature(scope[fn.__name__])
    kernel = tessera.JITFunction(fn, **(attributes or {}))
    kernel._unsafe_update_src(text)
    return kernel


@tessera.jit
def doubled(x):
    return x * 2


def test_a_kernel_out_of_a_text():
    named = {"do_not_specialize": ["n"], "repr": lambda proxy: f"scale_{proxy.constants['N']}"}
    kernel = kernel_from_text("def scale(x_ptr, out_ptr, n, N: tl.constexpr, BY: tl.constexpr = 3, SHIFT=1):\n"
                              "    i = tl.arange(0, N)\n"
                              "    tl.store(out_ptr + i, EPILOGUE(tl.load(x_ptr + i)) * BY + SHIFT, i < n)\n",
                              named, EPILOGUE=doubled)
    assert kernel.arg_names == ["x_ptr", "out_ptr", "n", "N", "BY", "SHIFT"] and kernel.constexprs == [3, 4]
    assert [param.has_default for param in kernel.params] == [False] * 4 + [True] * 2 and kernel.params[2].do_not_specialize
    x, out = np.arange(8, dtype="float32"), np.zeros(8, "float32")
    assert kernel[(1, )](x, out, 8, N=8).name == "scale_8" and (out == x * 6 + 1).all()
    kernel[(1, )](x, out, 4, 8, 5, SHIFT=0)
    assert (out[:4] == x[:4] * 10).all() and (out[4:] == x[4:] * 6 + 1).all()

    @tessera.jit
    def calls(x_ptr, out_ptr, F: tl.constexpr):
        tl.store(out_ptr, F(tl.load(x_ptr + 2)))

    calls[(1, )](x, out, kernel_from_text("def plus(x, BY: tl.constexpr = 5):\n    return EPILOGUE(x) + BY\n", EPILOGUE=doubled))
    assert out[0] == 9
    with pytest.raises(TypeError, match=r"variadic positional parameter 'y'"):
        kernel_from_text("def several(x, *y):\n    pass\n")


def test_the_place_of_a_text_that_a_program_has_made():
    """triton_kernels lets messages and tools point at the kernel that the text was made from, and names the kernel itself."""
    text = "def made(out_ptr, N: tl.constexpr):\n    tl.store(out_ptr, VALUE + N)\n"
    kernel = kernel_from_text(text, VALUE=tl.constexpr(3))
    kernel.raw_src = ["@tessera.jit\n", "def original(out_ptr, VALUE: tl.constexpr, N: tl.constexpr):\n", "    ...\n"]
    kernel.starting_line_number = 100
    kernel.fn.__code__ = kernel.fn.__code__.replace(co_filename="original.py", co_firstlineno=100)
    kernel._fn_name = "package.made"
    out = np.zeros(1, "int32")
    compiled = kernel[(1, )](out, 4)
    assert out[0] == 7 and 'loc("original.py":101:' in compiled.asm["ttir"] and kernel._fn_name == "package.made"
    assert kernel.raw_src[0] == "@tessera.jit\n" and kernel.starting_line_number == 100 and kernel.src == text
    kernel._unsafe_update_src(text.replace("VALUE", "UNKNOWN"))
    with pytest.raises(tessera.CompilationError, match=r"original.py:102:\d+: error: 'UNKNOWN' is not defined"):
        kernel[(1, )](out, 5)
    with pytest.raises(tessera.CompilationError, match=r"test_jit.py:\d+:\d+: error: 'UNKNOWN' is not defined"):
        kernel_from_text(text.replace("VALUE", "UNKNOWN"))[(1, )](out, 5)
