"""The two contestants: how each compiles a kernel for an argument list and a configuration, and how it is launched.

Both get the same facts about the arguments: pointers and integers that 16 divides, integers that are 1, and for AMD GPUs
tensors of less than 2 GiB, as launches state them.
"""
import ctypes
import dataclasses
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

SMALL = not os.environ.get("TESSERA_BENCH_LARGE")  # tensors have less than 2 GiB, which both compilers use for AMD GPUs
LARGE = 3_000_000  # bytes of PTX, for which ptxas would take minutes
POINTERS = {"fp16", "bf16", "fp32", "fp8e4nv", "i8", "i32"}
SCALARS = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "fp32": ctypes.c_float}


class Unsupported(Exception):
    """One line: why there is no kernel."""


@dataclasses.dataclass
class Facts:
    """Per thread: registers and bytes spilled; per block: bytes of shared memory."""
    registers: int
    spills: int
    shared: int


def scalar_type(value):
    if isinstance(value, float):
        return "fp32"
    return "i32" if -2**31 <= value < 2**31 else "i64"


def describe(argument):
    """(type, what the compilers may rely on: 16, 1 or nothing)."""
    if argument in POINTERS:
        return "*" + argument, 16
    kind = scalar_type(argument)
    if kind == "fp32":
        return kind, None
    return kind, 1 if argument == 1 else 16 if argument % 16 == 0 else None


# ---- Tessera --------------------------------------------------------------------------------------

class Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_char_p) for name in
                ("path", "text", "kernel_name", "signature", "target", "options", "outputs")]


class Tessera:
    """The C interface of a build or an unpacked archive. Compiles from any thread."""

    def __init__(self, build, source, target, tools, more=""):
        """`tools`: "ptxas", "libdevice" and "cache-dir", each a path or None. `more`: options for all compilations, "tma=auto"."""
        self.source, self.target, self.more = source, target, "," + more if more else ""
        self.lib = ctypes.CDLL(os.path.join(build, "lib", "libtessera.so"))
        pointer = ctypes.c_void_p
        for name, result, arguments in [
                ("version", ctypes.c_char_p, []), ("session_create", pointer, []),
                ("session_set", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_char_p, pointer]),
                ("compile", ctypes.c_int, [pointer] * 4), ("kernel_metadata", ctypes.c_char_p, [pointer]),
                ("kernel_artifact", pointer, [pointer, ctypes.c_char_p, pointer]), ("kernel_free", None, [pointer]),
                ("string_free", None, [pointer]), ("device_open", ctypes.c_int, [ctypes.c_char_p, pointer, pointer]),
                ("load", ctypes.c_int, [pointer] * 4), ("loaded_kernel_free", None, [pointer]),
                ("launch", ctypes.c_int, [pointer] + [ctypes.c_uint32] * 3 + [pointer, ctypes.c_size_t, pointer, pointer])]:
            function = getattr(self.lib, "tessera_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.session, self.device = self.session_create(), None
        for tool, path in tools.items():
            if path:
                self.check(self.session_set, self.session, tool.encode(), path.encode())

    def check(self, function, *arguments):
        message = ctypes.c_void_p()
        status = function(*arguments, ctypes.byref(message))
        text = ctypes.string_at(message.value).decode() if message.value else ""
        self.string_free(message)
        if status:
            said = [line for line in text.split("\n") if re.search(r"\b(error|unsupported|internal)\b", line)] or text.split("\n")
            raise Unsupported(re.sub(r"^\S*/(?=[\w.]+:)", "", said[0]) or f"status {status}")

    def signature(self, arguments, config):
        words = []
        for argument in arguments:
            kind, hint = describe(argument)
            small = "S" if kind[0] == "*" and SMALL and self.target.startswith("hip") else ""
            words.append(kind if hint is None else f"{kind}:{hint}{small}")
        return ",".join(words + [str(value) for _, value in config.constants])

    def compile_kernel(self, kernel, arguments, config):
        """The kernel's handle; free with kernel_free."""
        handle = self.compile_to(kernel, arguments, config, "ptx")
        size = len(self.text(handle, "ptx"))
        self.kernel_free(handle)
        if size > LARGE:
            raise Unsupported(f"{size / 1e6:.1f} MB of PTX, which is not assembled here")
        return self.compile_to(kernel, arguments, config, "cubin,ptx")

    def compile_to(self, kernel, arguments, config, outputs):
        options = f"num-warps={config.num_warps},num-stages={config.num_stages}{self.more}"
        return self.compile_text(kernel, self.signature(arguments, config), options, outputs)

    def compile_text(self, kernel, signature, options, outputs):
        request = Request(ctypes.sizeof(Request), self.source.encode(), None, kernel.encode(), signature.encode(),
                          self.target.encode(), options.encode(), outputs.encode())
        handle = ctypes.c_void_p()
        self.check(self.compile, self.session, ctypes.byref(request), ctypes.byref(handle))
        return handle

    def facts(self, handle):
        record = json.loads(self.kernel_metadata(handle))
        return Facts(record["registers"], record["spill_bytes"], record["shared"])

    def text(self, handle, extension):
        size = ctypes.c_size_t()
        data = self.kernel_artifact(handle, extension.encode(), ctypes.byref(size))
        return ctypes.string_at(data, size.value).decode(errors="replace") if data else ""

    def seconds_to_ptx(self, kernel, arguments, config):
        begin = time.perf_counter()
        handle = self.compile_to(kernel, arguments, config, "ptx")
        seconds = time.perf_counter() - begin
        self.kernel_free(handle)
        return seconds

    def launcher(self, handle, arguments, tensors, grid):
        """launch(stream): the arguments are laid out once."""
        if self.device is None:
            self.device = ctypes.c_void_p()
            self.check(self.device_open, b"cuda:0", ctypes.byref(self.device))
        loaded, values, pointers = ctypes.c_void_p(), [], iter(tensors)
        self.check(self.load, self.device, handle, ctypes.byref(loaded))
        for argument in arguments:
            kind, hint = describe(argument)
            if kind[0] == "*":
                values.append(ctypes.c_uint64(next(pointers).data_ptr()))
            elif hint != 1:  # compiled in
                values.append(SCALARS[kind](argument))
        table = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])

        def launch(stream, keep=(values, tensors)):
            self.check(self.launch, loaded, *grid, table, len(values), stream)
        return launch


# ---- Triton ---------------------------------------------------------------------------------------

def load_module(path):
    spec = importlib.util.spec_from_file_location("kernels_" + os.path.basename(path).removesuffix(".py"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Triton:
    """Compiles without a GPU as with one; results are kept in Triton's own cache."""

    def __init__(self, source, target, ptxas):
        import triton
        from triton.backends.compiler import GPUTarget
        self.triton, self.module, self.ptxas = triton, load_module(source), ptxas
        self.target = GPUTarget("cuda", int(target.split(":")[1]), 32)
        triton.set_allocator(self.scratch)

    @staticmethod
    def scratch(size, alignment, stream):
        """Memory for descriptors that a kernel makes."""
        import torch
        return torch.empty(size, device="cuda", dtype=torch.int8)

    def source(self, kernel, arguments, config):
        function = getattr(self.module, kernel)
        signature, constants, attributes = {}, {}, {}
        for index, (name, argument) in enumerate(zip(function.arg_names, arguments)):
            kind, hint = describe(argument)
            kind = {"*fp8e4nv": "*fp8e4nv"}.get(kind, kind)
            if hint == 1:
                signature[name], constants[(index,)] = "constexpr", 1
                continue
            signature[name] = kind
            if hint:
                attributes[(index,)] = [["tt.divisibility", 16]]
            if kind[0] == "*" and SMALL and self.target.backend == "hip":
                attributes[(index,)].append(["tt.pointer_range", 32])
        for name, value in config.constants:
            signature[name], constants[(function.arg_names.index(name),)] = "constexpr", value
        return self.triton.compiler.ASTSource(function, signature, constants, attributes)

    def compile_kernel(self, kernel, arguments, config):
        try:
            return self.triton.compile(self.source(kernel, arguments, config), target=self.target,
                                       options={"num_warps": config.num_warps, "num_stages": config.num_stages})
        except Exception as problem:
            raise Unsupported(f"{type(problem).__name__}: {str(problem).strip().split(chr(10))[0]}") from None

    def facts(self, compiled):
        """From the assembler's own words about the same PTX: registers as it allocates them, bytes spilled."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.ptx")
            with open(path, "w") as file:
                file.write(compiled.asm["ptx"])
            chip = re.search(r"\.target (\w+)", compiled.asm["ptx"]).group(1)
            said = subprocess.run([self.ptxas, "-v", f"--gpu-name={chip}", path, "-o", os.path.join(folder, "kernel.cubin")],
                                  capture_output=True, text=True).stderr
        spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
        registers = re.search(r"Used (\d+) registers", said)
        return Facts(int(registers.group(1)) if registers else -1, sum(map(int, spilled.groups())) if spilled else -1, compiled.metadata.shared)

    def prepare_launcher(self, compiled):
        """Triton builds a C extension for each signature; done ahead, in parallel."""
        from triton.runtime import driver
        driver.active.launcher_cls(compiled.src, compiled.metadata)

    def seconds_to_ptx(self, kernel, arguments, config):
        from triton import knobs
        times = {}

        def listener(**facts):
            times.update(init=facts["times"].ir_initialization, **dict(facts["times"].lowering_stages))
        folder, before = tempfile.mkdtemp(), knobs.cache.dir
        knobs.compilation.listener, knobs.cache.dir = listener, folder
        try:
            self.compile_kernel(kernel, arguments, config)
        finally:
            knobs.compilation.listener, knobs.cache.dir = None, before
            shutil.rmtree(folder, ignore_errors=True)
        return (sum(times.values()) - times.get("cubin", 0)) * 1e-6

    def launcher(self, compiled, arguments, tensors, grid, constants):
        pointers = iter(tensors)
        values = [next(pointers) if argument in POINTERS else argument for argument in arguments] + [value for _, value in constants]
        run, function, metadata = compiled.run, compiled.function, compiled.packed_metadata
        if compiled.function is None:
            compiled._init_handles()
            function = compiled.function

        def launch(stream):
            run(*grid, stream, function, metadata, None, None, None, *values)
        return launch
