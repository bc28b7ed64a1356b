"""TTIR whose control flow is branches between blocks, as other frontends write it, on the CPU."""
import os

import numpy as np
import pytest

from launch import KERNELS, I32, launch, poison

FILE = os.path.join(KERNELS, "branches.ttir")


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_tensors_through_branches(tmp_path, rounds):
    x = np.arange(16, dtype=np.int32) * 3
    after = launch(tmp_path, "cpu", FILE, "transpose_and_add", "*i32,*i32,i32", grid=(1,),
                   arguments={"arg0": x, "arg1": poison(I32, 16), "arg2": rounds})
    expected = (x + np.arange(1, 17, dtype=np.int32)).reshape(4, 4)
    for _ in range(rounds):
        expected = expected.T + x.reshape(4, 4)
    assert (after["arg1"].reshape(4, 4) == expected).all()
