"""Runs tasks in the actors of a Ray cluster: `tessera tune --ray`.

Each actor owns one process of worker.py and watches it (process.py), so that a crash or a hang of a configuration ends that process
and not the actor, and is told as on one machine. Timing actors ask for one GPU each, and tell its chip when they start; with
`--devices cpu` there is one on each node. Compiling actors ask for one CPU each, anywhere in the cluster: their kernels travel with
the requests. Kernels for the CPU are compiled where they are measured, because they are for that machine's processor.

An actor that ends, with its node or by itself, is started again; its task is given out again.
"""
from __future__ import annotations

import os
import sys

from .local import Slot
from .process import PACKAGE, START_SECONDS, Unavailable, WorkerProcess


class Supervisor:
    """The actor."""

    def __init__(self, device, expected=None):
        self.worker, self.expected = WorkerProcess(device), expected

    def start(self):
        facts = self.worker.start()
        if self.expected is not None and any(facts.get(name) != value for name, value in self.expected.items()):
            raise Unavailable(f"this is a {facts.get('device')}, and not the {self.expected['device']} that was here before")
        return {**facts, "supervisor": os.getpid()}

    def ask(self, request, seconds):
        if self.expected is not None:
            self.start()
        return self.worker.ask(request, seconds)

    def where(self):
        import socket
        return socket.gethostname()


class RayExecutor:
    carries_binaries = True

    def __init__(self, address, devices, compilers):
        try:
            import ray
        except ImportError:
            raise Unavailable(f"--ray needs the package 'ray' in {sys.executable}: pip install 'ray[default]'") from None
        self.ray, self.compilers = ray, compilers
        self.kind = devices[0].partition(":")[0] if devices else None
        self.address = None if address == "auto" else address
        self.actors, self.slots, self.running = [], [], {}  # {reference: (token, slot)}

    def start(self):
        ray = self.ray
        environment = {"PYTHONPATH": os.pathsep.join(dict.fromkeys([PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]))}
        for name in ("TRITON_CACHE_DIR", "TESSERA_CACHE_DIR", "TESSERA_CACHE_REMOTE"):
            if name in os.environ:
                environment[name] = os.environ[name]
        if not ray.is_initialized():
            try:
                ray.init(address=self.address or os.environ.get("RAY_ADDRESS"), runtime_env={"env_vars": environment}, log_to_driver=False,
                         logging_level="error", include_dashboard=False if self.address is None and "RAY_ADDRESS" not in os.environ else None)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise Unavailable(f"Ray at '{self.address}' cannot be reached: {str(error).splitlines()[0]}") from None
        self._make_timers()
        total = int(ray.cluster_resources().get("CPU", 1))
        for _ in range(self.compilers or max(1, total - len(self.actors))):
            self._add("compile", dict(num_cpus=1, scheduling_strategy="SPREAD"))
        found = [actor.start.remote() for actor in self.actors]
        try:
            for slot, facts in zip(self.slots, ray.get(found, timeout=2 * START_SECONDS)):
                if slot.where != "compile":
                    slot.device, slot.target, slot.tools = facts["device"], facts["target"], facts["tools"]
        except Exception as error:
            self.stop()
            raise Unavailable(f"Ray's actors do not start: {type(error).__name__}: {str(error).strip().splitlines()[-1][:200]}") from None
        return self.slots

    def _make_timers(self):
        """One actor for each GPU, or for each node's CPU."""
        gpus = int(self.ray.cluster_resources().get("GPU", 0)) if self.kind != "cpu" else 0
        for _ in range(gpus):
            self._add("cuda:0", dict(num_gpus=1, num_cpus=0))
        if gpus:
            return
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
        for node in self.ray.nodes():
            if node["Alive"] and node["Resources"].get("CPU"):
                self._add("cpu", dict(num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=True)))

    def _add(self, device, resources):
        slot = Slot(len(self.slots), where=device)
        slot.resources = resources
        self.slots.append(slot)
        self.actors.append(self._new_actor(slot))

    def _new_actor(self, slot):
        expected = {"device": slot.device, "target": slot.target} if slot.is_device else None
        return self.ray.remote(Supervisor).options(max_restarts=0, max_task_retries=0, **slot.resources).remote(slot.where, expected)

    def submit(self, slot, token, request, seconds):
        self.running[self.actors[slot.number].ask.remote(request, seconds)] = token, slot, seconds

    def outcomes(self, seconds):
        if not self.running:
            import time
            time.sleep(min(seconds, 0.05))
            return []
        done, _ = self.ray.wait(list(self.running), num_returns=1, timeout=seconds)
        found = []
        for reference in done:
            token, slot, _ = self.running.pop(reference)
            try:
                found.append((token, self.ray.get(reference)))
            except Exception as error:  # the actor has ended, or its node
                self.actors[slot.number] = self._new_actor(slot)
                found.append((token, {"ok": False, "death": "killed", "reason": f"Ray's actor ended: {str(error).strip().splitlines()[0][:160]}"}))
        return found

    def stop(self):
        for actor in self.actors:
            try:
                self.ray.kill(actor)
            except Exception:
                pass
        self.ray.shutdown()
