"""tessera tune: recorded problems are solved in other processes, whatever happens to these."""
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from places import BUILD, HERE, PACKAGES, child_environment

PROGRAM = os.path.join(HERE, "tune", "tuned_program.py")
TESSERA = os.path.join(BUILD, "bin", "tessera")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """recorded("add", "shaky") is the folder of a program that launched these, with the first configurations."""
    known = {}

    def record(*names):
        if names not in known:
            folder = tmp_path_factory.mktemp("recorded")
            done = subprocess.run([sys.executable, PROGRAM, *names], capture_output=True, text=True, timeout=300,
                                  env=child_environment({"TESSERA_RECORD": folder, "TESSERA_AUTOTUNE_CHOICE": "first"}))
            assert done.returncode == 0, done.stderr
            known[names] = folder
        return known[names]
    return record


@pytest.fixture
def tune(fresh_cache):
    """tune(folder, *options) runs `tessera tune --json`; returns what it printed as data, with `text` what it said."""
    def run(folder, *options, status=0, env=None):
        done = subprocess.run([sys.executable, "-m", "tessera.tune", os.path.join(folder, "kernels.toml"), "--devices", "cpu", "-j", "2", "--json",
                               *options], capture_output=True, text=True, timeout=300, env=child_environment(env))
        assert status is None or done.returncode == status, done.stdout + done.stderr
        found = json.loads(done.stdout) if done.stdout else {"results": []}
        return {**found, "text": done.stderr}
    return run


@contextlib.contextmanager
def started(folder, *options):
    """`tessera tune` in the background."""
    process = subprocess.Popen([sys.executable, "-m", "tessera.tune", os.path.join(folder, "kernels.toml"), "--devices", "cpu", "-j", "2", "--json",
                                *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=child_environment())
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def workers(process):
    """The processes that measure and compile; threads start them, so all tasks are asked."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{task}/children", encoding="ascii") as file:
                found += [int(each) for each in file.read().split()]
    return found


def results(cache):
    """All results of the store: {kernel: {configuration: result}}."""
    found = {}
    folder = os.path.join(cache, "autotune")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                content = json.load(file)
            found.setdefault(content["kernel"], {}).update(content["results"])
    return found


# ---- what comes out -------------------------------------------------------------------------------

def test_a_list_is_tuned_as_a_whole_and_autotune_takes_the_choice(recorded, tune, fresh_cache, python_process):
    found, = tune(recorded("add"))["results"]
    assert found["kernel"] == "add" and found["configs"] == found["trials"] == found["new"] == 6 and found["finished"]
    assert len(found["timings"]) == 6 and found["failed"] == [] and found["target"] == "cpu"
    assert found["ms"] <= found["first_ms"]
    # The program measures nothing: all timings are stored.
    said = python_process(PROGRAM, "add", env={"TRITON_PRINT_AUTOTUNING": "1"})
    assert f"add BLOCK: {found['best']['BLOCK']}," in said.stdout and "timed" not in said.stderr
    again, = tune(recorded("add"))["results"]
    assert again["new"] == 0 and again["best"] == found["best"]


def test_a_part_of_a_space_is_measured_and_equal_code_once(recorded, tune, fresh_cache, python_process):
    found, = tune(recorded("spread"))["results"]
    assert found["configs"] == 56 and found["trials"] <= 19 and found["finished"]
    stored = results(fresh_cache)["spread"]
    assert len(stored) == 56
    # Warps mean nothing on the CPU, so only one of two configurations that differ in them is measured.
    measured = [text for text, result in stored.items() if "ms" in result]
    assert len({text.replace("num_warps: 8", "num_warps: 4") for text in measured}) == len(measured)
    said = python_process(PROGRAM, "spread", env={"TRITON_PRINT_AUTOTUNING": "1"})
    assert f"BLOCK: {found['best']['BLOCK']}, REPEAT: {found['best']['REPEAT']}" in said.stdout
    assert len(results(fresh_cache)["spread"]) == 56 and results(fresh_cache)["spread"] == stored


def test_tuples_heuristics_and_integers_are_recorded(recorded, tune):
    folder = recorded("gather")
    name, = os.listdir(folder / "tuning")
    problem = json.loads((folder / "tuning" / name).read_text())
    assert [each["type"] for each in problem["memory"]] == ["fp32", "i32", "fp32"]  # both views are of one memory
    assert problem["values"][0] == {"tuple": [{"memory": 0, "offset": 0}, {"memory": 0, "offset": 4000}]}
    assert "data" in problem["memory"][1] and problem["values"][4] == {"float": (0.5).hex()}
    assert [row["grid"] for row in problem["configs"]] == [[63, 1, 1], [16, 1, 1]]
    assert [row["arguments"][-1] for row in problem["configs"]] == [{"constant": False}, {"constant": False}]
    found, = tune(folder)["results"]
    assert found["trials"] == 2 and found["failed"] == []


def test_recorded_integers_are_in_the_memory(recorded):
    numpy = pytest.importorskip("numpy")
    from tessera.tune.memory import Inputs
    from tessera.tune.problems import read
    (problem,), _ = read(recorded("gather"))
    inputs = Inputs(problem, "cpu")
    assert (numpy.frombuffer(inputs.memories[1].view, "int32") == numpy.arange(1000)[::-1]).all()
    values = numpy.frombuffer(inputs.memories[0].view, "float32")
    assert values.size == 2000 and 0.8 < values.std() < 1.2
    first, second = inputs.arguments(problem.rows[0])[0]
    assert second - first == 4000 and first % 256 == problem.data["memory"][0]["align"]


def test_what_the_program_must_do_itself_is_named(recorded, tune):
    found = tune(recorded("hooked"), status=1)
    assert "not tuned: hooked" in found["text"] and "hooks, which are Python functions of the program" in found["text"]


def test_inputs_of_a_function(recorded, tune, tmp_path):
    (tmp_path / "own.py").write_text("def fill(memories, problem):\n    memories[1][:4] = b'\\x01\\0\\0\\0'\n    open(problem['kernel'] + '.called', 'w').close()\n")
    tune(recorded("gather"), "--inputs", f"gather={tmp_path / 'own.py'}:fill", env={"PWD": str(tmp_path)})
    assert os.path.exists("gather.called")
    os.unlink("gather.called")


def test_the_choice_is_packed(recorded, tune, tmp_path, python_process):
    if not os.path.exists(TESSERA):
        pytest.skip("there is no command line in this build")
    folder = tmp_path / "recorded"
    subprocess.run(["cp", "-r", recorded("add"), folder], check=True)
    found, = tune(folder)["results"]
    pack = tmp_path / "add.tpack"
    subprocess.run([TESSERA, "pack", folder / "kernels.toml", "-o", pack], check=True, capture_output=True, env=child_environment())
    said = python_process(PROGRAM, "add", env={"TESSERA_PACK": pack, "TESSERA_ON_COMPILE": "error", "TRITON_CACHE_DIR": tmp_path / "none"})
    assert f"add BLOCK: {found['best']['BLOCK']}," in said.stdout


# ---- faulty configurations ------------------------------------------------------------------------

def test_faulty_configurations_are_named_and_remembered(recorded, tune, fresh_cache):
    found = tune(recorded("shaky"), "--limit", "4")
    result, = found["results"]
    reasons = {each["config"].split(",")[0]: each["reason"] for each in result["failed"]}
    assert set(reasons) == {"BLOCK: 64", "BLOCK: 128", "BLOCK: 256"}
    assert "SIGSEGV" in reasons["BLOCK: 64"] or "SIGBUS" in reasons["BLOCK: 64"]
    assert "did not finish within 4 s" in reasons["BLOCK: 128"]
    assert "power of two" in reasons["BLOCK: 256"]
    assert len(result["timings"]) == 2 and result["best"]["BLOCK"] in (16, 32)
    assert "left out: shaky" in found["text"]
    stored = {text.split(",")[0]: each for text, each in results(fresh_cache)["shaky"].items()}
    assert stored["BLOCK: 64"]["fault"] and stored["BLOCK: 128"]["fault"] and "fault" not in stored["BLOCK: 256"]
    again, = tune(recorded("shaky"))["results"]
    assert again["new"] == 0 and len(again["failed"]) == 3


# ---- processes that end ---------------------------------------------------------------------------

@pytest.mark.parametrize("seed", [1, 2])
def test_workers_killed_at_random_lose_nothing(recorded, fresh_cache, seed):
    chance = random.Random(seed)
    with started(recorded("add", "gather")) as process:
        killed, end = 0, time.monotonic() + 60
        while process.poll() is None and killed < 5 and time.monotonic() < end:
            time.sleep(chance.uniform(0.02, 0.3))
            alive = workers(process)
            if len(alive) >= 1:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(alive), signal.SIGKILL)
                    killed += 1
        told, said = process.communicate(timeout=200)
    assert process.returncode == 0 and killed, said
    found = {each["kernel"]: each for each in json.loads(told)["results"]}
    assert {name: (each["trials"], each["failed"], each["finished"]) for name, each in found.items()} == \
        {"add": (6, [], True), "gather": (2, [], True)}
    assert sum("ms" in each for each in results(fresh_cache)["add"].values()) == 6


def wait_for_results(cache, count):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = sum("ms" in each for kernel in results(cache).values() for each in kernel.values())
        if found >= count:
            return found
        time.sleep(0.02)
    raise AssertionError("nothing was measured")


def wait_until_gone(pids):
    end = time.monotonic() + 60
    while [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < end, "processes outlive the scheduler"
        time.sleep(0.02)


def is_alive(pid):
    """Returns whether a process runs: one that has ended and that nobody has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_is_continued(recorded, tune, fresh_cache, how):
    folder = recorded("add", "shaky")
    with started(folder) as process:  # shaky hangs long enough to be interrupted
        wait_for_results(fresh_cache, 3)
        alive = workers(process)
        process.send_signal(how)
        told, said = process.communicate(timeout=60)
    if how == signal.SIGINT:
        assert process.returncode == 130 and "the same command continues" in said
    wait_until_gone(alive)
    before = sum("ms" in each for each in results(fresh_cache)["add"].values())
    assert before >= 1
    found = tune(folder, "-k", "add")["results"][0]
    assert found["finished"] and found["trials"] == 6 and found["new"] == 6 - before


def test_a_budget_ends_a_run(recorded, tune):
    found = tune(recorded("shaky"), "--budget", "4s", status=None)  # one of its configurations hangs for longer
    result, = found["results"]
    assert not result["finished"] and "budget" in result["note"]
    assert "the same command continues" in found["text"]


# ---- what is said ---------------------------------------------------------------------------------

def test_the_table_and_the_plot(recorded, fresh_cache, tmp_path, python_process):
    said = python_process("-m", "tessera.tune", recorded("add", "spread"), "--devices", "cpu", "-j", "2", "--plot", tmp_path / "all.svg")
    lines = said.stdout.splitlines()
    head = next(line for line in lines if line.startswith("kernel "))
    assert head.split() == ["kernel", "key", "configuration", "time", "×", "first", "trials"]
    table = lines[lines.index(head):lines.index(head) + 3]
    assert all(len(line) <= 100 for line in table) and table[1].startswith("add ") and table[1].endswith(" 6/6")
    plot = (tmp_path / "all.svg").read_text()
    assert plot.startswith("<svg") and plot.count("<circle") >= 6 + 4
    import xml.dom.minidom
    xml.dom.minidom.parseString(plot)


@pytest.mark.parametrize("arguments, message", [
    (["nowhere/kernels.toml"], "there is no 'nowhere/kernels.toml'"),
    (["FOLDER", "--devices", "tpu"], "'tpu' is no device"),
    (["FOLDER", "-k", "nothing"], "has no problem of that name; it has add"),
    (["FOLDER", "--budget", "soon"], "'soon' is no time"),
    (["FOLDER", "--fraction", "2"], "'2' is no fraction"),
    (["FOLDER", "--inputs", "add"], "write KERNEL=MODULE:FUNCTION"),
])
def test_mistakes(recorded, python_process, arguments, message):
    folder = str(recorded("add"))
    said = python_process("-m", "tessera.tune", *[folder if each == "FOLDER" else each for each in arguments], status=None)
    assert said.returncode in (1, 2) and message in said.stderr and "Traceback" not in said.stderr


def test_without_torch_a_gpu_says_what_is_missing(recorded, python_process, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError")
    said = python_process("-m", "tessera.tune", str(recorded("add")), "--devices", "cuda:0", "--any-target", status=None,
                          env={"PYTHONPATH": os.pathsep.join([PACKAGES, str(tmp_path)])})
    assert said.returncode == 1 and "pip install torch" in said.stderr and "Traceback" not in said.stderr


def test_without_ray_the_option_says_what_is_missing(recorded, python_process):
    for option, package in (("--ray", "ray"), ("--slurm", "submitit")):
        code = f"import sys; sys.modules['{package}'] = None; from tessera.tune.__main__ import main; sys.exit(main(sys.argv[1:]))"
        said = python_process("-c", code, recorded("add"), option, status=1)
        assert f"needs the package '{package}'" in said.stderr and "Traceback" not in said.stderr


def test_a_recording_for_another_chip(recorded, tune, tmp_path):
    folder = tmp_path / "recorded"
    subprocess.run(["cp", "-r", recorded("add"), folder], check=True)
    name, = os.listdir(folder / "tuning")
    problem = json.loads((folder / "tuning" / name).read_text())
    (folder / "tuning" / name).write_text(json.dumps({**problem, "target": "cuda:90"}))
    assert "recorded for cuda:90, and here is cpu" in tune(folder, status=1)["text"]
    found, = tune(folder, "--any-target")["results"]
    assert found["target"] == "cpu" and found["trials"] == 6
