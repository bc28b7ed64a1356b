"""Runs tasks in processes of this machine: one for each device, pinned to it, and some that compile.

An executor is what schedule.py needs of the machines that it runs on:

    executor.start()                            [Slot]: places where one task runs at a time
    executor.submit(slot, token, request, 60)   runs a request of worker.py there
    executor.outcomes(0.2)                      [(token, answer)] of tasks that have ended, as process.py describes answers
    executor.stop()                             ends all that is running
    executor.carries_binaries                   whether compiled kernels travel with the requests, for want of a shared cache folder
"""
from __future__ import annotations

import os
import queue
import threading

from .process import Unavailable, WorkerProcess


class Slot:
    """A place where one task runs at a time. `device`, `target` and `tools` are those of a device, and "" where kernels are only compiled."""

    def __init__(self, number, device="", target="", tools="", where=""):
        self.number, self.device, self.target, self.tools, self.where = number, device, target, tools, where

    @property
    def is_device(self):
        return bool(self.device)


class LocalExecutor:
    carries_binaries = False

    def __init__(self, devices, compilers):
        """`devices` are those of devices_here(); `compilers` is the number of processes that compile."""
        self.workers = [WorkerProcess(*pinned(device)) for device in devices] + [WorkerProcess("compile", _WITHOUT_GPU) for _ in range(compilers)]
        self.devices, self.done = devices, queue.SimpleQueue()
        self.waiting = [queue.SimpleQueue() for _ in self.workers]

    def start(self):
        slots = []
        try:
            for number, worker in enumerate(self.workers):
                facts = worker.start() if number < len(self.devices) else {}
                slots.append(Slot(number, facts.get("device", ""), facts.get("target", ""), facts.get("tools", ""),
                                  self.devices[number] if facts else ""))
        except (Unavailable, KeyboardInterrupt):
            self.stop()
            raise
        for number in range(len(self.workers)):
            threading.Thread(target=self._serve, args=(number,), daemon=True, name=f"tessera-tune-{number}").start()
        return slots

    def _serve(self, number):
        while True:
            task = self.waiting[number].get()
            if task is None:
                return
            token, request, seconds = task
            try:
                answer = self.workers[number].ask(request, seconds)
            except Exception as problem:
                answer = {"ok": False, "death": "killed", "reason": f"{type(problem).__name__}: {problem}"}
            self.done.put((token, answer))

    def submit(self, slot, token, request, seconds):
        self.waiting[slot.number].put((token, request, seconds))

    def outcomes(self, seconds):
        try:
            found = [self.done.get(timeout=seconds)]
        except queue.Empty:
            return []
        while not self.done.empty():
            found.append(self.done.get())
        return found

    def stop(self):
        for waiting in self.waiting:
            waiting.put(None)
        for worker in self.workers:
            worker.kill()


_WITHOUT_GPU = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": ""}


def pinned(device):
    """(the device as its process sees it, the environment that shows it no other)"""
    kind, _, number = device.partition(":")
    if kind == "cpu":
        return "cpu", _WITHOUT_GPU
    shown = [each for each in _visible(kind) or () if each]
    name = shown[int(number)] if shown and int(number or 0) < len(shown) else number or "0"
    return f"{'cuda' if kind == 'hip' else kind}:0", {"CUDA_VISIBLE_DEVICES" if kind == "cuda" else "HIP_VISIBLE_DEVICES": name}


def _visible(kind):
    """The devices that this process may use, as the environment lists them; None if it does not."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES" if kind == "cuda" else "HIP_VISIBLE_DEVICES")
    return None if listed is None else [each.strip() for each in listed.split(",")]


def devices_here():
    """The GPUs of this machine as "cuda:N" or "hip:N", without asking their drivers; ["cpu"] if there are none."""
    for kind, count in (("cuda", _count("/proc/driver/nvidia/gpus")), ("hip", _amd_gpus())):
        listed = _visible(kind)
        count = count if listed is None else min(count, len([each for each in listed if each]))
        if count:
            return [f"{kind}:{number}" for number in range(count)]
    return ["cpu"]


def _count(folder):
    try:
        return len(os.listdir(folder))
    except OSError:
        return 0


def _amd_gpus():
    """The nodes of the kernel driver's topology that are GPUs: those with SIMDs."""
    folder, found = "/sys/class/kfd/kfd/topology/nodes", 0
    for node in range(_count(folder)):
        try:
            with open(f"{folder}/{node}/gpu_id", encoding="ascii") as file:
                found += file.read().strip() not in ("", "0")
        except OSError:
            continue
    return found


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
