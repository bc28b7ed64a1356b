"""What all versions of matmul do with their arguments, and the bias and the activation as a kernel of their own (v1 to v3)."""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, require_floating, require_same_device

ACTIVATIONS = {None: 0, "relu": 1, "gelu": 2, "silu": 3}


def check(input, other, bias, activation):
    if not isinstance(input, torch.Tensor) or not isinstance(other, torch.Tensor):
        raise TypeError("matmul: input and other must be tensors")
    require_floating("matmul", input=input, other=other, bias=bias)
    require_same_device("matmul", input=input, other=other, bias=bias)
    if input.dtype != other.dtype or (bias is not None and bias.dtype != input.dtype):
        raise TypeError("matmul: input, other and bias must have one type, got "
                        + ", ".join(str(t.dtype) for t in (input, other, bias) if t is not None))
    if activation not in ACTIVATIONS:
        raise ValueError(f"matmul: activation must be None, 'relu', 'gelu' or 'silu', got {activation!r}")
    if input.dim() == 0 or other.dim() == 0:
        raise ValueError("matmul: both arguments need at least one dimension")
    inner = other.shape[-2] if other.dim() > 1 else other.shape[0]
    if input.shape[-1] != inner:
        raise ValueError(f"matmul: the inner sizes differ: {list(input.shape)} times {list(other.shape)}")
    columns = other.shape[-1] if other.dim() > 1 else 1
    if bias is not None and tuple(bias.shape) != (columns,):
        raise ValueError(f"matmul: bias must have the shape [{columns}], got {list(bias.shape)}")


def prepare(input, other, bias, activation):
    """Returns (a, b, bias, code of the activation, shape of the result) with a [batch, M, K] and b [batch, K, N]."""
    check(input, other, bias, activation)
    a = input[None] if input.dim() == 1 else input
    b = other[:, None] if other.dim() == 1 else other
    if b.dim() == 2:  # the batch becomes rows
        lead = a.shape[:-1]
        a, b = a.reshape(1, torch.Size(lead).numel(), a.shape[-1]), b[None]
    else:
        batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        lead = (*batch, a.shape[-2])
        count = torch.Size(batch).numel()
        a, b = (x.expand(*batch, *x.shape[-2:]).reshape(count, *x.shape[-2:]) for x in (a, b))
    shape = list(lead) + [b.shape[-1]]
    if other.dim() == 1:
        shape.pop()
    if input.dim() == 1:
        shape.pop(-1 if other.dim() == 1 else -2)
    return a, b, None if bias is None else bias.contiguous(), ACTIVATIONS[activation], shape


def precision(dtype):
    """fp32 is exact unless torch allows tf32 for products."""
    return "tf32" if dtype == torch.float32 and torch.backends.cuda.matmul.allow_tf32 else "ieee"


@triton.jit
def finish_kernel(c_ptr, bias_ptr, n, n_cols, HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """Adds the bias and applies the activation, in place."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(c_ptr + at, mask=at < n, other=0.0).to(COMPUTE)
    if HAS_BIAS:
        x += tl.load(bias_ptr + at % n_cols, mask=at < n, other=0.0).to(COMPUTE)
    if ACTIVATION == 1:
        x = tl.where(x < 0, 0.0, x)
    if ACTIVATION == 2:
        x = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    if ACTIVATION == 3:
        x = x / (1 + tl.exp(-x))
    tl.store(c_ptr + at, x.to(c_ptr.dtype.element_ty), mask=at < n)


def finish(c, bias, activation):
    """The steps after a product that is in memory already."""
    if (bias is not None or activation) and c.numel():
        finish_kernel[(triton.cdiv(c.numel(), 1024),)](c, c if bias is None else bias, c.numel(), c.shape[-1], HAS_BIAS=bias is not None,
                                                      ACTIVATION=activation, COMPUTE=accumulator(c.dtype), BLOCK=1024)
    return c
