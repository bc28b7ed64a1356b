"""Autotuning: what trials do to arguments, what hooks hear, and what becomes of configurations that fail."""
import collections
import pickle

import pytest
from tuning_fakes import FakeKernel, GpuLikeClock, blocks, fake, own_cache, told  # noqa: F401

import tessera
from tessera import Config
from tessera.compiler.errors import CompilationError
from tessera.runtime.autotuner import Autotuner
from tessera.runtime.errors import AutotunerError, OutOfResources, PTXASError
from tessera.runtime.tuning import guard, search as tuning_search, timing


# ---- what trials do to arguments ------------------------------------------------------------------

def add_one(x, n):
    x += 1


@pytest.mark.parametrize("measured_by", ["itself", "the user"])
def test_arguments_are_protected(numpy, measured_by):
    x = numpy.arange(8.0)
    do_bench = None if measured_by == "itself" else told({1: 1, 2: 2})
    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=do_bench)(FakeKernel(effect=add_one))
    kernel[(1,)](x[2:4], 8)
    expected = numpy.arange(8.0)
    expected[2:4] += 1
    assert numpy.array_equal(x, expected)


def test_arguments_are_protected_as_torch_tensors(torch):
    x = torch.arange(8.0, requires_grad=True)
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=lambda x, n: x.data.add_(1)))
    kernel[(1,)](x, 8)
    assert torch.equal(x.detach(), torch.arange(8.0) + 1)


def test_arguments_are_protected_from_memory_beside_a_view(numpy):
    whole = numpy.zeros(8)
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=lambda x, n: x.base.__iadd__(1)))
    kernel[(1,)](whole[:2], 8)
    assert whole.tolist() == [1.0] * 8


# ---- which of them are copied ---------------------------------------------------------------------

@pytest.fixture
def copied(monkeypatch):
    """The sizes of what is copied, in elements of four bytes: tests give each argument another."""
    sizes = []
    for kind in (guard._NumpyBuffer, guard._TorchBuffer):
        def copy(buffer, copy=kind.copy):
            sizes.append(buffer.size // 4)
            copy(buffer)
        monkeypatch.setattr(kind, "copy", copy)
    return sizes


@pytest.fixture
def kernels():
    import tuning_kernels
    return tuning_kernels


def blocks_of(n):
    return lambda meta: (tessera.cdiv(n, meta["BLOCK"]),)


def test_what_is_only_read_is_not_copied(device, put, get, numpy, kernels, copied):
    x, y, out = (put(numpy.ones(1000 + more, "float32")) for more in range(3))
    kernel = tessera.autotune(blocks(64, 256, 1024), key=["n"])(kernels.add)
    kernel[blocks_of(1000)](x, y, out, 1000)
    assert copied == [1002] and (get(out)[:1000] == 2).all()


def test_each_configuration_says_what_it_writes(device, put, get, numpy, kernels, copied):
    x, y = put(numpy.zeros(128, "float32")), put(numpy.zeros(129, "float32"))
    kernel = tessera.autotune(blocks(64, 128), key=[])(kernels.either)
    kernel[(1,)](x, y)
    assert sorted(copied) == [128, 129]
    block = kernel.best_config.kwargs["BLOCK"]
    assert get(x)[:128].sum() + get(y)[:128].sum() == block and not (get(x).any() and get(y).any())


def test_one_memory_under_two_names(device, put, get, numpy, kernels, copied):
    x = put(numpy.ones(1000, "float32"))
    kernel = tessera.autotune(blocks(64, 256), key=["n"])(kernels.add)
    kernel[blocks_of(500)](x[:500], x[:500], x[:500], 500)
    assert copied == [1000] and (get(x)[:500] == 2).all() and (get(x)[500:] == 1).all()


def test_what_writes_to_anything_has_all_copied(numpy, kernels, copied):
    out, x = numpy.zeros(130, "float32"), numpy.ones(131, "float32")
    table = numpy.array([out.ctypes.data, 0], "int64")
    kernel = tessera.autotune(blocks(64, 128), key=[])(kernels.through_table)
    kernel[(1,)](table, x)
    assert sorted(copied) == [4, 131]


def test_a_configuration_with_a_hook_has_all_copied(numpy, kernels, copied):
    x, y, out = (numpy.ones(1000 + more, "float32") for more in range(3))

    def hook(arguments):
        arguments["x"] += 1
    kernel = tessera.autotune([Config({"BLOCK": block}, pre_hook=hook) for block in (64, 128)], key=["n"])(kernels.add)
    kernel[blocks_of(1000)](x, y, out, 1000)
    assert sorted(copied) == [1000, 1001, 1002] and (x == 2).all() and (out[:1000] == 3).all()


@pytest.mark.parametrize("stage, expected", [("ttir", [1002]), ("llir", [1000, 1001, 1002])])
def test_what_takes_the_place_of_a_stage_is_read_from_there_on(numpy, kernels, copied, tmp_path, stage, expected):
    """What a file writes to is known if it is TTIR."""
    x, y, out = (numpy.ones(1000 + more, "float32") for more in range(3))
    made = kernels.add.warmup(x, y, out, 1000, BLOCK=64, grid=(1,))
    path = tmp_path / f"add.{stage}"
    path.write_text(made.asm[stage])
    configs = [Config({"BLOCK": 64}, ir_override=str(path), num_warps=warps) for warps in (1, 2)]
    kernel = tessera.autotune(configs, key=["n"])(kernels.add)
    kernel[blocks_of(1000)](x, y, out, 1000)
    assert sorted(copied) == expected and (out[:1000] == 2).all()


def test_tuples_are_copied_as_a_whole(numpy, kernels, copied):
    a, b, to = numpy.ones(128, "float32"), numpy.ones(129, "float32"), numpy.zeros(130, "float32")
    Out = collections.namedtuple("Out", ["to"])
    kernel = tessera.autotune(blocks(64, 128), key=[])(kernels.through_tuple)
    kernel[(1,)]((a, b), Out(to))
    assert copied == [130] and to.sum() == 2 * kernel.best_config.kwargs["BLOCK"]


@pytest.mark.parametrize("record", [None, {"arguments": []}, {"writes_only_arguments": False}])
def test_without_a_record_all_are_copied(numpy, copied, record):
    x = numpy.zeros(8, "float32")
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=add_one, record=record))
    kernel[(1,)](x, 8)
    assert copied == [8] and (x == 1).all()


def test_parameters_that_a_record_names():
    class Compiled:
        record = {"writes_only_arguments": True, "arguments": [
            {"name": "x", "type": "*fp32", "read_only": True}, {"name": "n", "type": "i32"}, {"name": "out", "type": "*fp32"},
            {"name": "d.base", "type": "*fp16", "descriptor": "tensordesc<fp16[64]>"}, {"name": "d.shape.0", "type": "i32"},
            {"name": "t.0", "type": "*fp32", "read_only": True}, {"name": "t.1.to", "type": "*fp32"},
            {"name": "nothing", "type": "*fp32", "constant": "None"}, {"name": "BLOCK", "type": "constexpr", "constant": "64"}]}
    assert guard.written_parameters(Compiled) == {"out", "d", "t"}


# ---- when memory is short -------------------------------------------------------------------------

def tuned_in_place(x):
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=lambda x, n: x.__setitem__(0, x[0] + 1)))
    kernel[(1,)](x, 8)
    assert kernel.best_config in kernel.configs


@pytest.mark.parametrize("why", ["too large", "refused"])
def test_copies_that_cannot_be_had_do_not_end_the_search(numpy, monkeypatch, why):
    def refuse(buffer):
        raise MemoryError
    if why == "refused":
        monkeypatch.setattr(guard._NumpyBuffer, "copy", refuse)
    else:
        monkeypatch.setattr(guard, "_free_host_memory", lambda: 4 * 8 * 8 - 1)
    x = numpy.zeros(8)
    with pytest.warns(UserWarning) as caught:
        tuned_in_place(x)
    assert [str(warning.message) for warning in caught] == [
        "Tuning fake may have changed x: there was not enough memory for a copy. Tune it on smaller arguments, or say with "
        "reset_to_zero or hooks what is to happen."]
    assert caught[0].filename == __file__ and x[0] > 1


def test_a_gpu_that_has_no_memory_left(torch, monkeypatch):
    def refuse(buffer):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
    monkeypatch.setattr(guard._TorchBuffer, "copy", refuse)
    with pytest.warns(UserWarning, match="Tuning fake may have changed x"):
        tuned_in_place(torch.zeros(8))


def test_what_fits_is_copied_all_the_same(numpy, monkeypatch, copied):
    """A quarter of the memory for all copies together; what comes first is first served."""
    monkeypatch.setattr(guard, "_free_host_memory", lambda: 4 * 1000)

    class Everything(FakeKernel):
        arg_names = ["x", "n", "BLOCK", "OTHER", "y", "z"]
    kernel = tessera.autotune(blocks(1, 2), key=[])(Everything())
    with pytest.warns(UserWarning, match="may have changed n, y: "):
        kernel[(1,)](numpy.zeros(100, "float32"), numpy.zeros(251, "float32"), y=numpy.zeros(160, "float32"),
                     z=numpy.zeros(150, "float32"))
    assert copied == [100, 150]


def test_a_value_to_restore_must_fit(numpy, monkeypatch):
    def refuse(value):
        raise MemoryError("no room for a copy")
    monkeypatch.setattr(guard, "copy_of", refuse)
    kernel = tessera.autotune(blocks(1, 2), key=["n"], restore_value=["x"])(FakeKernel())
    with pytest.raises(MemoryError, match="no room for a copy"):
        kernel[(1,)](numpy.zeros(8), 8)
    assert not kernel.fn.launched


# ---- what the user says is to happen --------------------------------------------------------------

def test_reset_to_zero_also_before_the_launch(numpy):
    x = numpy.full(4, 7.0)
    kernel = tessera.autotune(blocks(1, 2), key=["n"], reset_to_zero=["x"])(FakeKernel(effect=add_one))
    kernel[(1,)](x, 4)
    assert x.tolist() == [1.0] * 4
    kernel[(1,)](x, 4)
    assert x.tolist() == [2.0] * 4


def test_restore_value(numpy):
    x = numpy.full(4, 7.0)
    kernel = tessera.autotune(blocks(1, 2), key=["n"], restore_value=["x"])(FakeKernel(effect=add_one))
    kernel[(1,)](x, 4)
    assert x.tolist() == [8.0] * 4
    assert kernel.reset_to_zero == [] and kernel.restore_value == ["x"]


@pytest.mark.parametrize("what", ["reset_to_zero", "restore_value"])
def test_an_argument_that_is_none_is_left_alone(what):
    kernel = tessera.autotune(blocks(1, 2), key=["n"], **{what: ["x"]})(FakeKernel())
    kernel[(1,)](None, 4)


def test_an_object_with_run_alone():
    """Not all that is tuned comes from here."""
    class Kernel:
        fn = staticmethod(fake)

        def run(self, **kwargs):
            launched.append(kwargs["BLOCK"])
    launched = []
    kernel = Autotuner(Kernel(), [], blocks(1, 2), [], None, None, do_bench=lambda call, quantiles: call() or [launched[-1]] * 3)
    kernel.run()
    assert launched == [1, 2, 1]


def test_hooks_come_in_pairs_and_hear_of_failures():
    values = {"open": 0, "resets": 0, "problems": []}

    def pre_hook(arguments, reset_only=False):
        assert arguments["n"] == 4 and "BLOCK" in arguments
        values["open" if not reset_only else "resets"] += 1

    def post_hook(arguments, exception):
        values["open"] -= 1
        assert values["open"] == 0
        if exception is not None:
            values["problems"].append(str(exception))
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"], pre_hook=pre_hook, post_hook=post_hook)(FakeKernel(
        compile_fails=lambda block: ValueError("compile") if block == 1 else None,
        launch_fails=lambda block: ValueError("launch") if block == 2 else None))
    assert kernel.user_defined_pre_hook and kernel.user_defined_post_hook
    kernel[(1,)](None, 4)
    assert values["open"] == 0 and values["resets"] == 1 and sorted(values["problems"]) == ["compile", "launch"]


def test_a_configurations_hook_runs_at_each_launch():
    seen = []
    configs = [Config({"BLOCK": 1}, pre_hook=lambda named: seen.append(named["BLOCK"])), Config({"BLOCK": 2})]
    kernel = tessera.autotune(configs, key=["n"], do_bench=told({1: 1, 2: 2}))(FakeKernel())
    kernel[(1,)](None, 4)
    assert seen == [1, 1]  # the trial, the launch
    kernel[(1,)](None, 4)
    assert seen == [1, 1, 1]


def test_hooks_are_not_measured_but_a_configurations_is():
    configs = [Config({"BLOCK": 1}, pre_hook=lambda named: timing.time.sleep(3e-3)), Config({"BLOCK": 2})]
    kernel = tessera.autotune(configs, key=["n"], pre_hook=lambda named, reset_only=False: timing.time.sleep(1e-3))(FakeKernel())
    kernel[(1,)](None, 4)
    timings = {config.kwargs["BLOCK"]: timing[0] for config, timing in kernel.configs_timings.items()}
    assert timings == {1: pytest.approx(4), 2: pytest.approx(1)}


# ---- failures -------------------------------------------------------------------------------------

PROBLEMS = [OutOfResources(300000, 232448, "shared memory"), PTXASError("no such instruction"),
            CompilationError(None, None, "static_assert"), RuntimeError("internal"), AssertionError("odd"), TypeError("what")]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize("when", ["compile", "launch"])
def test_a_failing_configuration_does_not_end_the_search(problem, when):
    def fails(block):
        return problem if block == 1 else None
    inner = FakeKernel(**{f"{when}_fails": fails})
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"])(inner)
    kernel[(1,)](None, 5)
    assert kernel.best_config.kwargs["BLOCK"] in (2, 4)
    assert kernel.configs_timings[Config({"BLOCK": 1})] == [float("inf")] * 3


def test_all_failing_lists_each_reason():
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(compile_fails=lambda block: RuntimeError(f"no {block}")))
    with pytest.raises(AutotunerError) as caught:
        kernel[(1,)](None, 5)
    text = str(caught.value)
    assert "none of the 2 configurations of fake works" in text
    assert "[1/2] BLOCK: 1, num_warps: 4, num_stages: 3: no 1" in text and "[2/2]" in text and "no 2" in text
    assert [config.kwargs["BLOCK"] for config, _ in caught.value.failures] == [1, 2]
    assert (5,) not in kernel.cache and kernel.nargs is None


def test_all_out_of_resources_is_out_of_resources():
    inner = FakeKernel(launch_fails=lambda block: OutOfResources(block * 1000, 10, "shared memory"))
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(inner)
    with pytest.raises(OutOfResources) as caught:
        kernel[(1,)](None, 5)
    assert isinstance(caught.value, AutotunerError) and caught.value.required == 1000 and "[2/2]" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_what_is_no_configurations_fault_is_told_as_it_is():
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(compile_fails=lambda block: TypeError("missing argument 'y'")))
    with pytest.raises(TypeError, match="missing argument"):
        kernel[(1,)](None, 5)


def test_a_benchmark_that_returns_nonsense():
    kernel = tessera.autotune(blocks(1, 2), key=["n"], do_bench=lambda call, quantiles: None)(FakeKernel())
    with pytest.raises(TypeError, match="do_bench returned None"):
        kernel[(1,)](None, 5)


def test_an_interrupt_ends_the_search_and_restores(numpy):
    x = numpy.zeros(4)

    def effect(x, n):
        x += 1
        if x[0] > 2:
            raise KeyboardInterrupt
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(FakeKernel(effect=effect))
    with pytest.raises(KeyboardInterrupt):
        kernel[(1,)](x, 5)
    assert x.tolist() == [0.0] * 4 and kernel.nargs is None and not kernel._searches
    kernel.fn.effect = None
    kernel[(1,)](x, 5)


def test_a_device_that_is_lost_ends_the_search(monkeypatch):
    inner = FakeKernel(launch_fails=lambda block: RuntimeError("launch failed"))

    def wait():
        if inner.compiled:
            raise RuntimeError("an illegal memory access was encountered")
    monkeypatch.setattr(timing, "clock_for", lambda device: GpuLikeClock(wait))
    monkeypatch.setattr(timing, "waiter_for", lambda device: wait)
    monkeypatch.setattr(tuning_search, "_cores", lambda: 1)
    kernel = tessera.autotune(blocks(1, 2), key=["n"])(inner)
    with pytest.raises(AutotunerError, match="BLOCK: 1, .* broke the device.*illegal memory access"):
        kernel[(1,)](None, 5)
