"""The gradients of the operators that have one, against numeric differences (torch.autograd.gradcheck), for every version."""
import os
import sys

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import operators as lab  # noqa: E402
from test_operators import tessera_as_triton  # noqa: E402, F401


def tensor(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + sum(shape))).requires_grad_()


# operator: (what it is called with, the arguments that are differentiated)
CALLS = {
    "add": [(lambda f, x, y: f(x, y, alpha=0.3), (tensor(3, 4), tensor(4, seed=1))), (lambda f, x: f(x, 2.5), (tensor(5),))],
    "softmax": [(lambda f, x: f(x, -1), (tensor(3, 5),)), (lambda f, x: f(x, 1), (tensor(2, 3, 4),))],
    "layer_norm": [(lambda f, x, w, b: f(x, (5,), w, b), (tensor(3, 5), tensor(5, seed=1), tensor(5, seed=2))), (lambda f, x: f(x, (2, 3)), (tensor(4, 2, 3),))],
    "rms_norm": [(lambda f, x, w: f(x, (5,), w, 1e-5), (tensor(3, 5), tensor(5, seed=1))), (lambda f, x: f(x, 6, None, 1e-5), (tensor(4, 6),))],
    "cross_entropy": [(lambda f, x: f(x, torch.tensor([1, 4, -100]), label_smoothing=0.1), (tensor(3, 6),)),
                      (lambda f, x: f(x, torch.tensor([[1, 0], [3, 2]]), torch.linspace(0.5, 1, 4, dtype=torch.float64), reduction="none"), (tensor(2, 4, 2),))],
    "mha": [(lambda f, q, k, v: f(q, k, v, is_causal=True), (tensor(1, 1, 4, 3), tensor(1, 1, 4, 3, seed=1), tensor(1, 1, 4, 2, seed=2))),
            (lambda f, q, k, v: f(q, k, v, enable_gqa=True, scale=0.7), (tensor(1, 2, 2, 3), tensor(1, 1, 3, 3, seed=1), tensor(1, 1, 3, 3, seed=2)))],
}


@pytest.mark.parametrize("version", lab.VERSIONS)
@pytest.mark.parametrize("operator", CALLS)
def test_gradient_agrees_with_differences(operator, version):
    function = getattr(lab.load(operator, version), f"triton_{operator}")
    for call, inputs in CALLS[operator]:
        assert torch.autograd.gradcheck(lambda *given: call(function, *given), inputs, eps=1e-6, atol=1e-5)


def test_every_gradient_is_listed():
    with_gradient = [name for name in lab.operators() if getattr(lab.load(name, "reference"), "backward", False)]
    assert sorted(with_gradient) == sorted([*CALLS, "dropout"])


@pytest.mark.parametrize("version", lab.VERSIONS)
def test_gradient_of_dropout_has_its_mask(version):
    function = lab.load("dropout", version).triton_dropout
    x = torch.ones(1000, requires_grad=True)
    y = function(x, 0.25, seed=5)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())
