"""What bench/python/run measures in processes of their own. Prints one line of JSON.

    python child.py COMPILER WHAT DEVICE        COMPILER: tessera | triton     DEVICE: cuda | cpu | none
    WHAT: import   the time of importing the compiler
          first    importing it, then the first call of the add kernel to its result
          hit      the add kernel from the disk: from a new jit function to the compiled kernel
          hit-large    the same for attention
          tune     the first call of the f16 product with eight configurations to its result

With DEVICE none nothing is launched: `first` and `tune` then compile for sm_90, each compiler as its own launches would (Triton
one configuration after the other, Tessera on all cores). torch, or NumPy, is imported beforehand and not counted, and so is the
creation of the GPU's context.
"""
import concurrent.futures
import importlib
import importlib.util
import json
import os
import statistics
import sys
import time

COMPILER, WHAT, DEVICE = sys.argv[1:4]
KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "gpu", "kernels.py")
CONFIGS = [(128, 256, 64, 8, 3), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4),
           (64, 128, 32, 4, 4), (128, 32, 32, 4, 4), (64, 32, 32, 2, 5), (32, 64, 32, 2, 5)]
SIZE = {"cuda": 4096, "cpu": 512, "none": 4096}[DEVICE]
ELEMENTS = 1 << 20
ATTENTION = {"D": 64, "BM": 128, "BN": 64, "CAUSAL": True}


def milliseconds_since(begin):
    return (time.perf_counter() - begin) * 1e3


class Arrays:
    """On the device, made before anything is counted."""

    def __init__(self):
        if DEVICE == "cuda":
            import torch
            self.library, self.wait = torch, torch.cuda.synchronize
            torch.zeros(1, device="cuda")
            self.wait()
        elif DEVICE == "cpu":
            import numpy
            self.library, self.wait = numpy, lambda: None
        else:
            self.wait = lambda: None

    def vector(self, value):
        if DEVICE == "cuda":
            return self.library.full((ELEMENTS,), value, device="cuda", dtype=self.library.float32)
        return self.library.full(ELEMENTS, value, "float32")

    def matrix(self):
        if DEVICE == "cuda":
            return self.library.randn((SIZE, SIZE), device="cuda", dtype=self.library.float16)
        return self.library.random.randn(SIZE, SIZE).astype("float16")


def import_compiler():
    """The package under the name triton, which the kernels' file imports."""
    compiler = importlib.import_module(COMPILER)
    if COMPILER == "tessera":
        compiler.install_as_triton()
    return compiler


def kernels():
    spec = importlib.util.spec_from_file_location("kernels", KERNELS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def add_source(compiler, function):
    pointers = {"x_ptr": "*fp32", "y_ptr": "*fp32", "output_ptr": "*fp32", "n_elements": "i32", "BLOCK_SIZE": "constexpr"}
    even = {(index,): [["tt.divisibility", 16]] for index in range(4)}
    return compiler.compiler.ASTSource(function, pointers, {"BLOCK_SIZE": 1024}, even)


def product_source(compiler, function, config):
    signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16"}
    signature.update({name: "i32" for name in ("M", "N", "K", "sam", "sbk", "scm")})
    constants = {"sak": 1, "sbn": 1, "scn": 1, "BM": config[0], "BN": config[1], "BK": config[2], "GROUP": 8}
    types = {name: signature.get(name, "constexpr") for name in function.arg_names}
    even = {(index,): [["tt.divisibility", 16]] for index, name in enumerate(function.arg_names) if name in signature}
    return compiler.compiler.ASTSource(function, types, constants, even)


def attention_source(compiler, function):
    signature = {name: "*fp16" for name in ("q_ptr", "k_ptr", "v_ptr", "o_ptr")}
    signature.update(scale="fp32", stride_h="i32", N_CTX="i32")
    types = {name: signature.get(name, "constexpr") for name in function.arg_names}
    even = {(index,): [["tt.divisibility", 16]] for index, name in enumerate(function.arg_names)
            if name in signature and name != "scale"}
    return compiler.compiler.ASTSource(function, types, ATTENTION, even)


def compile_for_h100(compiler, source, **options):
    target = importlib.import_module(f"{COMPILER}.backends.compiler").GPUTarget("cuda", 90, 32)
    return compiler.compile(source, target=target, options=options)


# ---- what is measured -----------------------------------------------------------------------------

def measure_import():
    begin = time.perf_counter()
    importlib.import_module(COMPILER)
    return {"ms": milliseconds_since(begin), "imports torch": "torch" in sys.modules}


def measure_first():
    arrays = Arrays()
    if DEVICE != "none":
        x, y, out = arrays.vector(1), arrays.vector(2), arrays.vector(0)
    arrays.wait()
    was_imported = COMPILER in sys.modules  # by torch
    begin = time.perf_counter()
    compiler = import_compiler()
    imported = milliseconds_since(begin)
    kernel = kernels().add_kernel
    if DEVICE == "none":
        compile_for_h100(compiler, add_source(compiler, kernel))
    else:
        kernel[(ELEMENTS // 1024,)](x, y, out, ELEMENTS, BLOCK_SIZE=1024)
        arrays.wait()
    total = milliseconds_since(begin)
    if DEVICE != "none":
        assert (out == 3).all()
    return {"ms": total - imported, "import ms": imported, "imported by torch": was_imported}


def measure_hit(large=False):
    """The time of warmup in new jit functions of the same text; the first may compile, and pays one-time costs."""
    arrays = Arrays()
    compiler = import_compiler()
    times = []
    if DEVICE != "none":
        vectors, matrix = [arrays.vector(value) for value in (1, 2, 0)], arrays.matrix()
    for _ in range(21):
        module = kernels()
        kernel = module.attention_kernel if large else module.add_kernel
        begin = time.perf_counter()
        if DEVICE == "none":
            compile_for_h100(compiler, (attention_source if large else add_source)(compiler, kernel))
        elif large:
            kernel.warmup(matrix, matrix, matrix, matrix, 0.125, SIZE * 64, SIZE, **ATTENTION, grid=(1, 1))
        else:
            kernel.warmup(*vectors, ELEMENTS, BLOCK_SIZE=1024, grid=(1,))
        times.append(milliseconds_since(begin))
    return {"ms": statistics.median(times[1:])}


def measure_tune():
    arrays = Arrays()
    compiler = import_compiler()
    module = kernels()
    if DEVICE == "none":
        return compile_all(compiler, module.matmul_kernel)
    configs = [compiler.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP": 8}, num_warps=warps, num_stages=stages)
               for bm, bn, bk, warps, stages in CONFIGS]
    kernel = compiler.autotune(configs, key=["M", "N", "K"])(module.matmul_kernel)
    a, b, c = arrays.matrix(), arrays.matrix(), arrays.matrix()
    arrays.wait()
    begin = time.perf_counter()
    grid = lambda meta: (-(-SIZE // meta["BM"]) * -(-SIZE // meta["BN"]),)  # noqa: E731
    kernel[grid](a, b, c, SIZE, SIZE, SIZE, SIZE, 1, SIZE, 1, SIZE, 1)
    arrays.wait()
    found = {"ms": milliseconds_since(begin), "chose": str(kernel.best_config),
             "timings": {str(config): timing for config, timing in kernel.configs_timings.items()}}
    expected = a.astype("float32") @ b.astype("float32") if DEVICE == "cpu" else (a.float() @ b.float())
    difference = abs((c.astype("float32") if DEVICE == "cpu" else c.float()) - expected).max()
    assert float(difference) < 1.0, difference
    return found


def compile_all(compiler, kernel):
    def job(config):
        options = {"num_warps": config[3], "num_stages": config[4]}
        return compile_for_h100(compiler, product_source(compiler, kernel, config), **options)
    begin = time.perf_counter()
    if COMPILER == "tessera":
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(job, CONFIGS))
    else:
        for config in CONFIGS:
            job(config)
    return {"ms": milliseconds_since(begin)}


if __name__ == "__main__":
    print(json.dumps({"import": measure_import, "first": measure_first, "hit": measure_hit,
                      "hit-large": lambda: measure_hit(large=True), "tune": measure_tune}[WHAT]()))
