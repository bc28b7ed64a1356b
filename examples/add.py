"""Vector addition: the kernel everybody starts from.

    tessera run examples/add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,1024" \
        --grid 96 --arg x_ptr=randn:98304 --arg y_ptr=randn:98304 --arg output_ptr=zeros:98304 \
        --arg n_elements=98304 --save output_ptr=out.npy
"""
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # Each program adds one block of BLOCK_SIZE consecutive elements.
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    # The last block may reach past the end.
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    output = x + y
    tl.store(output_ptr + offsets, output, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(x)
    n_elements = output.numel()
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=1024)
    return output


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = torch.rand(2, 98432, device=device)
    print(f"largest difference from torch: {(add(x, y) - (x + y)).abs().max().item()}")
