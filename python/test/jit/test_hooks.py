"""Hooks around launches, loading and compiling, and the compilation listener."""
import pytest

import tessera
import tessera.language as tl
from tessera import knobs


@tessera.jit
def scale_kernel(x_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x * factor, mask=offsets < n)


@pytest.fixture(autouse=True)
def clean_hooks():
    with knobs.runtime.scope(), knobs.compilation.scope():
        yield
    assert not knobs.runtime.launch_enter_hook.calls and not knobs.runtime.launch_exit_hook.calls


def make_kernel(**options):
    return tessera.jit(scale_kernel.fn, **options)


def test_launch_hooks_run_around_every_launch(numpy):
    kernel, seen = make_kernel(), []
    x = numpy.ones(8, "float32")
    kernel[(1, )](x, 2.0, 8, BLOCK=8)

    def enter(metadata):
        seen.append(("enter", x[0], metadata.get()["name"], metadata.get()["stream"]))

    def leave(metadata):
        seen.append(("exit", x[0]))

    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook.add(leave)
    try:
        kernel[(1, )](x, 2.0, 8, BLOCK=8)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
    kernel[(1, )](x, 2.0, 8, BLOCK=8)
    assert seen == [("enter", 2.0, "scale_kernel", 0), ("exit", 4.0)]
    assert x[0] == 8.0


def test_hooks_around_launches_on_any_device(device, put, get, numpy):
    kernel, seen = make_kernel(launch_metadata=lambda grid, metadata, args: {"programs": grid[0]}), []
    hook = lambda metadata: seen.append(metadata.get())  # noqa: E731
    load = lambda module, function, name, group, key: seen.append((name, module is None, key))  # noqa: E731
    x = put(numpy.ones(16, "float32"))
    for chain, each in [(knobs.runtime.launch_enter_hook, hook), (knobs.runtime.launch_exit_hook, hook),
                        (knobs.runtime.kernel_load_start_hook, load), (knobs.runtime.kernel_load_end_hook, load)]:
        chain.add(each)
    try:
        compiled = kernel[(2, )](x, 3.0, 16, BLOCK=8)
    finally:
        for chain in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
            chain.remove(hook)
        knobs.runtime.kernel_load_start_hook.remove(load)
        knobs.runtime.kernel_load_end_hook.remove(load)
    assert (get(x) == 3).all()
    start, end, enter, leave = seen
    assert start == ("scale_kernel", True, compiled.hash) and end == ("scale_kernel", False, compiled.hash)
    assert enter == leave == {"name": "scale_kernel", "function": compiled.function, "stream": 0, "programs": 2}
    assert bool(compiled.function) is (device == "cuda")


def test_exit_hooks_run_in_reverse(numpy):
    order = []
    hooks = [lambda metadata, i=i: order.append(i) for i in range(3)]
    for hook in hooks:
        knobs.runtime.launch_enter_hook.add(hook)
        knobs.runtime.launch_exit_hook.add(hook)
    try:
        make_kernel()[(1, )](numpy.ones(8, "float32"), 2.0, 8, BLOCK=8)
    finally:
        for hook in hooks:
            knobs.runtime.launch_enter_hook.remove(hook)
            knobs.runtime.launch_exit_hook.remove(hook)
    assert order == [0, 1, 2, 2, 1, 0]


def test_launch_metadata_is_computed_when_it_is_read(numpy):
    calls = []

    def describe(grid, metadata, args):
        calls.append((grid, metadata.name, args["n"], args["BLOCK"]))
        return {"bytes": args["n"] * 8}

    kernel, found = make_kernel(launch_metadata=describe), []
    x = numpy.ones(16, "float32")
    ignore = lambda metadata: None  # noqa: E731
    knobs.runtime.launch_enter_hook.add(ignore)
    kernel[(2, )](x, 2.0, 16, BLOCK=8)
    knobs.runtime.launch_enter_hook.remove(ignore)
    assert not calls
    read = lambda metadata: found.append(metadata.get()["bytes"])  # noqa: E731
    knobs.runtime.launch_enter_hook.add(read)
    kernel[lambda meta: (16 // meta["BLOCK"], )](x, 2.0, 16, BLOCK=8)
    knobs.runtime.launch_enter_hook.remove(read)
    assert found == [128] and calls == [((2, ), "scale_kernel", 16, 8)]


def test_load_hooks_run_once(numpy):
    kernel, seen = make_kernel(), []
    start = lambda *args: seen.append(("start", args[:2], args[2], sorted(args[3])[0], len(args[4])))  # noqa: E731
    end = lambda *args: seen.append(("end", args[2]))  # noqa: E731
    knobs.runtime.kernel_load_start_hook.add(start)
    knobs.runtime.kernel_load_end_hook.add(end)
    try:
        for _ in range(3):
            kernel[(1, )](numpy.ones(8, "float32"), 2.0, 8, BLOCK=8)
    finally:
        knobs.runtime.kernel_load_start_hook.remove(start)
        knobs.runtime.kernel_load_end_hook.remove(end)
    assert seen == [("start", (None, None), "scale_kernel", "scale_kernel.json", 64), ("end", "scale_kernel")]


def test_compile_hooks_and_a_veto(numpy):
    kernel, seen = make_kernel(), []
    x = numpy.ones(8, "float32")

    def before(*, key, repr, fn, compile, is_manual_warmup, already_compiled):
        seen.append(("before", fn.name, compile["num_warps"], is_manual_warmup, already_compiled))
        return compile["num_warps"] == 2

    def after(*, compile, **rest):
        seen.append(("after", compile["is_warmup"], bool(compile["specialization_data"])))

    knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook = before, after
    assert kernel[(1, )](x, 2.0, 8, BLOCK=8, num_warps=2) is None
    assert x[0] == 1.0 and len(seen) == 1
    assert kernel[(1, )](x, 2.0, 8, BLOCK=8, num_warps=8) is not None
    assert x[0] == 2.0
    assert kernel.warmup(x, 2.0, 8, BLOCK=8, num_warps=4, grid=(1, )) is not None
    assert seen == [("before", "scale_kernel", 2, False, False), ("before", "scale_kernel", 8, False, False),
                    ("after", False, True), ("before", "scale_kernel", 4, True, False), ("after", True, True)]


def test_a_listener_gets_times(numpy, fresh_cache):
    seen = []
    knobs.compilation.listener = lambda **facts: seen.append(facts)
    for kernel in (make_kernel(), make_kernel()):
        kernel[(1, )](numpy.ones(8, "float32"), 2.0, 8, BLOCK=8)
    fresh, cached = seen
    assert not fresh["cache_hit"] and cached["cache_hit"]
    assert fresh["src"].name == "scale_kernel" and fresh["metadata"]["num_warps"] == 4
    times = fresh["times"]
    assert [name for name, _ in times.lowering_stages] == ["ttir", "llir", "obj"]
    assert times.total_lowering == sum(spent for _, spent in times.lowering_stages) > 0
    assert times.ir_initialization > 0 and times.total >= times.total_lowering
    assert cached["times"].lowering_stages == []
    assert "scale_kernel.ttir" in fresh["metadata_group"]


def test_the_stages_can_be_inspected(numpy):
    seen = []
    knobs.runtime.add_stages_inspection_hook = lambda backend, stages, options, language, capability: seen.append(
        (backend.binary_ext, list(stages), options.num_warps, language.name))
    make_kernel()[(1, )](numpy.ones(8, "float32"), 2.0, 8, BLOCK=8)
    assert seen == [("obj", ["ttir", "llir", "obj"], 4, "TRITON")]


def test_debug_reaches_kernels_that_exist_already(numpy):
    kernel = make_kernel()
    x = numpy.ones(8, "float32")
    first = kernel[(1, )](x, 2.0, 8, BLOCK=8)
    knobs.runtime.debug = True
    second = kernel[(1, )](x, 2.0, 8, BLOCK=8)
    assert (first.metadata.debug, second.metadata.debug) == (False, True)
    knobs.runtime.debug = False
    assert kernel[(1, )](x, 2.0, 8, BLOCK=8) is first
