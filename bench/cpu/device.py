"""Kernels on the CPU from Python, through the C interface: arrays are shared, nothing is copied.

    device = Device(threads=2)
    kernel = device.kernel("examples/add.py", "add_kernel", "*fp32,*fp32,*fp32,i32,1024")
    launch = kernel.bind((grid,), x, y, out, n)      # x, y, out: NumPy arrays or torch tensors
    launch()

A launch from here costs what ctypes costs, about two microseconds more than from C.
"""
import ctypes
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))
import peers  # noqa: E402

C_TYPES = {"i1": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
           "fp32": ctypes.c_float, "fp64": ctypes.c_double}


class Failure(Exception):
    """What Tessera said when it could not compile, load or launch."""


def address_of(array):
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


class Device:
    def __init__(self, threads=0, library=None):
        self.tessera = peers.Tessera(library)
        self.lib = self.tessera.lib
        self.lib.tessera_device_open_with.argtypes = [ctypes.c_char_p] * 2 + [ctypes.c_void_p] * 2
        self.lib.tessera_load.argtypes = [ctypes.c_void_p] * 4
        self.lib.tessera_launch.argtypes = [ctypes.c_void_p] + [ctypes.c_uint32] * 3 + [
            ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
        for name in ("tessera_device_free", "tessera_loaded_kernel_free"):
            getattr(self.lib, name).argtypes = [ctypes.c_void_p]
        self.handle = self.open(threads)

    def open(self, threads):
        """0 threads: one for each usable processor."""
        handle, message = ctypes.c_void_p(), ctypes.c_void_p()
        options = f"threads={threads}".encode() if threads else None
        self.check(self.lib.tessera_device_open_with(b"cpu", options, ctypes.byref(handle), ctypes.byref(message)), message)
        return handle

    def check(self, status, message):
        if status == 0:
            return
        text = ctypes.string_at(message.value).decode() if message.value else f"status {status}"
        self.lib.tessera_string_free(message)
        raise Failure(text)

    def compile(self, file, name, signature, options=""):
        """The compiled kernel, a pointer to be freed."""
        request = peers.Tessera.Request(ctypes.sizeof(peers.Tessera.Request), os.path.join(ROOT, file).encode(), None,
                                        name.encode(), signature.encode(), b"cpu", options.encode() or None, b"obj")
        status, kernel, message = self.tessera.compile(request)
        self.check(status, message)
        return kernel

    def load(self, kernel):
        loaded, message = ctypes.c_void_p(), ctypes.c_void_p()
        status = self.lib.tessera_load(self.handle, kernel, ctypes.byref(loaded), ctypes.byref(message))
        self.check(status, message)
        return loaded

    def kernel(self, file, name, signature, options=""):
        compiled = self.compile(file, name, signature, options)
        loaded = self.load(compiled)
        self.lib.tessera_kernel_free(compiled)
        return Kernel(self, loaded, signature)


class Kernel:
    def __init__(self, device, loaded, signature):
        self.device, self.loaded = device, loaded
        entries = [entry.strip() for entry in signature.split(",")]
        self.types = [entry.split(":")[0] for entry in entries if not peers.constant(entry)[0] and not entry.endswith(":1")]

    def bind(self, grid, *arguments):
        """A function without arguments that launches the kernel on these; it keeps them alive."""
        values = [ctypes.c_void_p(address_of(value)) if kind.startswith("*") else C_TYPES[kind](value)
                  for kind, value in zip(self.types, arguments, strict=True)]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values])
        x, y, z = (*grid, 1, 1)[:3]
        message = ctypes.c_void_p()
        launch, check, loaded, count = self.device.lib.tessera_launch, self.device.check, self.loaded, len(values)
        where = ctypes.byref(message)

        def call(_keep=(arguments, values)):
            status = launch(loaded, x, y, z, pointers, count, None, where)
            if status:
                check(status, message)
        return call
