"""TRITON_INTERPRET=1: the CPU target, with every access checked."""
import warnings

import pytest

import tessera
import tessera.language as tl
from tessera import knobs
from tessera.runtime.errors import InterpreterError


def interpreted(function, **options):
    with knobs.runtime.scope():
        knobs.runtime.interpret = True
        return tessera.jit(function, **options)


@interpreted
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x * 2, mask=offsets < n)


@interpreted
def check_kernel(x_ptr, limit):
    x = tl.load(x_ptr + tl.arange(0, 8))
    tl.device_assert(x < limit, "too large")


@interpreted
def same_place_kernel(x_ptr):
    tl.store(x_ptr, tl.program_id(0))


@interpreted
def pair_kernel(pair, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(pair[0] + offsets) + pair[1])


def test_it_computes(numpy):
    x, out = numpy.arange(100, dtype="float32"), numpy.zeros(100, "float32")
    kernel = scale_kernel[lambda meta: (tessera.cdiv(100, meta["BLOCK"]), )](x, out, 100, BLOCK=64)
    assert numpy.array_equal(out, 2 * x)
    assert kernel.metadata.debug and kernel.metadata.sanitize and kernel.metadata.target.backend == "cpu"
    assert scale_kernel.warmup(x, out, 100, BLOCK=64, grid=(2, )) is kernel


def test_an_access_outside_is_an_error_with_its_line(numpy):
    x, out = numpy.ones(90, "float32"), numpy.zeros(100, "float32")
    with pytest.raises(InterpreterError) as caught:
        scale_kernel[(2, )](x, out, 100, BLOCK=64)
    text = str(caught.value)
    assert "load outside 'x_ptr': element 90" in text and "x = tl.load(x_ptr + offsets, mask=offsets < n)" in text
    assert "test_interpret.py:" in text


def test_a_view_may_be_left_for_the_rest_of_its_memory(numpy):
    x, out = numpy.arange(100, dtype="float32"), numpy.zeros(64, "float32")
    scale_kernel[(1, )](x[10:20], out, 64, BLOCK=64)
    assert numpy.array_equal(out, 2 * x[10:74])
    with pytest.raises(InterpreterError, match="outside 'x_ptr'"):
        scale_kernel[(1, )](x[50:60], out, 64, BLOCK=64)


def test_device_asserts_raise(numpy, capfd):
    x = numpy.arange(8, dtype="int32")
    check_kernel[(1, )](x, 8)
    with pytest.raises(InterpreterError):
        check_kernel[(1, )](x, 3)
    assert "too large" in capfd.readouterr().err


def test_programs_that_meet_are_warned_of(numpy):
    x = numpy.zeros(4, "int32")
    with pytest.warns(RuntimeWarning, match="both write element 0 of 'x_ptr'"):
        same_place_kernel[(4, )](x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same_place_kernel[(1, )](x)


def test_tuples_and_torch(numpy, torch):
    x, out = torch.arange(16, dtype=torch.float32), torch.zeros(16)
    pair_kernel[(1, )]((x, 1.5), out, BLOCK=16)
    assert torch.equal(out, x + 1.5)


def test_gpu_tensors_come_back(torch):
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    x, out = torch.arange(100, dtype=torch.float32, device="cuda"), torch.zeros(100, device="cuda")
    scale_kernel[(2, )](x, out, 100, BLOCK=64)
    assert torch.equal(out, 2 * x)


def test_it_is_decided_at_decoration():
    assert type(scale_kernel).__name__ == "InterpretedFunction"
    assert type(tessera.jit(scale_kernel.fn)).__name__ == "JITFunction"


def test_the_variable(snippet, numpy):
    done = snippet("""
import numpy, tessera, tessera.language as tl
@tessera.jit
def f(x_ptr):
    tl.store(x_ptr + tl.arange(0, 8), 1)
f[(1,)](numpy.zeros(4, "int32"))
""", env={"TRITON_INTERPRET": "1"}, status=1)
    assert "InterpreterError" in done.stderr and "store outside 'x_ptr'" in done.stderr


def test_arrays_that_claim_more_than_they_have(snippet, numpy):
    """In a process of its own: what is not found writes over Python's memory."""
    done = snippet("""
import numpy, tessera, tessera.language as tl
from numpy.lib.stride_tricks import as_strided

@tessera.jit
def f(x_ptr):
    tl.store(x_ptr + tl.arange(0, 64), 1.0)

four = numpy.zeros(4, "float32")
file = numpy.frombuffer(bytearray(64 * 4 * 3), "float32")
f[(1,)](file)
f[(1,)](file[::-1][127:])
f[(1,)](file.reshape(3, 64)[1])
claims = [as_strided(four, (1 << 40,), (0,)), as_strided(four, (1 << 30, 1 << 30), (1 << 40, 4)), as_strided(four, (64,), (4,)),
          numpy.broadcast_to(four[:1], (64,)), file[129:], numpy.frombuffer(bytearray(63 * 4), "float32")[::-1]]
for array in claims:
    try:
        f[(1,)](array)
    except Exception as error:
        assert "store outside 'x_ptr'" in str(error), error
    else:
        raise AssertionError((array.shape, array.strides))
print("all found")
""", env={"TRITON_INTERPRET": "1"})
    assert done.stdout == "all found\n"


def test_grids_that_are_none(numpy):
    class Endless:
        def __getitem__(self, i):
            return 1

    for grid in (Endless(), lambda meta: Endless(), lambda meta: scale_kernel, (), (1,) * 4, lambda meta: 5):
        with pytest.raises(TypeError, match="1 to 3 integers"):
            scale_kernel._launch(grid, (numpy.zeros(4, "float32"),) * 2 + (4,), {"BLOCK": 4})


# ---- pointers from memory ---------------------------------------------------------------------------

@interpreted
def gather_kernel(addresses_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source = tl.load(addresses_ptr + row).to(tl.pointer_type(tl.float32))
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * BLOCK + offsets, tl.load(source + offsets, mask=offsets < n, other=0.0))


@interpreted
def scatter_kernel(addresses_ptr, BLOCK: tl.constexpr):
    target = tl.load(addresses_ptr + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(target + tl.arange(0, BLOCK), 7.0)


def test_addresses_may_point_to_any_memory_of_the_program(numpy):
    rows = [numpy.full(60, i, "float32") for i in range(4)]
    addresses, out = numpy.array([row.ctypes.data for row in rows]), numpy.empty((4, 64), "float32")
    gather_kernel[(4, )](addresses, out, 60, BLOCK=64)
    assert all((out[i, :60] == i).all() and (out[i, 60:] == 0).all() for i in range(4))
    scatter_kernel[(2, )](addresses, BLOCK=32)
    assert (rows[0][:32] == 7).all() and (rows[1][:32] == 7).all() and rows[1][32] == 1 and (rows[2] == 2).all()


def test_addresses_where_there_is_no_memory(numpy):
    out = numpy.empty((1, 64), "float32")
    for address in (0, 8, 2**47 - 4096, -4096):
        with pytest.raises(InterpreterError, match="load where the process has no memory") as caught:
            gather_kernel[(1, )](numpy.array([address]), out, 64, BLOCK=64)
        assert "loaded from memory or made of an integer" in str(caught.value)
    with pytest.raises(InterpreterError, match="store where the process has no memory that it may write"):
        scatter_kernel[(1, )](numpy.array([0]), BLOCK=32)


def test_addresses_of_memory_that_is_gone_or_read_only():
    import mmap
    import numpy
    page = mmap.mmap(-1, 1 << 16)
    held = numpy.frombuffer(page, "float32")
    address = held.ctypes.data
    out = numpy.empty((1, 64), "float32")
    gather_kernel[(1, )](numpy.array([address]), out, 64, BLOCK=64)
    del held
    page.close()
    with pytest.raises(InterpreterError, match="load where the process has no memory"):
        gather_kernel[(1, )](numpy.array([address]), out, 64, BLOCK=64)
    fixed = mmap.mmap(-1, 1 << 16, prot=mmap.PROT_READ)
    held = numpy.frombuffer(fixed, "float32")
    gather_kernel[(1, )](numpy.array([held.ctypes.data]), out, 64, BLOCK=64)
    with pytest.raises(InterpreterError, match="no memory that it may write"):
        scatter_kernel[(1, )](numpy.array([held.ctypes.data]), BLOCK=32)


def test_tensors_that_only_an_address_leads_to():
    torch = pytest.importorskip("torch")
    rows = [torch.full((64, ), float(i)) for i in range(3)]
    out = torch.empty(3, 64)
    gather_kernel[(3, )](torch.tensor([row.data_ptr() for row in rows]), out, 64, BLOCK=64)
    assert torch.equal(out, torch.stack(rows))


# ---- breakpoint() -----------------------------------------------------------------------------------------------------------------

BREAKPOINT = """
import numpy as np, tessera
import tessera.language as tl

@tessera.jit
def scale(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask)
    small = x.to(tl.bfloat16)
    if pid == 1:
        breakpoint()
    tl.store(out_ptr + offsets, x * factor, mask)

x = np.arange(40, dtype="float32")
out = np.zeros_like(x)
scale[(3,)](x, out, 2.5, 40, BLOCK=16)
print(np.array_equal(out, x * 2.5))
"""


def test_a_breakpoint_stops_in_pdb(snippet, numpy):
    commands = "p x.tolist()[:3], mask.dtype.name, int(mask.sum()), int(n), BLOCK, float(factor)\np float(small[1]), program_id\nc\n"
    done = snippet(BREAKPOINT, env={"TRITON_INTERPRET": "1"}, input=commands, name="k.py")
    assert "in program (1, 0, 0)\n" in done.stdout and "k.py(13)" in done.stdout and "-> breakpoint()\n" in done.stdout
    assert "([16.0, 17.0, 18.0], 'bool', 16, 40, 16, 2.5)" in done.stdout and "(17.0, (1, 0, 0))" in done.stdout
    assert done.stdout.endswith("True\n") and done.stderr == ""


def test_quitting_the_debugger_ends_the_launch(snippet, numpy):
    done = snippet(BREAKPOINT, env={"TRITON_INTERPRET": "1"}, input="q\n", status=1)
    assert done.stderr.endswith("bdb.BdbQuit: left the debugger in program (1, 0, 0)\n") and "True" not in done.stdout
    assert done.stderr.count("  File ") == 1, done.stderr  # the launch's line, and none of this package


def test_a_breakpoint_without_the_interpreter_is_explained(snippet, numpy):
    done = snippet(BREAKPOINT, status=1)
    assert "Python's 'breakpoint' is not part of the kernel language here: with TRITON_INTERPRET=1 it stops in pdb" in done.stderr


def test_torch_tensors_have_bounds():
    """Also with a torch before 2.0, whose tensors have no untyped_storage()."""
    torch = pytest.importorskip("torch")
    x, out = torch.ones(90), torch.zeros(100)
    with pytest.raises(InterpreterError, match="load outside 'x_ptr': element 90"):
        scale_kernel[(2, )](x, out, 100, BLOCK=64)
    with pytest.warns(RuntimeWarning, match="both write element 0"):
        same_place_kernel[(2, )](torch.zeros(1, dtype=torch.int32))
