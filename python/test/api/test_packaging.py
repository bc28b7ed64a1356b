"""The wheel and the package as users get them: what is in it, and that it runs where nothing of this tree is in sight."""
import base64
import csv
import glob
import hashlib
import io
import os
import subprocess
import sys
import zipfile

import pytest

from places import BUILD, ROOT

ADD = """\
import sys
import numpy, tessera, tessera.language as tl

@tessera.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)

x, y = numpy.random.randn(2, 98432).astype("float32")
out = numpy.zeros_like(x)
add[(tessera.cdiv(x.size, 1024),)](x, y, out, x.size, BLOCK=1024)
assert numpy.array_equal(out, x + y)
assert "torch" not in sys.modules
print(tessera.__file__)
"""


def make_wheel(folder):
    environment = dict(os.environ, BUILD=BUILD)
    done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "wheel"), "--out", str(folder), "--level", "1"],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    return glob.glob(str(folder / "*.whl"))[0]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """From a build folder; an unpacked archive has been stripped and packed already."""
    if not os.path.exists(os.path.join(BUILD, "CMakeCache.txt")):
        pytest.skip("this is no build folder")
    return make_wheel(tmp_path_factory.mktemp("wheel"))


def test_name_and_metadata(wheel):
    import tessera
    name = os.path.basename(wheel)
    assert name.startswith(f"tessera-{tessera.__version__}-cp39-abi3-manylinux_2_") and name.endswith("_x86_64.whl")
    with zipfile.ZipFile(wheel) as archive:
        info = f"tessera-{tessera.__version__}.dist-info"
        metadata, tags = (archive.read(f"{info}/{file}").decode() for file in ("METADATA", "WHEEL"))
    assert f"\nName: tessera\nVersion: {tessera.__version__}\n" in metadata and "\nRequires-Python: >=3.9\n" in metadata
    assert "Requires-Dist" not in metadata
    assert f"\nTag: {name[:-4].split('-', 2)[2]}\n" in tags and "Root-Is-Purelib: false" in tags


def test_record_has_every_file_and_its_digest(wheel):
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        record = next(name for name in names if name.endswith(".dist-info/RECORD"))
        rows = list(csv.reader(io.StringIO(archive.read(record).decode())))
        assert sorted(row[0] for row in rows) == sorted(names) and len(set(names)) == len(names)
        for path, digest, size in rows:
            if path != record:
                data = archive.read(path)
                expected = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                assert (digest, int(size)) == (expected, len(data)), path


def test_contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
    assert {"tessera/__init__.py", "tessera/py.typed", "tessera/_native.abi3.so", "tessera/_native.pyi", "tessera/lib/libtessera.so",
            "tessera/bin/tessera", "tessera/include/tessera.h", "tessera/_as_triton/triton/__init__.py",
            "tessera/_as_triton/triton-3.6.0.dist-info/METADATA", "tessera/kernels/__init__.py", "tessera/kernels/softmax/v4_optimized.py",
            "tessera/kernels/softmax/cases.toml"} <= names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc") or "/test/" in name]
    assert [name for name in names if "/licenses/LICENSE" in name] and [name for name in names if "/licenses/llvm" in name]
    assert modes["tessera/bin/tessera"] & 0o111 and not modes["tessera/__init__.py"] & 0o111
    # Whatever is in the repository is in the wheel.
    sources = {os.path.relpath(os.path.join(folder, file), os.path.join(ROOT, "python")).replace(os.sep, "/")
               for folder, _, files in os.walk(os.path.join(ROOT, "python", "tessera")) for file in files
               if file.endswith((".py", ".pyi")) and "__pycache__" not in folder}
    assert sources <= names


def test_the_same_tree_gives_the_same_bytes(wheel, tmp_path):
    with open(wheel, "rb") as one, open(make_wheel(tmp_path), "rb") as other:
        assert one.read() == other.read()


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """(python, environment) with the wheel, by pip in a venv where this Python can make one, else unzipped."""
    home = tmp_path_factory.mktemp("installed")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    venv = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(home / "venv")], capture_output=True)
    if venv.returncode == 0:
        python = str(home / "venv" / "bin" / "python")
        done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", "--force-reinstall", wheel], env=environment,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return python, environment
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            path = archive.extract(info, home / "site")
            os.chmod(path, info.external_attr >> 16)
    return sys.executable, dict(environment, PYTHONPATH=str(home / "site"))


def run(installed, *arguments, cwd, **options):
    python, environment = installed
    done = subprocess.run([python, *map(str, arguments)], env=environment, cwd=str(cwd), capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_runs_where_it_is_installed(installed, tmp_path, numpy):
    (tmp_path / "add.py").write_text(ADD)
    where = run(installed, "add.py", cwd=tmp_path)
    assert not where.startswith((ROOT, BUILD))


def test_drop_in_where_it_is_installed(installed, tmp_path, numpy):
    (tmp_path / "add.py").write_text(ADD.replace("tessera", "triton"))
    run(installed, "-m", "tessera", "add.py", cwd=tmp_path)


def test_operators_where_it_is_installed(installed, tmp_path):
    pytest.importorskip("torch")
    code = ("import sys, torch\nfrom tessera.kernels import softmax\nx = torch.randn(4, 50)\n"
            "assert torch.allclose(softmax(x, -1), torch.softmax(x, -1))\nassert 'triton' not in sys.modules\nprint(softmax.__code__.co_filename)\n")
    assert not run(installed, "-c", code, cwd=tmp_path).startswith((ROOT, BUILD))


def test_command_line_where_it_is_installed(installed, tmp_path):
    python, environment = installed
    program = os.path.join(os.path.dirname(python), "tessera")
    if not os.path.exists(program):
        pytest.skip("no venv in this Python, so no scripts")
    import tessera
    done = subprocess.run([program, "version"], env=environment, capture_output=True, text=True, check=True)
    assert tessera.__version__ in done.stdout
    (tmp_path / "add.py").write_text(ADD.replace("tessera", "triton"))
    done = subprocess.run([program, "compile", str(tmp_path / "add.py"), "-n", "add", "-s", "*fp32,*fp32,*fp32,i32,64", "--target", "cuda:90",
                           "--emit", "ptx", "-o", "-"], env=environment, capture_output=True, text=True, check=True)
    assert ".visible .entry add" in done.stdout


def test_pip_knows_it(installed, tmp_path):
    python, environment = installed
    if "venv" not in python:
        pytest.skip("no venv in this Python")
    assert "Name: tessera\n" in run(installed, "-m", "pip", "show", "tessera", cwd=tmp_path)
    subprocess.run([python, "-m", "pip", "check"], env=environment, cwd=str(tmp_path), capture_output=True)
    run(installed, "-m", "pip", "uninstall", "-y", "tessera", cwd=tmp_path)
    package = run(installed, "-c", "import importlib.util; print(importlib.util.find_spec('tessera'))", cwd=tmp_path)
    assert package == "None\n"


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_other_versions_of_python(wheel, tmp_path, version):
    """One build for all of them, where this machine has them (python3.X on PATH, or $TESSERA_TEST_PYTHONS)."""
    import shutil
    places = os.environ.get("TESSERA_TEST_PYTHONS", "").split(os.pathsep) + [shutil.which(f"python{version}") or ""]
    script = "import sys; sys.exit(sys.version_info[:2] != (%s))" % version.replace(".", ", ")
    python = next((place for place in places if place and subprocess.run([place, "-c", script], capture_output=True).returncode == 0), None)
    if python is None or python == sys.executable:
        pytest.skip(f"no other Python {version} on this machine")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    code = ("import array, tessera, tessera.language as tl\n\n@tessera.jit\ndef double(x, n: tl.constexpr):\n"
            "    at = tl.arange(0, n)\n    tl.store(x + at, 2 * tl.load(x + at))\n\n"
            "class Array:\n    def __init__(self, values):\n        self.values = array.array('f', values)\n        self.dtype = 'float32'\n"
            "    def data_ptr(self):\n        return self.values.buffer_info()[0]\n\n"
            "x = Array(range(64))\ndouble[(1,)](x, 64)\nassert list(x.values) == [2.0 * i for i in range(64)], x.values\n")
    (tmp_path / "double.py").write_text(code)
    environment = {"PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([python, str(tmp_path / "double.py")], env=environment, cwd="/", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
