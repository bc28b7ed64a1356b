"""tessera tune with a real Ray, and with submitit, which need packages that Debian does not have.

    TESSERA_TEST_CLUSTER=make scripts/test python -k tune_cluster        makes a virtual environment, with pip and the network
    TESSERA_TEST_CLUSTER=/path/to/python ...                             a Python that has ray and submitit

The CPU is the device.
"""
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from places import HERE, child_environment

PROGRAM = os.path.join(HERE, "tune", "tuned_program.py")


@pytest.fixture(scope="module")
def cluster_python(tmp_path_factory):
    """A Python that has ray and submitit."""
    asked = os.environ.get("TESSERA_TEST_CLUSTER", "")
    if not asked:
        pytest.skip("TESSERA_TEST_CLUSTER names no Python with ray and submitit; 'make' makes one, with pip and the network")
    if asked != "make":
        return asked
    folder = tmp_path_factory.mktemp("cluster")
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], capture_output=True, text=True)
    python = str(folder / "bin" / "python")
    done = subprocess.run([python, "-m", "pip", "install", "-q", "ray", "submitit"], capture_output=True, text=True) if made.returncode == 0 else made
    if done.returncode:
        pytest.skip(f"ray and submitit cannot be installed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
    return python


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    done = subprocess.run([sys.executable, PROGRAM, "add", "gather", "shaky", "spread"], capture_output=True, text=True, timeout=300,
                          env=child_environment({"TESSERA_RECORD": folder, "TESSERA_AUTOTUNE_CHOICE": "first"}))
    assert done.returncode == 0, done.stderr
    return folder


@contextlib.contextmanager
def started(python, folder, *options):
    process = subprocess.Popen([python, "-m", "tessera.tune", os.path.join(folder, "kernels.toml"), "--json", *options], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=child_environment({"RAY_ADDRESS": None}), start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def finished(process):
    told, said = process.communicate(timeout=400)
    assert process.returncode == 0, said
    return {each["kernel"]: each for each in json.loads(told)["results"]}


def processes(word, session):
    """The processes of a session whose command has a word."""
    found = []
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{int(name)}/cmdline", "rb") as file:
                command = file.read().decode("utf-8", "replace")
            with open(f"/proc/{name}/environ", "rb") as file:
                ours = f"TRITON_CACHE_DIR={session}".encode() in file.read()
            if ours and word in command:
                found.append(int(name))
    return found


def check_all(found):
    assert {name: (each["trials"], len(each["failed"]), each["finished"]) for name, each in found.items() if name != "spread"} == \
        {"add": (6, 0, True), "gather": (2, 0, True), "shaky": (5, 3, True)}
    assert found["spread"]["finished"] and found["spread"]["trials"] <= 11
    reasons = " ".join(each["reason"] for each in found["shaky"]["failed"])
    assert ("SIGSEGV" in reasons or "SIGBUS" in reasons) and "did not finish within 5 s" in reasons and "power of two" in reasons


def test_ray_tunes_what_the_local_pool_does(cluster_python, recorded, fresh_cache):
    with started(cluster_python, recorded, "--ray", "--devices", "cpu", "--limit", "5") as process:
        check_all(finished(process))


def test_actors_and_workers_of_ray_killed_at_random_lose_nothing(cluster_python, recorded, fresh_cache):
    chance, killed = random.Random(3), []
    with started(cluster_python, recorded, "--ray", "--devices", "cpu", "-k", "d", "--limit", "30") as process:  # add, spread
        end = time.monotonic() + 120
        while process.poll() is None and len(killed) < 4 and time.monotonic() < end:
            time.sleep(chance.uniform(0.05, 0.4))
            alive = processes(("tessera.tune.worker", "ray::Supervisor")[len(killed) % 2], fresh_cache)
            if len(alive) >= 2:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chance.choice(alive), signal.SIGKILL)
                    killed.append(time.monotonic())
        found = finished(process)
    assert killed and found["add"]["trials"] == 6 and found["add"]["failed"] == [] and found["add"]["finished"]
    assert found["spread"]["failed"] == [] and found["spread"]["finished"]


def test_ray_with_an_address_that_does_not_answer(cluster_python, recorded, fresh_cache):
    done = subprocess.run([cluster_python, "-m", "tessera.tune", recorded, "--ray", "nonsense://here"], capture_output=True, text=True, timeout=200,
                          env=child_environment({"RAY_ADDRESS": None}))
    assert done.returncode == 1 and "cannot be reached" in done.stderr and "Traceback" not in done.stderr


def test_jobs_of_submitit(cluster_python, recorded, fresh_cache, tmp_path):
    with started(cluster_python, recorded, "--slurm", f"cluster=local,folder={tmp_path / 'jobs'}", "--limit", "5") as process:
        check_all(finished(process))
