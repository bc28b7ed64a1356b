"""tessera_pack.h: kernels of a pack on the CPU, from C, C++, Python and Rust, without a compiler."""
import ctypes
import itertools
import json
import os
import shutil
import subprocess
import sys

import pytest
from machine import TESSERA, compiler

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARY = os.path.join(os.path.dirname(os.path.dirname(TESSERA)), "lib", "libtessera_pack.so")
EXAMPLES = os.path.join(ROOT, "examples", "deploy", "pack")
RIGHT = "add on cpu: 0 of 10000 are wrong\n"


@pytest.fixture
def pack(tessera, tmp_path):
    tessera("pack", os.path.join(ROOT, "examples", "deploy", "kernels.toml"), "--targets", "cpu", "-o", "demo.tpack")
    return tmp_path / "demo.tpack"


def run(command, folder, status=0):
    done = subprocess.run([*map(str, command)], cwd=str(folder), capture_output=True, text=True,
                          env=dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(LIBRARY)))
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_library_is_small_and_needs_the_c_library_alone():
    assert os.path.getsize(LIBRARY) < 200 * 1024
    needed = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
    names = {line.split("[")[1].rstrip("]") for line in needed.splitlines() if "NEEDED" in line}
    assert names <= {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}


def test_cpp_with_the_header_of_the_pack(pack, tessera, tmp_path):
    tessera("pack", "header", "demo.tpack", "-o", "demo.tpack.h")
    run([compiler("c++"), "-Wall", "-Wextra", "-Werror", "-std=c++17", "-I.", f"-I{ROOT}/include", f"{EXAMPLES}/main.cpp", LIBRARY, "-o", "demo"],
        tmp_path)
    assert run(["./demo", "demo.tpack"], tmp_path) == RIGHT
    assert "cannot open the pack" in run(["./demo", "none.tpack"], tmp_path, status=1)
    text = (tmp_path / "demo.tpack.h").read_text()
    (tmp_path / "c.c").write_text('#include "demo.tpack.h"\nint main(void) { return tessera_pack_count(0) != 0; }\n')
    run([compiler(), "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-std=c99", "-I.", f"-I{ROOT}/include", "c.c", LIBRARY, "-o", "c"],
        tmp_path)
    run(["./c"], tmp_path)
    assert "int32_t n_elements" in text


def test_python(pack, tmp_path):
    assert run([sys.executable, f"{EXAMPLES}/demo.py", LIBRARY, "demo.tpack"], tmp_path) == RIGHT


def test_rust(pack, tmp_path):
    if shutil.which("rustc") is None:
        pytest.skip("there is no rustc")
    run(["rustc", "-D", "warnings", f"{EXAMPLES}/main.rs", "-L", os.path.dirname(LIBRARY), "-l", "tessera_pack", "-o", "demo"], tmp_path)
    assert run(["./demo", "demo.tpack"], tmp_path) == RIGHT


class Place(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("stream", ctypes.c_void_p), ("threads", ctypes.c_uint)]


class Library:
    """The C functions, with errors as (status, sentence)."""

    def __init__(self, path=None):
        self.c = ctypes.CDLL(LIBRARY)
        self.c.tessera_pack_last_error.restype = ctypes.c_char_p
        self.pack = ctypes.c_void_p()
        self.status = self.said(self.c.tessera_pack_open(str(path).encode(), None, ctypes.byref(self.pack)))

    def said(self, status):
        return (status, self.c.tessera_pack_last_error().decode()) if status else 0

    def launch(self, kernel, grid, *values):
        pointers = (ctypes.c_void_p * len(values))(*[None if value is None else ctypes.addressof(value) for value in values])
        return self.said(self.c.tessera_pack_launch(self.pack, kernel, (ctypes.c_uint32 * 3)(*grid), pointers, len(values), ctypes.byref(Place(None, None, 3))))


def test_variants_are_chosen_by_the_arguments(pack):
    import numpy
    library = Library(pack)
    assert library.status == 0
    x, out = numpy.arange(4097, dtype="f4"), numpy.zeros(4097, "f4")

    def add(offset, n, block=None, grid=(4, 1, 1)):
        out[:] = 0
        addresses = [ctypes.c_void_p(each.ctypes.data + 4 * offset) for each in (x, x, out)]
        result = library.launch(b"add", grid, *addresses, ctypes.c_int32(n), None if block is None else ctypes.c_int64(block))
        return result or (bool((out[offset:offset + n] == 2 * x[offset:offset + n]).all()), out[offset + n:].any())
    assert add(0, 4096) == (True, False) and add(0, 4090) == (True, False) and add(1, 4000) == (True, False)
    assert add(0, 100, block=1024) == (True, False) and add(0, 100, block=512) == (5, "no variant of 'add' for cpu fits the arguments")
    assert add(0, 100, grid=(0, 1, 1)) == (False, False)
    assert library.launch(b"none", (1, 1, 1)) == (4, "the pack has no kernel 'none' for cpu")
    assert library.launch(b"add", (1, 1, 1)) == (5, "no variant of 'add' for cpu fits the number of arguments")
    assert library.launch(b"add", (1, 1, 1), *[None] * 5)[0] == 5
    assert add(0, 100, grid=(1 << 31, 1, 1))[0] == 7


MANY = """
import tessera
import tessera.language as tl

@tessera.jit
def fill(x_ptr, n, BLOCK: tl.constexpr, FLAG: tl.constexpr, SCALE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(x_ptr + i, (i.to(tl.int64) + BLOCK + (2 if FLAG else 0)).to(tl.float32), mask=i < n)
"""


def many_variants(tessera, folder):
    """A pack with variants that differ in promises and in constants of all kinds."""
    (folder / "many.py").write_text(MANY)
    rows = [f"{x},{n},{block},{flag},{scale}" for x in ("*fp32:16", "*fp32") for n in ("i32:16", "i32", "i32:1", "7")
            for block, flag, scale in ((16, True, None), (16, False, None), (-1, True, 1.5), (1 << 40, False, "None"), (16, True, 2.5))]
    lines = "".join(f'  {{ signature = "{row}" }},\n' for row in rows)
    (folder / "many.toml").write_text(f'[[kernel]]\nfile = "many.py"\nname = "fill"\ntargets = ["cpu"]\nvariants = [\n{lines}]\n')
    tessera("pack", "many.toml", "-o", "many.tpack")
    return folder / "many.tpack", len(rows)


def literal(constant):
    """The number that a caller passes for a constant; None if there is none."""
    return {"True": 1, "False": 0, "None": 0}[constant] if constant in ("True", "False", "None") else \
        int(constant) if constant.lstrip("-").isdigit() else None


def promises_of(record, values):
    """How many promises of a record hold, of which all must; -1 otherwise. The rule that the library keeps without reading records."""
    count = 0
    for argument, value in zip(record["arguments"], values):
        if "constant" in argument:
            if value is None:
                continue
            number = literal(argument["constant"])
            if number is None or (bool(value) != bool(number) if argument["constant"] in ("True", "False") else number != value):
                return -1
            count += 2
        elif value is None:
            return -1
        elif argument.get("divisibility", 1) > 1:
            if value % argument["divisibility"]:
                return -1
            count += 1
    return count


def test_many_variants_are_chosen_as_by_reading_every_record(tessera, tmp_path):
    path, count = many_variants(tessera, tmp_path)
    library = Library(path)
    records = []
    for number in range(count):
        place, size = ctypes.c_void_p(), ctypes.c_size_t()
        assert library.c.tessera_pack_output(library.pack, number, b"record", ctypes.byref(place), ctypes.byref(size)) == 0
        records.append(json.loads(ctypes.string_at(place, size.value)))
    chosen = set()
    for given in itertools.product((0, 8, 64), (1, 7, 16, 20), (None, 16, -1, 1 << 40, 5), (None, 0, 1, 3), (None, 0)):
        kinds = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
        objects = [None if value is None else kind(value) for kind, value in zip(kinds, given)]
        pointers = (ctypes.c_void_p * 5)(*[None if each is None else ctypes.addressof(each) for each in objects])
        number = ctypes.c_uint32()
        status = library.c.tessera_pack_select(library.pack, b"fill", b"cpu", pointers, 5, ctypes.byref(number))
        most, best = max((promises_of(record, given), -index) for index, record in enumerate(records))
        assert (status, number.value) == ((0, -best) if most >= 0 else (5, 0)), (given, most)
        chosen.add(number.value)
    assert len(chosen) > 20


def test_damaged_packs_are_refused(pack, tmp_path):
    data = pack.read_bytes()
    for number, (change, status) in enumerate([(b"", 1), (data[:100], 2), (b"x" + data[1:], 2), (data[:-1], 2)]):
        path = tmp_path / f"{number}.tpack"
        path.write_bytes(change)
        assert Library(path).status[0] == status
    start = int.from_bytes(data[40:48], "little")
    path.write_bytes(data[:start] + bytes(byte ^ 1 for byte in data[start:]))
    library = Library(path)
    assert library.status == 0
    n = ctypes.c_int32(0)
    pointer = ctypes.c_void_p(0)
    damaged = library.launch(b"add", (1, 1, 1), pointer, pointer, pointer, n, None)
    assert damaged == (6, "the records of 'add' are damaged, or of a later version")
    assert library.said(library.c.tessera_pack_load(library.pack, b"add", ctypes.byref(Place(None, None, 1))))[0] == 6


def test_signatures(pack, tessera, tmp_path):
    tessera("pack", "keygen", "key")
    tessera("pack", "merge", "-o", "signed.tpack", "demo.tpack", "--sign", "key")
    key = bytes.fromhex((tmp_path / "key.pub").read_text().split()[1])
    library = Library(pack)
    for path, used, status in (("signed.tpack", key, 0), ("demo.tpack", key, 3), ("signed.tpack", bytes(32), 3)):
        opened = ctypes.c_void_p()
        assert library.c.tessera_pack_open(str(tmp_path / path).encode(), used, ctypes.byref(opened)) == status
