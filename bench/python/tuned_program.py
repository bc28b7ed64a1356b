"""An autotuned kernel, for bench/python/cold_start: a copy with a factor. Prints the configuration that ran."""
import json
import sys

import torch
import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": block}, num_warps=warps) for block in (128, 1024, 4096) for warps in (4, 8)]


@triton.autotune(CONFIGS, key=["n"])
@triton.jit
def scale_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 3, mask=i < n)


n = 1 << 22
x = torch.randn(n, device=sys.argv[1])
y = torch.empty_like(x)
scale_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, n)
assert torch.equal(y, x * 3)
print(json.dumps({"choice": str(scale_kernel.best_config)}))
