"""How adapters reach a package's modules, and how they call functions that have a backward pass.

The packages are folders of .py files (bench/wild/fetch), named by WILD_PACKAGES. What a package needs beside torch and Triton
is often not there and not used by its kernels: `module(name, bare=...)` skips the __init__ files, `module(name, stand_ins=True)`
puts something that does nothing in the place of what cannot be imported (the loaders of scripts/check-packages).
"""
import contextlib
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

from corpus import Case, torch

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scripts")
prepared = set()


def source_folder():
    folder = os.environ.get("WILD_PACKAGES")
    if not folder:
        raise RuntimeError("packages are not here: bench/wild/fetch, then --packages")
    inner = os.path.join(folder, "src")
    return inner if os.path.isdir(inner) else folder


def prepare_path():
    folder = source_folder()
    if folder not in sys.path:
        sys.path.append(folder)
        if not torch.cuda.is_available():
            pretend_gpu()
    return folder


def pretend_gpu():
    """For a machine without one: packages that ask for a GPU go on, with tensors that live on the CPU."""
    real = importlib.import_module("torch")
    facts = types.SimpleNamespace(multi_processor_count=4, name="none", major=9, minor=0, total_memory=1 << 37, warp_size=32,
                                  shared_memory_per_block_optin=232448, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048)
    answers = {"current_device": 0, "device_count": 1, "get_device_capability": (9, 0), "get_device_properties": facts,
               "get_device_name": "none", "is_available": True, "synchronize": None, "set_device": None, "is_current_stream_capturing": False}
    for name, answer in answers.items():
        setattr(real.cuda, name, lambda *_, answer=answer, **__: answer)
    for name in ("device", "device_of"):
        setattr(real.cuda, name, lambda *_, **__: contextlib.nullcontext())
    real.cuda.mem_get_info = lambda *_: (1 << 36, 1 << 37)
    real.cuda.current_stream = lambda *_: types.SimpleNamespace(cuda_stream=0)
    real.Tensor.is_cuda = property(lambda self: True)


def bare(*names):
    """Packages whose __init__ is not run."""
    folder = prepare_path()
    for name in names:
        if name not in sys.modules:
            module = types.ModuleType(name)
            module.__path__, module.__version__ = [os.path.join(folder, *name.split("."))], "0.0.0"
            sys.modules[name] = module
            parent, _, leaf = name.rpartition(".")
            if parent and parent in sys.modules:
                setattr(sys.modules[parent], leaf, module)


def stand_ins():
    """Modules below the packages' folder run statement by statement; what is missing becomes a stand-in."""
    if "stand_ins" in prepared:
        return
    prepared.add("stand_ins")
    loader = importlib.machinery.SourceFileLoader("check_packages", os.path.join(SCRIPTS, "check-packages"))
    spec = importlib.util.spec_from_loader("check_packages", loader)
    check_packages = importlib.util.module_from_spec(spec)
    sys.modules["check_packages"] = check_packages
    loader.exec_module(check_packages)
    check_packages.allow_stand_ins(prepare_path())


def module(name, skip=(), replaced=False):
    prepare_path()
    bare(*skip)
    if replaced:
        stand_ins()
    return importlib.import_module(name)


# ---- backward passes ------------------------------------------------------------------------------

def tensors_of(value):
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_of(v)]
    return [value] if isinstance(value, torch.Tensor) else []


def trained(function, inputs, gradients=None):
    """Calls a function and its backward pass; returns outputs and the gradients of all floating-point inputs."""
    leaves = [t.detach().clone().requires_grad_() if isinstance(t, torch.Tensor) and t.is_floating_point() else t for t in inputs]
    outputs = [t for t in tensors_of(function(*leaves)) if t.requires_grad]
    if gradients is None:
        generator = torch.Generator(device="cpu").manual_seed(1)
        gradients = [torch.randn(t.shape, generator=generator).to(t.device, t.dtype) for t in outputs]
    torch.autograd.backward(outputs, [g.clone().to(o.dtype) for g, o in zip(gradients, outputs)])
    return [t.detach() for t in outputs], [t.grad for t in leaves if isinstance(t, torch.Tensor) and t.grad is not None]


def training(function, inputs, reference=None, **options):
    """A case of forward and backward; the reference gets the inputs in single precision."""
    first = [t for t in tensors_of(function(*[i.detach().clone() if isinstance(i, torch.Tensor) else i for i in inputs]))
             if t.is_floating_point()]
    generator = torch.Generator(device="cpu").manual_seed(1)
    gradients = [torch.randn(t.shape, generator=generator).to(t.device, t.dtype) for t in first]

    def wide():
        raised = [t.float() if isinstance(t, torch.Tensor) and t.is_floating_point() else t for t in inputs]
        return trained(reference, raised, gradients)
    return Case(lambda: trained(function, inputs, gradients), wide if reference else None, **options)
