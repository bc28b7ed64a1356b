"""Whether two arrays agree: assert_close."""
from __future__ import annotations

import sys


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless |x - y| <= atol + rtol * |y| everywhere; NaNs equal NaNs.

    x and y are torch tensors, NumPy arrays, lists or numbers. atol is 1e-2 and rtol 0 unless given; either may be a function of
    x's dtype (torch's, where torch is loaded). Needs NumPy."""
    import numpy
    dtype = _dtype_for_tolerances(numpy, x)
    tolerances = {"atol": 1e-2 if atol is None else atol, "rtol": 0.0 if rtol is None else rtol}
    tolerances = {name: value(dtype) if callable(value) else value for name, value in tolerances.items()}
    x, y = _as_array(numpy, x), _as_array(numpy, y)
    if x.size > 1 or y.size > 1:
        numpy.testing.assert_allclose(x, y, equal_nan=True, err_msg=err_msg, **tolerances)
    elif not numpy.allclose(x, y, equal_nan=True, **tolerances):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={tolerances['atol']}, rtol={tolerances['rtol']})".lstrip())


def _as_array(numpy, value):
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return numpy.asarray(value)
    value = value.detach().cpu()
    if value.dtype == torch.bfloat16 or "float8" in str(value.dtype):  # NumPy knows neither
        value = value.float()
    return value.numpy()


def _dtype_for_tolerances(numpy, value):
    torch = sys.modules.get("torch")
    if torch is None:
        return numpy.asarray(value).dtype
    return value.dtype if isinstance(value, torch.Tensor) else torch.tensor(value).dtype
