"""The two compilers in one process: Triton 3.6.0 where it is installed, and Tessera through its C interface.

    triton = peers.Triton()                     # in a Python that has Triton 3.6.0
    source = triton.source(case)                # a case of signatures.py
    module = triton.make_ttir(source, triton.frontend(source))
    tessera = peers.Tessera()
    status, text = tessera.ttir(case)

scripts/check-triton-roundtrip and bench/frontend.py use both. A script calls `find_triton` first: it starts
the script again under $TRITON_PYTHON if only that Python has Triton.
"""
import ast
import ctypes
import dataclasses
import importlib.util
import os
import sys
import tempfile

import signatures

VERSION = "3.6.0"
ROOT = signatures.ROOT
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
TARGET = "cuda:90"


def find_triton():
    """None if this Python has the Triton to compare with; else why not. May replace this process."""
    if importlib.util.find_spec("triton") is None:
        other = os.environ.get("TRITON_PYTHON")
        if other and "TESSERA_PEER" not in os.environ:
            os.environ["TESSERA_PEER"] = "1"
            os.execv(other, [other, "-B", *sys.argv])
        return f"no Triton {VERSION} in {sys.executable}; TRITON_PYTHON names a Python that has it"
    import triton
    return None if triton.__version__ == VERSION else f"Triton {triton.__version__} here; {VERSION} is what we compare with"


@dataclasses.dataclass
class Source:
    """A kernel with its signature, as Triton wants them."""
    kernel: object
    options: object


class Triton:
    def __init__(self):
        from triton._C.libtriton import ir
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        from triton.compiler.compiler import make_backend
        self.ir, self.ASTSource = ir, ASTSource
        self.target = GPUTarget("cuda", 90, 32)
        self.backend = make_backend(self.target)
        self.modules = {}

    def load(self, file):
        """The Python module of a file of the tree, executed once."""
        if file not in self.modules:
            path = os.path.join(ROOT, file)
            sys.path.insert(0, os.path.dirname(path))
            spec = importlib.util.spec_from_file_location("kernels_of_" + file.replace("/", "_")[:-3], path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.path.pop(0)
            self.modules[file] = module
        return self.modules[file]

    def source(self, case):
        function = getattr(self.load(case.file), case.kernel)
        types, constants, hints = {}, {}, {}
        for index, (name, entry) in enumerate(zip(function.arg_names, case.entries, strict=True)):
            kind, _, hint = entry.partition(":")
            is_constant, value = (True, 1) if hint == "1" else constant(kind)
            types[name] = "constexpr" if is_constant else kind
            if is_constant:
                constants[name] = value
            elif hint:
                hints[(index,)] = [["tt.divisibility", int(hint)]]
        options = {flag[2:].replace("-", "_"): int(value) for flag, value in zip(case.options[::2], case.options[1::2])}
        return Source(self.ASTSource(function, types, constants, hints), self.backend.parse_options(options))

    def context(self):
        context = self.ir.context()
        self.ir.load_dialects(context)
        self.backend.load_dialects(context)
        return context

    def frontend(self, source, context=None):
        """The kernel in TTIR as the frontend emits it."""
        implementation = self.backend.get_codegen_implementation(source.options)
        context = context or self.context()
        module = source.kernel.make_ir(self.target, source.options, implementation, self.backend.get_module_map(), context)
        module.context = context  # a module does not keep its context alive
        return module

    def make_ttir(self, source, module):
        stages = {}
        self.backend.add_stages(stages, source.options, source.kernel.language)
        return stages["ttir"](module, {})

    def parse(self, text):
        """The module of a text; raises if Triton's parser or verifier refuses it."""
        with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
            file.write(text)
            file.flush()
            context = self.context()
            module = self.ir.parse_mlir_module(file.name, context)
            module.context = context
            return module


class Tessera:
    class Request(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_char_p) for name in
                    ("path", "text", "kernel_name", "signature", "target", "options", "outputs")]

    def __init__(self, library=None):
        self.lib = ctypes.CDLL(library or os.environ.get("TESSERA_LIBRARY", os.path.join(BUILD, "lib", "libtessera.so")))
        self.lib.tessera_session_create.restype = ctypes.c_void_p
        self.lib.tessera_kernel_artifact.restype = ctypes.c_void_p
        self.lib.tessera_kernel_artifact.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t)]
        self.lib.tessera_compile.argtypes = [ctypes.c_void_p] * 4
        self.lib.tessera_kernel_free.argtypes = self.lib.tessera_string_free.argtypes = [ctypes.c_void_p]
        self.lib.tessera_version.restype = ctypes.c_char_p
        self.lib.tessera_kernel_stage_seconds.restype = ctypes.c_double
        self.lib.tessera_kernel_stage_seconds.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        self.session = self.lib.tessera_session_create()

    def version(self):
        return self.lib.tessera_version().decode()

    def request(self, case, text=None, suffix=""):
        """What `compile` takes; `text` stands for the contents of the case's file, whose name gets the suffix."""
        options = ",".join(f"{flag[2:]}={value}" for flag, value in zip(case.options[::2], case.options[1::2]))
        path = os.path.join(ROOT, case.file[:-3] + suffix + ".py")
        return self.Request(ctypes.sizeof(self.Request), path.encode(), None if text is None else text.encode(),
                            case.kernel.encode(), case.signature.encode(), TARGET.encode(), options.encode() or None, b"ttir")

    def compile(self, request):
        """(status, kernel, message): two of them pointers, to be freed."""
        kernel, message = ctypes.c_void_p(), ctypes.c_void_p()
        status = self.lib.tessera_compile(self.session, ctypes.byref(request), ctypes.byref(kernel), ctypes.byref(message))
        return status, kernel, message

    def seconds(self, kernel, stage):
        return self.lib.tessera_kernel_stage_seconds(kernel, stage.encode())

    def free(self, kernel, message):
        self.lib.tessera_kernel_free(kernel)
        self.lib.tessera_string_free(message)

    def ttir(self, case, text=None):
        """(status, TTIR or message)"""
        status, kernel, message = self.compile(self.request(case, text))
        if status:
            result = ctypes.string_at(message.value).decode() if message.value else ""
        else:
            size = ctypes.c_size_t()
            address = self.lib.tessera_kernel_artifact(kernel, b"ttir", ctypes.byref(size))
            result = ctypes.string_at(address, size.value).decode()
        self.free(kernel, message)
        return status, result


def constant(text):
    """(True, its value) for a constant of the signature, (False, None) for a type."""
    try:
        return True, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False, None
