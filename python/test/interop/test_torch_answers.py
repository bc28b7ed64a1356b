"""What torch is asked at a launch, and how: DLPack's table of C functions, the current device, the current stream."""
import functools
import os

import pytest
import tessera
import tessera.language as tl
from tessera import _native


def classify(*values):
    """([(type, key), ...], device) of values, or what is said against them."""
    kernel = _native.Launchable()
    kernel._set_parameters("k", [(f"a{i}", 0, None, False, None) for i in range(len(values))])
    try:
        return kernel._classify(values, {})[1:4:2]
    except (TypeError, RuntimeError, ValueError) as error:
        return str(error)


def test_tensors_mean_the_same_whoever_is_asked(torch):
    """A tensor is asked through DLPack's table where torch has one; a subclass always by data_ptr() and dtype."""
    class Derived(torch.Tensor):
        pass

    types = sorted({value for value in vars(torch).values() if isinstance(value, torch.dtype)}, key=str)
    told = {}
    for type in types:
        if "quint" in str(type) or "qint" in str(type):
            continue
        base = torch.empty(64, dtype=type)
        for tensor in (base, base[1:], base[:0], base[::2]):
            told[type] = classify(tensor)
            assert told[type] == classify(tensor.as_subclass(Derived)), type
    assert classify(3, torch.zeros(4), 1, torch.zeros(4, dtype=torch.int8)) == (
        [("i32", ""), ("*fp32", "D"), ("constexpr", 1), ("*i8", "D")], "cpu")
    assert told[torch.float32] == ([("*fp32", "D")], "cpu") and told[torch.bool] == ([("*u1", "D")], "cpu")
    assert "kernels do not know the type" in told[torch.complex64]
    assert classify(torch.nn.Parameter(torch.zeros(4))) == ([("*fp32", "D")], "cpu")


def test_what_dlpack_cannot_tell_is_asked_as_before(torch):
    assert classify(torch.empty(4, device="meta"))[0] == [("*fp32", "D")]
    assert "data" in classify(torch.zeros(4).to_sparse())


FAKE_TORCH = """
import ctypes, operator, os, sys, types
import tessera, tessera.language as tl
from tessera import _native

class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]

Describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
Stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_uint64))

class Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p), ("allocate", ctypes.c_void_p),
                ("to_capsule", ctypes.c_void_p), ("from_capsule", ctypes.c_void_p), ("describe", Describe), ("stream", Stream)]

asked = []

@Describe
def describe(tensor, out):
    asked.append("table")
    out[0] = DLTensor(tensor.address, tensor.device_type, tensor.gpu, 1, tensor.code, 32, 1, None, None, 16)
    return 0

@Stream
def stream(device_type, device, out):
    asked.append("stream of the table")
    out[0] = 1000 + 100 * device_type + device
    return 0

class Tensor:
    def __init__(self, address, gpu=0, code=2, device_type=2):
        self.address, self.gpu, self.code, self.device_type = address, gpu, code, device_type
    def data_ptr(self):
        asked.append("data_ptr")
        return self.address
    dtype, is_cuda = "torch.float32", property(lambda self: self.device_type == 2)
    def get_device(self):
        return self.gpu

def capsule(*versions):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    tables = [Table(version, 0, None, None, None, None, describe, stream) for version in versions]
    for newer, older in zip(tables, tables[1:]):
        newer.older = ctypes.addressof(older)
    keep.append(tables)
    return make(ctypes.addressof(tables[0]), b"dlpack_exchange_api", None)

keep = []

def install(devices, current=0, stream=None, **attributes):
    torch, core = types.ModuleType("torch"), types.ModuleType("torch._C")
    def get_device():
        asked.append("device")
        return current
    def get_stream(device):
        asked.append("stream")
        return 4096 + device
    core._cuda_getDevice, core._cuda_getDeviceCount = get_device, lambda: devices
    core._cuda_getCurrentRawStream = stream or get_stream
    for name, value in attributes.items():
        setattr(Tensor, name, value)
    torch.Tensor, torch._C = Tensor, core
    sys.modules["torch"], sys.modules["torch._C"] = torch, core

def take():
    told = list(asked)
    asked.clear()
    return told

def classify(*values):
    kernel = _native.Launchable()
    kernel._set_parameters("k", [(f"a{i}", 0, None, False, None) for i in range(len(values))])
    return kernel._classify(values, {})[1:4:2]
"""


@pytest.fixture
def on_a_fake_gpu(snippet, tmp_path):
    from places import PACKAGES
    fake = os.path.join(os.path.dirname(PACKAGES), "unittests", "libFakeDriver.so")
    if not os.path.exists(fake):
        pytest.skip("the unit tests' CUDA driver is not built")
    (tmp_path / "fake").mkdir()
    os.symlink(fake, tmp_path / "fake" / "libcuda.so.1")
    return functools.partial(snippet, env={"LD_LIBRARY_PATH": str(tmp_path / "fake")})


def test_the_table_answers_for_tensors_and_streams(on_a_fake_gpu):
    on_a_fake_gpu(FAKE_TORCH + """
install(2, stream=operator.index, __dlpack_c_exchange_api__=capsule(2, 1))    # operator.index: a function in C, as torch's
a, b = Tensor(0x100000), Tensor(0x100008)
assert classify(a, 7, b) == ([("*fp32", "D"), ("i32", ""), ("*fp32", "")], "cuda:0")
assert take() == ["table", "table", "device"]
assert classify(Tensor(0x100000, code=1)) == ([("*u32", "D")], "cuda:0") and take() == ["table", "device"]
assert classify(Tensor(0x100000, device_type=1, gpu=0)) == ([("*fp32", "D")], "cpu") and take() == ["table"]
assert classify(Tensor(0x100000, code=5)) == ([("*fp32", "D")], "cuda:0")      # a kind of number that only dtype tells
assert take() == ["table", "device"]
assert _native.current_stream(1) == 1201 and take() == ["stream of the table"]

@tessera.jit
def fill(out, n):
    tl.store(out, n)

driver = ctypes.CDLL("libcuda.so.1")
driver.fakeNotes.restype = ctypes.c_char_p
for n in (7, 8):
    take()
    driver.fakeForget()
    fill[(4, 5)](a, n)
    assert f"launch 4 5 1 x 128 shared 0 n {n}" in driver.fakeNotes().decode(), driver.fakeNotes()
assert take() == ["table", "device", "stream of the table"]
fill[(1,)](Tensor(0x100000, gpu=1), 7)      # on another GPU: fine, for the driver reaches it
try:
    fill[(1,)](Tensor(16, gpu=1), 7)        # which it does not below 4096; the table adds 16
except ValueError as error:
    assert "argument 'out' of kernel 'fill' is a __main__.Tensor on cuda:1" in str(error)
else:
    raise SystemExit("launched")
""")


def test_a_table_of_another_version_is_left_alone(on_a_fake_gpu):
    on_a_fake_gpu(FAKE_TORCH + """
install(1, stream=operator.index, __dlpack_c_exchange_api__=capsule(2))
assert classify(Tensor(0x100000)) == ([("*fp32", "D")], "cuda:0") and take() == ["data_ptr", "device"]
assert _native.current_stream(5) == 5 and take() == []
""")


def test_a_stream_that_python_code_tells_is_believed(on_a_fake_gpu):
    on_a_fake_gpu(FAKE_TORCH + """
install(2, __dlpack_c_exchange_api__=capsule(1))
assert _native.current_stream(1) == 4097 and take() == ["stream"]
""")


def test_one_device_is_the_current_one(on_a_fake_gpu):
    on_a_fake_gpu(FAKE_TORCH + """
install(1)
assert [_native.current_device() for _ in range(3)] == ["cuda:0"] * 3 and take() == ["device"]
child = os.fork()
if child == 0:      # torch is asked again: it may have to say that CUDA does not survive a fork
    os._exit(_native.current_device() != "cuda:0" or take() != ["device"])
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""")


def test_of_several_devices_torch_tells_the_current_one(on_a_fake_gpu):
    on_a_fake_gpu(FAKE_TORCH + """
install(2, current=1)
assert [_native.current_device() for _ in range(3)] == ["cuda:1"] * 3 and take() == ["device"] * 3
""")


# ---- kernel[grid] -------------------------------------------------------------------------------------

@tessera.jit
def count_programs(out, n):
    tl.store(out + tl.program_id(0), n)


def test_bound_kernels_that_are_kept_keep_their_grids():
    import numpy as np

    def programs(bound, **keywords):
        out = np.zeros(8, "int32")
        bound(out, **keywords) if keywords else bound(out, 3)
        return int((out == 3).sum())

    two, three = count_programs[(2, )], count_programs[(3, )]
    assert [programs(two), programs(three), programs(count_programs[(4, )]), programs(two)] == [2, 3, 4, 2]
    refilled = id(count_programs[(5, )])  # nobody has the last one any more
    assert id(count_programs[(6, )]) == refilled and id(two) != refilled
    kept = count_programs[(6, )]
    assert programs(count_programs[(7, )]) == 7 and programs(kept) == 6
    assert programs(kept, n=3) == 6 and programs(functools.partial(kept), n=3) == 6
    assert programs(lambda out, n: kept.__call__(out, n=n)) == 6 and programs(kept.__call__) == 6
    grid = (5, )
    assert programs(count_programs[grid]) == 5 and programs(count_programs[grid]) == 5


def test_a_grid_may_launch_the_kernel_itself():
    import numpy as np
    inner, outer = np.zeros(8, "int32"), np.zeros(8, "int32")

    def grid(meta):
        count_programs[(4, )](inner, 5)
        return (2, )

    count_programs[grid](outer, 6)
    assert list(inner) == [5] * 4 + [0] * 4 and list(outer) == [6] * 2 + [0] * 6
