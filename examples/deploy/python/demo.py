"""Adds vectors and computes softmax with the kernels of ../kernels.toml, through ctypes: no package of Tessera is needed.

    python3 demo.py libdemo.so              with NumPy, on the CPU
    python3 demo.py libdemo.so --cuda       with torch, on a GPU

    cc -shared -o libdemo.so -Wl,--whole-archive libdemo.a -Wl,--no-whole-archive -lm -ldl -pthread     makes libdemo.so
"""
import ctypes
import sys

ON_CPU = ctypes.c_void_p(-1)  # TESSERA_ON_CPU
POINTER, I32 = ctypes.c_void_p, ctypes.c_int32


class Kernels:
    """The functions of demo.h; a failure is an exception."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.demo_last_error.restype = ctypes.c_char_p
        self.library.add.argtypes = [POINTER, POINTER, POINTER, POINTER, I32]
        self.library.softmax.argtypes = [POINTER, POINTER, POINTER, I32, I32, I32, I32]

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            if function(*arguments):
                raise RuntimeError(self.library.demo_last_error().decode())
        return call


def on_cpu(kernels):
    import numpy
    x, y = numpy.random.default_rng(1).standard_normal((2, 98432), dtype="float32")
    total = numpy.zeros_like(x)
    kernels.add(ON_CPU, x.ctypes.data, y.ctypes.data, total.ctypes.data, x.size)
    assert numpy.array_equal(total, x + y)
    print(f"add: {x.size} sums are right")
    matrix = x[:98400].reshape(300, 328)
    result = numpy.zeros_like(matrix)
    kernels.softmax(ON_CPU, result.ctypes.data, matrix.ctypes.data, 328, 328, 300, 328)
    expected = numpy.exp(matrix) / numpy.exp(matrix).sum(axis=1, keepdims=True)
    assert numpy.allclose(result, expected, atol=1e-6)
    print("softmax: 300 rows of 328 are right")


def on_gpu(kernels):
    import torch
    x, y = torch.randn(2, 98432, device="cuda").unbind()
    total = torch.zeros_like(x)
    stream = torch.cuda.current_stream().cuda_stream
    kernels.add(stream, x.data_ptr(), y.data_ptr(), total.data_ptr(), x.numel())
    assert torch.equal(total, x + y)
    print(f"add: {x.numel()} sums are right")


if __name__ == "__main__":
    demo = Kernels(sys.argv[1])
    on_gpu(demo) if "--cuda" in sys.argv else on_cpu(demo)
    try:
        demo.softmax(None if "--cuda" in sys.argv else ON_CPU, None, None, 9000, 9000, 1, 9000)
    except RuntimeError as error:
        print(str(error)[:48])
