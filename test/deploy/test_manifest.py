"""Manifests that are wrong: tessera build says what and where, and writes nothing."""
import os
import textwrap

import pytest

KERNELS = textwrap.dedent("""\
    import triton
    import triton.language as tl

    @triton.jit
    def add(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, tl.load(x + at, at < n), at < n)

    @triton.jit
    def wrong(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), missing)
    """)
GOOD = 'file = "k.py"\nname = "add"\nsignature = "*fp32,*fp32,i32,64"\ntargets = ["cpu"]\n'


@pytest.fixture
def reject(tessera, tmp_path):
    """reject(text, status=1) is what tessera build says about a manifest; it must leave nothing behind."""
    def run(text, status=1):
        (tmp_path / "k.py").write_text(KERNELS)
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "m.toml").write_bytes(data)
        printed = tessera("build", "m.toml", "-o", "out", status=status)
        assert sorted(os.listdir(tmp_path)) == ["k.py", "m.toml"]
        return printed
    return run


TEXTS = {
    # The text of the file.
    'name = "a': "m.toml:1:8: error: the string does not end on its line",
    'name = a b': "m.toml:1:8: error: 'a' is no value; strings are in quotes",
    "name 5": "m.toml:1:6: error: there is '5' where '=' after the key is expected",
    "= 5": "m.toml:1:1: error: there is '=' where a key is expected",
    "a = 1 2": "m.toml:1:7: error: there is '2' where the end of the line is expected",
    "a = [1, 2": "m.toml:1:5: error: this array is not closed",
    "a = {b = 1": "m.toml:1:5: error: this table is not closed",
    "a = [1 2]": "m.toml:1:8: error: there is '2' where ',' or ']' is expected",
    "[a": "m.toml:1:3: error: the line ends where ']' is expected",
    "[[kernel]": "m.toml:1:9: error: there is ']' where ']]' is expected",
    "a = 1\na = 2": "m.toml:2:1: error: 'a' is there already\na = 2\n^\nm.toml:1:1: note: here",
    "[a]\n[a]": "m.toml:2:2: error: 'a' is there already",
    "kernel = 1\n[[kernel]]": "m.toml:2:3: error: 'kernel' is there already",
    "a = 1\n[a.b]": "m.toml:2:2: error: 'a' is no table",
    'a = """x"""': "m.toml:1:5: error: strings of several lines are not read; write one line",
    "a = 2024-01-01": "m.toml:1:5: error: dates and times are not read; write a string",
    r'a = "\q"': "m.toml:1:6: error: no such escape",
    r'a = "\ud800"': "m.toml:1:6: error: no such escape",
    'a = "\x01"': "a control character in a string; write \\u0001",
    "a = " + "[" * 100: "m.toml:1:37: error: values nest too deeply",
    ".".join("a" * 100) + " = 1": "error: the key has too many parts",
    # What it means.
    "": "m.toml: error: the manifest has no kernel; write [[kernel]], then file, name, signatures",
    "kernel = 5": "m.toml:1:1: error: kernels are tables of an array: write [[kernel]]",
    "kernel = [5]": "m.toml:1:11: error: a kernel is a table: write [[kernel]]",
    "nam = 'x'\n": "m.toml:1:1: error: a manifest has no key 'nam'; did you mean 'name'?",
    "name = 'a b'\n": "m.toml:1:8: error: the library cannot be called 'a b': a C function's name has letters",
    "name = '../x'\n": "m.toml:1:8: error: the library cannot be called '../x'",
    "name = 'exit'\n": "the library cannot be called 'exit': the C library has the name already",
    "name = 5\n": "m.toml:1:8: error: 'name' is a string, not a whole number",
    "targets = []\n": "m.toml:1:11: error: 'targets' is an array of strings",
    "targets = ['gpu:1']\n": "m.toml:1:12: error: unknown target 'gpu:1'; known are",
    "targets = ['sm90']\n": ", cpu; did you mean 'cuda:90'?",
    "targets = ['cpu', 'cpu']\n": "m.toml:1:19: error: the target 'cpu' is there twice",
    "options = { num-warps = 3 }\n": "m.toml:1:25: error: num-warps: ",
    "options = { num-wraps = 4 }\n": "m.toml:1:13: error: no compile option 'num-wraps'; did you mean 'num-warps'?",
    "options = { symbol = 'x' }\n": "m.toml:1:13: error: a library cannot be built with the option 'symbol'",
}


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_texts(reject, text):
    assert TEXTS[text] in reject(text)


KERNEL_KEYS = {
    'fil = "k.py"': "m.toml:2:1: error: a kernel has no key 'fil'; did you mean 'file'?",
    'name = "add"': "m.toml:1:1: error: a kernel needs 'file': a path from the manifest's folder",
    'file = "k.py"': "m.toml:1:1: error: a kernel needs 'name': that of its Python function",
    'file = "no.py"\nname = "add"': "m.toml:2:8: error: there is no file 'no.py'",
    'file = "/dev"\nname = "add"': "m.toml:2:8: error: '/dev' is a folder",
    r'file = "a\u0000b"' + '\nname = "add"': "m.toml:2:8: error: no file has such a name",
    'file = "../../../../../etc/shadow0"\nname = "add"': "error: there is no file '../../../../../etc/shadow0'",
    'file = "k.py"\nname = "add"': "the kernel needs 'signatures', and 'k.py' has no comment '# signature:' above 'add'",
    GOOD + 'function = "a-b"': "m.toml:6:12: error: 'a-b' cannot be a function's name in C: a C function's name has letters",
    GOOD + 'function = "int"': "m.toml:6:12: error: 'int' cannot be a function's name in C: C or C++ has the name already",
    GOOD + 'function = "m_load"': "'m_load' cannot be a function's name in C: the library has a function of that name",
    GOOD + f'function = "{"a" * 300}"': "it has more than 200 letters",
    GOOD + 'signatures = ["i32"]': "m.toml:6:1: error: a kernel has 'signature' or 'signatures', not both",
    GOOD.replace('"*fp32,*fp32,i32,64"', '"*fp33,*fp32,i32,64"'): "m.toml:4:13: error: entry 1 '*fp33': not a type and not a constant",
    GOOD.replace('"*fp32,*fp32,i32,64"', "5"): "m.toml:4:13: error: a signature is a string",
    GOOD.replace('["cpu"]', '"cpu"'): "m.toml:5:11: error: 'targets' is an array of strings",
    GOOD.replace('targets = ["cpu"]', ""): "m.toml:1:1: error: the kernel has no targets; write targets = [",
    GOOD + 'grid = "n;"': "m.toml:6:8: error: 'n;': ';' stands where an operator is expected",
    GOOD + 'grid = "1,2,3,4"': "m.toml:6:8: error: '1,2,3,4' is not one to three expressions separated by commas",
    GOOD + 'grid = ["n", "system(n)"]': "m.toml:6:14: error: 'system(n)': 'system(' is a call",
    GOOD + 'grid = 5': "m.toml:6:8: error: 'grid' is a string",
    GOOD + 'grid = "n_rows"': "m.toml:6:8: error: 'n_rows': 'n_rows' is no parameter of 'add'; there are n, BLOCK",
    GOOD + 'grid = "0"': "m.toml:6:8: error: '0' is 0, and a grid has at least one program along each axis",
    GOOD.replace('"*fp32,*fp32,i32,64"', '{ signature = "*fp32,*fp32,i32,64", when = "n <" }'):
        "m.toml:4:56: error: 'n <': it ends where a parameter or a number is expected",
    GOOD.replace('"*fp32,*fp32,i32,64"', '{ signature = "*fp32,*fp32,i32,64", when = "m < 3" }'):
        "m.toml:4:56: error: 'm < 3': 'm' is no parameter of 'add'; there are n, BLOCK",
    GOOD + "later-chips = true": "m.toml:6:1: error: no target of the kernel has assembly for later chips: cpu",
    GOOD + "later-chips = 1": "m.toml:6:15: error: 'later-chips' is true or false, not a whole number",
    # Signatures that are no variants of one function.
    GOOD.replace('signature = "*fp32,*fp32,i32,64"', 'signatures = ["*fp32,*fp32,i32,64", "*fp16,*fp16,i32,64"]'):
        "m.toml:4:37: error: 'x' is *fp16 here and *fp32 in another signature; one C function has one type",
    GOOD.replace('signature = "*fp32,*fp32,i32,64"', 'signatures = ["*fp32,*fp32,i32,64", "*fp32,*fp32,i32,64"]'):
        "m.toml:4:37: error: it takes the same arguments as signature 1 of the kernel, and would never run",
    GOOD + "[[kernel]]\n" + GOOD: "m.toml:8:8: error: the function 'add' is there already",
    # What compilations say comes with the place in the manifest.
    GOOD.replace("add", "wrong").replace("*fp32,*fp32,i32,64", "*fp32,64"): "m.toml:4:13: note: for '*fp32,64' and cpu, asked for here",
    GOOD.replace("add", "absent"): "k.py: error: no kernel 'absent'; the file's kernels are: add, wrong",
    GOOD.replace("*fp32,*fp32,i32,64", "*fp32,64"): "the signature has 2 entries and 'add' takes 4",
}


@pytest.mark.parametrize("keys", KERNEL_KEYS, ids=range(len(KERNEL_KEYS)))
def test_kernels(reject, keys):
    assert KERNEL_KEYS[keys] in reject("[[kernel]]\n" + keys + "\n")


def test_all_errors_of_a_manifest_are_said_at_once(reject):
    printed = reject('[[kernel]]\nfile = "no.py"\nname = "a b"\nsignature = "x"\ntargets = ["y"]\ngrid = ";"\n')
    assert [line.split(":")[1] for line in printed.splitlines() if ": error: " in line] == ["2", "3", "5", "6", "4"]


GARBAGE = [b"\xff\xfe", b"name = '\xc3'", b"\x00" * 1000, b"\r" * 50, b"a" * 100000, b"[" * 100000, b"{" * 100000,
           b"a.b.c.d = [{x = [{y = 1}]}]\n", b"[a]\n" + b"".join(b"k%d = 1\n" % i for i in range(5000)), b"[[kernel]]\n" * 50000,
           b"# \xe2\x80\x8b\n" * 1000, b"a = " + b"9" * 5000, b'a = "' + b"\\" * 9999]


@pytest.mark.parametrize("number", range(len(GARBAGE)))
def test_garbage_is_an_error_and_no_crash(reject, number):
    printed = reject(GARBAGE[number])
    assert "error: " in printed and len(printed) < 5000


def test_files_that_are_no_manifests(tessera, tmp_path):
    assert "no.toml" in tessera("build", "no.toml", status=1)
    assert "'/dev'" in tessera("build", "/dev", status=1)
    assert "build needs a MANIFEST" in tessera("build", status=2)
    assert "build takes one MANIFEST, not 'b' too" in tessera("build", "a", "b", status=2)
    (tmp_path / "large.toml").write_bytes(b"#" * (5 << 20))
    assert "error: " in tessera("build", "large.toml", status=1)
    (tmp_path / "file").write_text("")
    assert "'file' is not a folder" in tessera("build", "large.toml", "-o", "file", status=2)
