"""Autotuning: what is kept on disk, what is known of searches that died, and choosing without measuring."""
import json
import os
import signal
import warnings

import pytest
from places import HERE
from tuning_fakes import FakeKernel, GpuLikeClock, blocks, own_cache, told, tune  # noqa: F401

import tessera
from tessera import Config
from tessera.runtime.autotuner import Autotuner
from tessera.runtime.errors import AutotunerError, OutOfResources
from tessera.runtime.tuning import journal, search as tuning_search, store as stores, timing
from tessera.runtime.tuning.store import TuningStore

# ---- on disk --------------------------------------------------------------------------------------

def test_only_new_configurations_are_measured(own_cache):
    assert tune(blocks(4, 8))[0] == [4, 8]
    assert tune(blocks(4, 8))[0] == []
    again, kernel = tune(blocks(8, 2, 4))
    assert again == [2] and kernel.best_config.kwargs == {"BLOCK": 2} and len(kernel.configs_timings) == 3
    assert tune(blocks(4, 8, num_warps=8))[0] == [4, 8]
    files = list((own_cache / "autotune").iterdir())
    assert len(files) == 1 and files[0].name.startswith("fake-")
    content = json.loads(files[0].read_text())
    assert content["kernel"] == "fake" and content["key"] == ["5"] and len(content["results"]) == 5


def test_lasting_failures_are_stored_and_others_are_not():
    def no_memory(block):
        return OutOfResources(1, 0, "shared memory") if block == 4 else None

    def no_tool(block):
        return OSError("no assembler") if block == 4 else None
    assert tune(blocks(4, 8), compile_fails=no_tool)[0] == [8]
    assert tune(blocks(4, 8), compile_fails=no_memory)[0] == []  # tried again, in vain
    found, kernel = tune(blocks(4, 8))
    assert found == [] and kernel.best_config.kwargs == {"BLOCK": 8}


def test_stored_failures_alone_are_tried_again():
    problem = OutOfResources(1, 0, "shared memory")
    for attempt in range(2):
        with pytest.raises(OutOfResources):
            tune(blocks(4, 8), compile_fails=lambda block: problem)
    assert tune(blocks(4, 8))[0] == [4, 8]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"version": 1}', '{"version": 99, "results": {}}', "\x00\x01",
                                    pytest.param("[" * 20000, id="nested")])
def test_damaged_files_are_ignored_and_replaced(own_cache, damage):
    tune(blocks(4, 8))
    path, = (own_cache / "autotune").iterdir()
    path.write_text(damage)
    assert tune(blocks(4, 8))[0] == [4, 8]
    assert tune(blocks(4, 8))[0] == []


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(own_cache):
    tune(blocks(4, 8))
    path, = (own_cache / "autotune").iterdir()
    path.unlink()
    os.mkfifo(path)
    assert tune(blocks(4, 8))[0] == [4, 8]


def test_a_folder_that_cannot_be_written_to(own_cache, monkeypatch):
    (own_cache / "autotune").write_text("in the way")
    assert tune(blocks(4, 8))[0] == [4, 8]


def test_knob_turns_the_store_off(monkeypatch, own_cache):
    monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", "0")
    assert tune(blocks(4, 8))[0] == tune(blocks(4, 8))[0] == [4, 8]
    assert not (own_cache / "autotune").exists()


def test_a_users_benchmark_is_stored_on_demand_only(monkeypatch):
    times = told({4: 1, 8: [2, 2, 2]})
    assert tune(blocks(4, 8), do_bench=times)[0] == tune(blocks(4, 8), do_bench=times)[0] == [4, 8]
    assert tune(blocks(4, 8), do_bench=times, cache_results=True)[0] == [4, 8]
    assert tune(blocks(4, 8), do_bench=times, cache_results=True)[0] == []
    monkeypatch.setenv("TRITON_CACHE_AUTOTUNING", "1")
    assert tune(blocks(4, 8), do_bench=times)[0] == []


def test_processes_that_tune_at_once_agree():
    """Two ranks begin before either has stored anything, and measure differently: the later takes over what the other found."""
    other = tessera.autotune(blocks(4, 8), key=["n"])(FakeKernel(seconds=lambda block: 32 / block * 1e-4))

    def meanwhile(x, n):
        if not other.cache:
            other[(1,)](None, 5)
    inner = FakeKernel(seconds=lambda block: block * 1e-4, effect=meanwhile)
    kernel = tessera.autotune(blocks(4, 8), key=["n"])(inner)
    kernel[(1,)](None, 5)
    assert other.best_config.kwargs == kernel.best_config.kwargs == {"BLOCK": 8}
    assert kernel.configs_timings == other.configs_timings


def test_other_code_and_keys_that_do_not_last(own_cache, monkeypatch):
    tune(blocks(4, 8))
    monkeypatch.setattr(FakeKernel, "cache_key", "other code")
    assert tune(blocks(4, 8))[0] == [4, 8]
    kernel = tessera.autotune(blocks(4, 8), key=["x"])(FakeKernel())
    count = len(list((own_cache / "autotune").iterdir()))
    kernel[(1,)](object(), 5)  # its repr is an address
    assert len(list((own_cache / "autotune").iterdir())) == count == 2


def test_hooks_of_configurations_are_told_apart_by_their_code():
    def configs(hook):
        return [Config({"BLOCK": block}, pre_hook=hook) for block in (4, 8)]
    assert tune(configs(lambda named: named.get("a")))[0] == [4, 8]
    assert tune(configs(lambda named: named.get("a")))[0] == []
    assert tune(configs(lambda named: named.get("b")))[0] == [4, 8]


def test_check_disk_cache_for_subclasses():
    class Own(Autotuner):
        def run(self, *args, **kwargs):
            self.nargs = dict(zip(self.arg_names, args))

            def benchmark():
                self.configs_timings = {config: self._bench(*args, config=config, **kwargs) for config in self.configs}
                self.cache[(5,)] = min(self.configs_timings, key=self.configs_timings.get)
            self.was_stored = self.check_disk_cache((5,), self.configs, benchmark)
            return self.cache[(5,)]
    for was_stored in (False, True):
        inner = FakeKernel(launch_fails=lambda block: None)
        own = Own(inner, inner.arg_names, blocks(4, 8), ["n"], None, None, cache_results=True,
                  do_bench=told({4: [2, 2, 2], 8: [1, 1, 1]}))
        assert own.run(None, 5, grid=(1,), warmup=False) == Config({"BLOCK": 8}) and own.was_stored == was_stored


def test_a_timing_takes_the_place_of_a_failure(own_cache):
    store = TuningStore(str(own_cache), "fake", "code", (5,), "device", "tools")
    store.add({"A": {"failure": "no memory"}, "B": {"ms": [1.0]}, "C": {"failure": "first"}})
    merged = store.add({"A": {"ms": [2.0]}, "B": {"ms": [3.0]}, "C": {"failure": "second"}})
    assert merged == store.read() == {"A": {"ms": [2.0]}, "B": {"ms": [1.0]}, "C": {"failure": "first"}}


# ---- searches that died ---------------------------------------------------------------------------

def lose_device(monkeypatch, culprit, configs):
    """A search on a device that a configuration breaks: all that waits for it fails from then on."""
    inner = FakeKernel(seconds=lambda block: block * 2e-4)

    def wait():
        if culprit in inner.launched:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")
    with monkeypatch.context() as patch:
        patch.setattr(timing, "clock_for", lambda device: GpuLikeClock(wait))
        patch.setattr(timing, "waiter_for", lambda device: wait)
        patch.setattr(tuning_search, "_cores", lambda: 1)
        kernel = tessera.autotune(configs, key=["n"])(inner)
        with pytest.raises(AutotunerError) as caught:
            kernel[(1,)](None, 5)
    return str(caught.value)


def stored_results(folder):
    path, = (folder / "autotune").iterdir()
    return {text.split(",")[0]: result for text, result in json.loads(path.read_text())["results"].items()}


def test_what_broke_the_device_is_left_out_from_then_on(own_cache, monkeypatch):
    text = lose_device(monkeypatch, 2, blocks(4, 2, 8))
    assert text == ("Autotuner error: the configuration BLOCK: 2, num_warps: 4, num_stages: 3 of fake broke the device: CUDA "
                    "error: an illegal memory access was encountered. This process cannot use the device any more; start it "
                    "again.")
    results = stored_results(own_cache)
    assert set(results) == {"BLOCK: 4", "BLOCK: 2"} and "ms" in results["BLOCK: 4"] and results["BLOCK: 2"]["fault"] is True
    for attempt in range(2):
        with pytest.warns(UserWarning, match="fake is tuned without 1 of its 3 configurations, which ended an") as caught:
            found, kernel = tune(blocks(4, 2, 8))
        assert "BLOCK: 2, num_warps: 4, num_stages: 3: it broke the device: CUDA error: an illegal memory access" in str(
            caught[0].message) and str(own_cache) in str(caught[0].message) and caught[0].filename == tune.__code__.co_filename
        assert found == ([8] if attempt == 0 else []) and kernel.best_config.kwargs == {"BLOCK": 4}


def test_faults_of_all_configurations_are_tried_again(own_cache, monkeypatch):
    """The arguments were wrong, not the configurations."""
    lose_device(monkeypatch, 4, blocks(4, 8))
    with pytest.warns(UserWarning, match="1 of its 2"):
        lose_device(monkeypatch, 8, blocks(4, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tune(blocks(4, 8))[0] == [4, 8]
        assert tune(blocks(4, 8))[0] == []
    assert all("ms" in result for result in stored_results(own_cache).values())


def test_a_fault_and_other_failures(own_cache, monkeypatch):
    """When nothing else works there is an error that lists both; what broke the device is not tried again."""
    lose_device(monkeypatch, 4, blocks(4, 8))
    for attempt in range(2):
        listed = r"(?s)BLOCK: 4.*broke the device.*BLOCK: 8.*no memory"
        with pytest.warns(UserWarning), pytest.raises(AutotunerError, match=listed):
            tune(blocks(4, 8), compile_fails=lambda block: OutOfResources(1, 0, "no memory"))
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "stored")
    with pytest.warns(UserWarning):
        assert tune(blocks(4, 8))[0] == [8]


def test_a_device_that_was_lost_before_the_search_is_nobodys_fault(own_cache, monkeypatch):
    def wait():
        raise RuntimeError("CUDA error: an illegal memory access was encountered")
    monkeypatch.setattr(timing, "waiter_for", lambda device: wait)
    with pytest.raises(RuntimeError, match="^CUDA error: an illegal") as caught:
        tune(blocks(4, 8))
    assert not isinstance(caught.value, AutotunerError) and not list((own_cache / "autotune").iterdir())


def test_a_users_benchmark_that_does_not_wait(own_cache, monkeypatch):
    """The fault is that of the configuration that was measured, not of the next."""
    inner = FakeKernel()

    def wait():
        if 2 in inner.launched:
            raise RuntimeError("an illegal memory access was encountered")
    monkeypatch.setattr(timing, "waiter_for", lambda device: wait)
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"], do_bench=told({1: 1, 2: 1, 4: 1}), cache_results=True)(inner)
    with pytest.raises(AutotunerError, match="BLOCK: 2, .* broke the device"):
        kernel[(1,)](None, 5)
    assert inner.launched == [1, 2] and stored_results(own_cache)["BLOCK: 2"]["fault"] is True


def a_store(folder):
    return TuningStore(str(folder), "fake", "code", (5,), "device", "tools")


def test_a_journal_belongs_to_one_process_while_it_lives(own_cache):
    store = a_store(own_cache)
    mine = journal.Journal.open(store)
    mine.begin("A")
    journal.recover(store)
    assert journal.Journal.open(store) is None and store.read() == {}
    mine.close()
    assert not list((own_cache / "autotune").iterdir())
    other = journal.Journal.open(store)
    other.close()


@pytest.mark.parametrize("how", ["by the next search", "by whoever asks"])
def test_a_journal_without_a_process_becomes_results(own_cache, how):
    store = a_store(own_cache)

    def search_ends_over_b():
        left = journal.Journal.open(store)
        left.begin("A")
        left.end({"A": {"ms": [1.0]}, "junk": 7})
        left.begin("B")
        os.write(left.handle, b'{"beg')
        os.close(left.handle)  # as if the process ended: the lock goes, the file stays
        left.handle = os.open(os.devnull, os.O_RDONLY)
        if how == "by the next search":
            journal.Journal.open(store).close()
        else:
            journal.recover(store)
        results = store.read()
        assert results["A"] == {"ms": [1.0]} and set(results) == {"A", "B"}
        assert [path.suffix for path in (own_cache / "autotune").iterdir()] == [".json"]
        return results["B"]

    suspect = search_ends_over_b()
    assert list(suspect) == ["suspect"] and "a process that was measuring it ended on 20" in suspect["suspect"]
    fault = search_ends_over_b()
    assert fault["fault"] is True and fault["failure"].startswith(suspect["suspect"] + ", and another on 20")


@pytest.mark.parametrize("clock", [timing.HostClock, GpuLikeClock])
def test_what_is_suspect_is_measured_last(own_cache, monkeypatch, clock):
    """Somebody may have killed the process that was measuring it: it gets another chance, and what it then shows is kept."""
    monkeypatch.setattr(timing, "clock_for", lambda device: clock())
    tune(blocks(4, 8, 16))
    path, = (own_cache / "autotune").iterdir()
    content = json.loads(path.read_text())
    suspect = next(text for text in content["results"] if text.startswith("BLOCK: 4"))
    content["results"] = {suspect: {"suspect": "a process ended"}}
    path.write_text(json.dumps(content))
    inner = FakeKernel()
    tessera.autotune(blocks(4, 8, 16), key=["n"])(inner)[(1,)](None, 5)
    assert list(dict.fromkeys(inner.launched))[-1] == 4 and set(inner.launched) == {4, 8, 16}
    assert "ms" in json.loads(path.read_text())["results"][suspect]


def test_an_interrupt_is_no_fault(own_cache):
    def effect(x, n):
        raise KeyboardInterrupt
    kernel = tessera.autotune(blocks(4, 8), key=["n"])(FakeKernel(effect=effect))
    with pytest.raises(KeyboardInterrupt):
        kernel[(1,)](None, 5)
    assert not list((own_cache / "autotune").iterdir())
    assert tune(blocks(4, 8))[0] == [4, 8]


DAEMON = """
import os, sys, threading
from tessera.runtime.tuning import journal
from tessera.runtime.tuning.store import TuningStore

def search():
    running = journal.Journal.open(TuningStore(sys.argv[1], "fake", "code", (5,), "device", "tools"))
    running.begin("A")
    begun.set()
    threading.Event().wait()

begun = threading.Event()
threading.Thread(target=search, daemon=True).start()
begun.wait()
child = os.fork()
if child == 0:
    sys.exit(0)  # a child's end is not the search's
assert os.waitpid(child, 0)[1] == 0
print(len(os.listdir(os.path.join(sys.argv[1], "autotune"))))
"""


def test_a_search_that_nobody_waits_for_is_no_fault(own_cache, snippet):
    assert snippet(DAEMON, own_cache).stdout == "1\n"
    assert not list((own_cache / "autotune").iterdir())


WILD = """
import sys, warnings
import numpy
import tessera
sys.path.insert(0, sys.argv[1])
import tuning_kernels

warnings.simplefilter("always")
kernel = tessera.autotune([tessera.Config({"BLOCK": block}) for block in (128, 64, 256)], key=["n"])(tuning_kernels.wild)
x = numpy.zeros(256, "float32")
kernel[(1,)](x, 256)
assert (x[:128] == 1).all()
print(sorted((config.kwargs["BLOCK"], times[0] < 1e9) for config, times in kernel.configs_timings.items()))
"""


def test_processes_do_not_die_of_a_configuration_for_ever(own_cache, snippet):
    environment = {"TRITON_CACHE_DIR": str(own_cache)}
    for endings in ({".trying"}, {".trying", ".json"}):
        done = snippet(WILD, HERE, env=environment, status=-signal.SIGSEGV)
        assert done.stdout == ""
        assert {path.suffix for path in (own_cache / "autotune").iterdir()} == endings
    for attempt in range(2):
        done = snippet(WILD, HERE, env=environment)
        assert done.stdout == "[(64, False), (128, True), (256, True)]\n"
        assert "wild is tuned without 1 of its 3 configurations" in done.stderr and "BLOCK: 64, " in done.stderr
        assert "a process that was measuring it ended on 20" in done.stderr and ", and another on 20" in done.stderr
    results = stored_results(own_cache)
    assert "ms" in results["BLOCK: 128"] and results["BLOCK: 64"]["fault"] is True and "ms" in results["BLOCK: 256"]


ON_A_GPU = """
import os, sys, warnings
import tessera
sys.path.insert(0, sys.argv[1])
import tuning_kernels

class Tensor:
    dtype, is_cuda = "float32", True
    def data_ptr(self):
        return 0x100000

def fault(arguments):
    os.environ["FAKE_CUDA_SYNC"] = "700"  # CUDA_ERROR_ILLEGAL_ADDRESS, to all who wait from now on

warnings.simplefilter("always")
configs = [tessera.Config({"BLOCK": block}, pre_hook=fault if block == 64 else None) for block in (128, 64, 256)]
kernel = tessera.autotune(configs, key=["n"])(tuning_kernels.add_one)
try:
    kernel[(1,)](Tensor(), 256)
    print(sorted((config.kwargs["BLOCK"], times[0] < 1e9) for config, times in kernel.configs_timings.items()))
except tessera.runtime.errors.AutotunerError as problem:
    print(problem)
"""


def test_a_driver_that_reports_an_illegal_address(own_cache, snippet, fake_gpu):
    environment = {**fake_gpu, "TRITON_CACHE_DIR": str(own_cache)}
    first = snippet(ON_A_GPU, HERE, env=environment)
    assert "the configuration BLOCK: 64, num_warps: 4, num_stages: 3 of add_one broke the device: " in first.stdout
    assert "700" in first.stdout and "start it again" in first.stdout
    second = snippet(ON_A_GPU, HERE, env=environment)
    assert second.stdout == "[(64, False), (128, True), (256, True)]\n"
    assert "add_one is tuned without 1 of its 3 configurations" in second.stderr


def test_a_fork_while_another_thread_writes_results(snippet):
    """The child has the thread's lock, and must not wait for itself."""
    done = snippet("""
import os, signal, sys, threading
from tessera.runtime.tuning.store import _Locked
_Locked.WAIT = 1000.0
locked, forked = threading.Event(), threading.Event()


def write():
    with _Locked(sys.argv[1]):
        locked.set()
        forked.wait()


thread = threading.Thread(target=write)
thread.start()
locked.wait()
child = os.fork()
if child == 0:
    signal.alarm(100)
    with _Locked(sys.argv[1]):
        os._exit(7)
forked.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""", ".", name="writes.py")
    assert done.stdout == "7\n"


# ---- choosing without measuring -------------------------------------------------------------------

def test_choice_first(monkeypatch):
    tune(blocks(8, 4))
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "first")
    found, kernel = tune(blocks(8, 4))
    assert found == [8] and kernel.best_config.kwargs == {"BLOCK": 8}
    found, kernel = tune(blocks(8, 4), compile_fails=lambda block: RuntimeError() if block == 8 else None)
    assert kernel.best_config.kwargs == {"BLOCK": 4}
    with pytest.raises(AutotunerError):
        tune(blocks(8, 4), compile_fails=lambda block: RuntimeError(str(block)))


def test_choice_stored(monkeypatch):
    tune(blocks(8, 4))
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "stored")
    found, kernel = tune(blocks(2, 8, 4))
    assert found == [] and kernel.best_config.kwargs == {"BLOCK": 4}
    found, kernel = tune(blocks(1, 2))
    assert found == [1] and kernel.best_config.kwargs == {"BLOCK": 1}


def test_nothing_is_measured_while_a_graph_is_recorded(monkeypatch):
    monkeypatch.setattr(timing, "is_capturing", lambda: True)
    with pytest.warns(UserWarning, match="fake cannot be tuned while a CUDA graph is recorded") as caught:
        found, kernel = tune(blocks(8, 4))
    assert found == [8] and kernel.best_config.kwargs == {"BLOCK": 8}
    assert caught[0].filename == tune.__code__.co_filename  # who launched it


def test_choice_of_an_unknown_kind(monkeypatch):
    monkeypatch.setenv("TESSERA_AUTOTUNE_CHOICE", "best")
    with pytest.raises(ValueError, match="TESSERA_AUTOTUNE_CHOICE"):
        tune(blocks(1, 2))


def test_tables_of_choices(tmp_path):
    _, kernel = tune(blocks(4, 8))
    kernel.cache[(object(),)] = kernel.configs[0]
    entry, = kernel.tuned()
    assert entry["key"] == [5] and entry["kwargs"] == {"BLOCK": 4} and entry["num_warps"] == 4 and entry["device"]
    kernel.save_tuned(tmp_path / "fake.json")
    other = tessera.autotune(blocks(8, 4), key=["n"])(FakeKernel())
    assert other.load_tuned(tmp_path / "fake.json") == 1 and other.cache[(5,)] is other.configs[1]
    other[(1,)](None, 5)
    assert not other.fn.compiled and other.fn.launched == [4]
    content = json.loads((tmp_path / "fake.json").read_text())
    content["choices"][0]["device"] = "another"
    (tmp_path / "fake.json").write_text(json.dumps(content))
    assert other.load_tuned(tmp_path / "fake.json") == 0 and other.load_tuned(tmp_path / "fake.json", any_device=True) == 1
    content["kernel"] = "another"
    (tmp_path / "fake.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="no choices for fake"):
        other.load_tuned(tmp_path / "fake.json")


def test_files_of_vllm(tmp_path):
    """A configuration for each size; sizes in between take the nearest one."""
    import json
    path = tmp_path / "E=8,N=14336,device_name=NVIDIA_H100.json"
    path.write_text(json.dumps({"triton_version": "3.6.0", "1": {"BLOCK": 4, "num_warps": 2, "num_stages": 4},
                                "64": {"BLOCK": 2, "num_warps": 4, "num_stages": 3}}))
    kernel = tessera.autotune(blocks(1, 2, 4), key=["n"])(FakeKernel())
    assert kernel.load_tuned(path, parameter="n") == 2
    for n, block in ((1, 4), (20, 4), (33, 2), (5000, 2)):
        kernel[(1,)](None, n)
        assert kernel.best_config.kwargs == {"BLOCK": block} and kernel.best_config.num_warps == (2 if block == 4 else 4)
    assert kernel.best_config is kernel.configs[[c.kwargs["BLOCK"] for c in kernel.configs].index(2)]
    kernel.save_tuned(tmp_path / "out.json", parameter="n")
    saved = json.loads((tmp_path / "out.json").read_text())
    assert list(saved) == ["1", "20", "33", "5000"] and saved["20"] == {"BLOCK": 4, "num_warps": 2, "num_stages": 4}
    for wrong, message in (("[]", "no file of configurations"), ("{}", "no configuration for a size"), ('{"a": 1}', "no configuration for a size"),
                           ("{", "is not JSON .*save_tuned"), ('{"1": {"BLOCK": 4, "num_warps": "4"}}', "num_warps of the size 1 is '4'")):
        path.write_text(wrong)
        with pytest.raises(ValueError, match=message):
            kernel.load_tuned(path, parameter="n")
    with pytest.raises(ValueError, match="is not JSON"):
        path.write_text("{")
        kernel.load_tuned(path)
    with pytest.raises(ValueError, match="is not in the key"):
        kernel.load_tuned(path, parameter="m")


def test_timings_of_a_gpu_are_kept_per_driver(tmp_path):
    (tmp_path / "nvidia").mkdir()
    (tmp_path / "nvidia" / "version").write_text("580.95.05\n")
    assert stores._driver_text("cuda:0", tmp_path) == ", driver 580.95.05"
    assert stores._driver_text("hip:0", tmp_path) == stores._driver_text("cpu", tmp_path) == ""
