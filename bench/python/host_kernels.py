"""The kernels of bench/python/host, which reads this file once for each compiler."""
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n), at < n)


@triton.jit
def scalars(x, flag, factor, count, nothing):
    pass


@triton.jit
def nested(pair, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(pair[0] + at, at < n), at < n)


@triton.jit
def tiles(desc, BLOCK: tl.constexpr):
    desc.store([0, 0], desc.load([0, 0]))


CONFIGS = [triton.Config({"BLOCK": 64}, num_warps=4), triton.Config({"BLOCK": 128}, num_warps=8)]


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def tuned(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n), at < n)


@triton.heuristics({"BLOCK": lambda arguments: 64})
@triton.jit
def ruled(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, at < n), at < n)


@triton.jit
def softmax_rows(out, x, out_stride, x_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * x_stride + at, at < columns, other=-float("inf"))
        raised = tl.exp(values - tl.max(values, 0))
        tl.store(out + row * out_stride + at, raised / tl.sum(raised, 0), at < columns)


class Softmax:
    """A function that asks the compiled kernel for its registers at each call, to launch as many programs as fit the GPU."""

    def __init__(self, device):
        limits = triton.runtime.driver.active.utils.get_device_properties(device)
        self.processors, self.registers = limits["multiprocessor_count"], limits["max_num_regs"]
        self.shared = limits["max_shared_mem"]

    def __call__(self, x, out):
        rows, columns = x.shape
        block, warps, stages = triton.next_power_of_2(columns), 8, 4 if self.shared > 200_000 else 2
        kernel = softmax_rows.warmup(out, x, out.stride(0), x.stride(0), rows, columns, BLOCK=block, STAGES=stages,
                                     num_warps=warps, grid=(1, ))
        kernel._init_handles()
        fitting = self.registers // (kernel.n_regs * 32 * warps)
        fitting = max(min(fitting, self.shared // max(kernel.metadata.shared, 1)), 1)
        programs = min(self.processors * fitting, rows)
        kernel[(programs, 1, 1)](out, x, out.stride(0), x.stride(0), rows, columns, block, stages)
        return out
