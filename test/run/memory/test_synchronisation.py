"""Programs that hand data to each other: locks, semaphores, split-K, stream-K, grid barriers, with thousands of programs.

What orders their plain loads and stores is the `sem` of their atomics, whether or not an atomic's result is used. A GPU
with many processors tells whether the order holds; the CPU and the emulator run the same kernels, with fewer programs.
"""
import os

import numpy as np
import pytest

import features
from launch import KERNELS

SOURCE = os.path.join(KERNELS, "synchronisation.py")


def programs_for(device, on_gpu):
    """The emulator takes programs one after the other, and long."""
    return {"cpu": min(on_gpu, 500), "emulated": min(on_gpu, 20)}.get(device, on_gpu)


def integers(shape, seed, dtype=np.float32):
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)


# A lock that is taken without acquiring still finds what the last owner left: giving it back, by default, acquires.
@pytest.mark.parametrize("take,give", [("acquire", "release"), ("acquire", "acq_rel"), ("acq_rel", "acq_rel"),
                                       ("acq_rel", "release"), ("relaxed", "acq_rel"), ("release", "acq_rel")])
@pytest.mark.parametrize("warps", [1, 4])
def test_lock(run, device, take, give, warps):
    programs = programs_for(device, 4000)
    after = run(SOURCE, "count_under_lock", f"*i32,*i32,*i32,\"{take}\",\"{give}\",256", (programs,),
                {"lock_ptr": np.zeros(1, np.int32), "count_ptr": np.zeros(1, np.int32), "sums_ptr": np.zeros(256, np.int32)},
                options=f"num-warps={warps}")
    assert after["count_ptr"][0] == programs and after["lock_ptr"][0] == 0
    assert (after["sums_ptr"] == np.arange(256) * programs).all()


def test_groups_that_accumulate(run, device):
    programs, groups, block = programs_for(device, 6000), 8, 256
    x = integers((programs, block), 1)
    after = run(SOURCE, "accumulate_in_groups", f"*fp32,*fp32,*i32,*i32,{groups},{block}", (programs,),
                {"x_ptr": x, "sums_ptr": np.zeros((groups, block), np.float32), "locks_ptr": np.zeros(groups, np.int32),
                 "counts_ptr": np.zeros(groups, np.int32)})
    assert (after["sums_ptr"] == np.stack([x[g::groups].sum(0) for g in range(groups)])).all()


@pytest.mark.parametrize("permits", [1, 5])
def test_semaphore(run, device, permits):
    programs = programs_for(device, 3000)
    after = run(SOURCE, "semaphore", "*i32,*i32,*i32,*i32,64", (programs,),
                {"permits_ptr": np.array([permits], np.int32), "inside_ptr": np.zeros(1, np.int32), "most_ptr": np.zeros(1, np.int32),
                 "slots_ptr": np.zeros(64, np.int32)})
    assert after["permits_ptr"][0] == permits and after["inside_ptr"][0] == 0 and 1 <= after["most_ptr"][0] <= permits
    assert (after["slots_ptr"] == programs).all()


@pytest.mark.parametrize("warps", [1, 4, 8])
def test_split_k(run, device, warps):
    tiles, splits, block = programs_for(device, 600), 7, 512
    x = integers((tiles, splits, block), 2)
    after = run(SOURCE, "split_k", f"*fp32:16,*fp32:16,*fp32:16,*i32,{splits},{block}", (tiles, splits),
                {"x_ptr": x, "partial_ptr": np.full_like(x, np.nan), "out_ptr": np.zeros((tiles, block), np.float32),
                 "arrived_ptr": np.zeros(tiles, np.int32)}, options=f"num-warps={warps}")
    assert (after["out_ptr"] == 2 * x.sum(1)).all() and not after["arrived_ptr"].any()


@pytest.mark.parametrize("give", ["release", "acq_rel"])
@pytest.mark.parametrize("depth,each", [(7, 4), (4, 7), (12, 5)])
def test_stream_k(run, device, depth, each, give):
    tiles, block = each * (programs_for(device, 3000) // depth + 1), 256
    programs = tiles * depth // each
    x = integers((tiles * depth, block), 3)
    after = run(SOURCE, "stream_k", f"*fp32:16,*fp32:16,*i32,*fp32:16,{depth},{each},\"{give}\",{block}", (programs,),
                {"x_ptr": x, "partial_ptr": np.full((programs, block), np.nan, np.float32), "flags_ptr": np.zeros(programs, np.int32),
                 "out_ptr": np.zeros((tiles, block), np.float32)})
    assert (after["out_ptr"] == x.reshape(tiles, depth, block).sum(1)).all()


def test_message(run, device):
    pairs = programs_for(device, 2000)
    after = run(SOURCE, "message", "*i32,*i32,*i32,128", (2 * pairs,),
                {"data_ptr": np.zeros((pairs, 128), np.int32), "flag_ptr": np.zeros(pairs, np.int32), "out_ptr": np.zeros((pairs, 128), np.int32)})
    assert (after["out_ptr"] == np.arange(128) + np.arange(pairs)[:, None]).all()


@pytest.mark.parametrize("warps", [1, 4])
def test_grid_barrier(run, device, warps):
    """All programs must run at the same time: 256 of them do on any GPU."""
    if device != "cuda:0" or not features.has_gpu():
        pytest.skip("all programs must run at the same time: it needs a GPU")
    programs, rounds, block = 256, 100, 128
    x = np.zeros((rounds + 1, programs, block), np.int32)
    x[0] = np.random.default_rng(4).integers(0, 1000, (programs, block))
    expected = x.copy()
    for round in range(rounds):
        expected[round + 1] = expected[round] + np.roll(expected[round], -1, 0) % 1000
    after = run(SOURCE, "rounds_of_grid", f"*i32,*i32,i32,{block}", (programs,),
                {"x_ptr": x, "arrived_ptr": np.zeros(1, np.int32), "rounds": rounds}, options=f"num-warps={warps}")
    assert (after["x_ptr"] == expected).all()
