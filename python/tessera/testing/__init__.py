"""Measuring and checking kernels: do_bench, perf_report, assert_close and what belongs to them.

    ms = tessera.testing.do_bench(lambda: kernel[grid](x, y, out, n))
    tessera.testing.assert_close(out, x + y, atol=1e-3)

torch, NumPy, pandas and matplotlib are imported by the functions that need them, and only if they are there; see each function
for what it does without.
"""
from .bench import _quantile, _summarize_statistics, do_bench, do_bench_cudagraph  # noqa: F401
from .comparison import assert_close  # noqa: F401
from .gpu_limits import get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops, nvsmi, set_gpu_clock  # noqa: F401
from .memcheck import cuda_memcheck  # noqa: F401
from .report import Benchmark, Mark, perf_report  # noqa: F401
