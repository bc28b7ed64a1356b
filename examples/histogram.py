"""Counting how often each value occurs, with atomic additions: programs share the counters.

    atomic_histogram_kernel   every element adds 1 to its counter. Simple; but where many elements fall into
                              one bin, they wait for each other.
    block_histogram_kernel    a program counts its own block first (`tl.histogram`) and adds each bin's count
                              once: at most NUM_BINS additions a block.

Values outside of [0, NUM_BINS) are not counted. The counters must be zero at the start.

    tessera compile examples/histogram.py --kernel-name block_histogram_kernel \
        --signature "*i32,*i32,i32,256,1024" --emit ttir -o -

    python examples/histogram.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/histogram.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


# signature: *i32,*i32,i32,256,1024
# signature: *i64:16,*i32:16,i32:16,100,512
@triton.jit
def atomic_histogram_kernel(x_ptr, counts_ptr, n_elements, NUM_BINS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < n_elements, other=-1)
    # Nobody reads a counter before the launch is over, so the additions need no order among themselves.
    tl.atomic_add(counts_ptr + x, 1, mask=(x >= 0) & (x < NUM_BINS), sem="relaxed")


# signature: *i32,*i32,i32,256,1024
# signature: *i32:16,*i32:16,i32:16,64,4096 --num-warps 8
@triton.jit
def block_histogram_kernel(x_ptr, counts_ptr, n_elements, NUM_BINS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < n_elements, other=-1)
    counts = tl.histogram(x, NUM_BINS, mask=(x >= 0) & (x < NUM_BINS))
    tl.atomic_add(counts_ptr + tl.arange(0, NUM_BINS), counts, mask=counts > 0, sem="relaxed")


def histogram(kernel, x: torch.Tensor, bins: int, block: int = 1024) -> torch.Tensor:
    counts = torch.zeros(bins, dtype=torch.int32, device=x.device)
    kernel[(triton.cdiv(x.numel(), block),)](x, counts, x.numel(), NUM_BINS=bins, BLOCK_SIZE=block)
    return counts


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for size in (1, 97, 10007):
        for bins in (16, 256):
            # Half of the elements are 3; some lie outside.
            x = torch.randint(-5, bins + 5, (size,), dtype=torch.int32, device=device)
            x = torch.where(torch.rand(size, device=device) < 0.5, 3, x).int()
            expected = torch.bincount(x[(x >= 0) & (x < bins)], minlength=bins)
            for kernel, name in ((atomic_histogram_kernel, "atomic"), (block_histogram_kernel, "block")):
                assert torch.equal(histogram(kernel, x, bins), expected.int()), (name, size, bins)
        print(f"{size} elements: both histograms equal torch's")
