"""Dropout with a counter-based random number generator: no mask is stored.

Philox turns a seed and a counter into a random number, so `tl.rand(seed, offsets)` gives each element its
own number without any state, and a backward pass can make the same mask again from the seed alone.
Elements are zeroed with probability p; the others are scaled by 1 / (1 - p), which keeps the mean.

    tessera compile examples/dropout.py --kernel-name dropout_kernel \
        --signature "*fp32,*fp32,i32,fp32,i32,1024" --emit ttir -o -

    tessera run examples/dropout.py --kernel-name dropout_kernel --signature "*fp32,*fp32,i32,fp32,i32,1024" \
        --grid 8 --arg x_ptr=randn:8000 --arg output_ptr=zeros:8000 --arg n_elements=8000 --arg p=0.25 --arg seed=123 \
        --save output_ptr=out.npy

    python examples/dropout.py                       check with torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/dropout.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


# signature: *fp32,*fp32,i32,fp32,i32,1024
# signature: *fp16:16,*fp16:16,i64:16,fp32,i64,2048 --num-warps 8
@triton.jit
def dropout_kernel(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    # Uniform in [0, 1): p = 0 keeps every element.
    keep = tl.rand(seed, offsets) >= p
    output = tl.where(keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output.to(output_ptr.dtype.element_ty), mask=mask)


def dropout(x: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    output = torch.empty_like(x)
    n_elements = x.numel()
    dropout_kernel[(triton.cdiv(n_elements, 1024),)](x, output, n_elements, p, seed, BLOCK_SIZE=1024)
    return output


def philox(seed: int, counter: int) -> int:
    """The first of the four 32-bit words of Philox 4x32 with ten rounds (Salmon et al., 2011), in plain Python."""
    c, k = [counter & 0xFFFFFFFF, counter >> 32, 0, 0], [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(10):
        low, high = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [high >> 32 ^ c[1] ^ k[0], high & 0xFFFFFFFF, low >> 32 ^ c[3] ^ k[1], low & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return c[0]


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, p, seed = torch.randn(5003, device=device) + 5, 0.3, 123
    y = dropout(x, p, seed)
    dropped = (y == 0).cpu()
    # tl.rand folds a word's sign away and scales it to [0, 1).
    words = [philox(seed, i) for i in range(x.numel())]
    uniform = torch.tensor([min(word, 0xFFFFFFFF - word) * 4.6566127342e-10 for word in words])
    assert torch.equal(dropped, uniform < p), "the mask is not Philox's"
    assert torch.equal(y, dropout(x, p, seed)), "the same seed gave another mask"
    assert not torch.equal(y, dropout(x, p, seed + 1)), "another seed gave the same mask"
    assert torch.equal(x, dropout(x, 0.0, seed)), "p = 0 changed something"
    error = (y - torch.where(dropped.to(device), 0, x / (1 - p))).abs().max().item()
    print(f"{dropped.float().mean().item():.3f} of the elements dropped for p = {p}, by Philox's own numbers; "
          f"largest difference from torch: {error:.1e}")
    assert error < 1e-5
