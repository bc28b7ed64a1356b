"""What docs/python.md shows runs."""
import os
import re

from places import ROOT


def blocks(language):
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        return [text for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.M | re.S) if kind == language]


def test_python(snippet, numpy):
    """All blocks as one program, as a reader would type them."""
    snippet("\n".join(blocks("python")), env={"CUDA_VISIBLE_DEVICES": ""})


def test_messages(snippet, numpy):
    """What the kernel that is wrong says is what is shown, but for paths and addresses."""
    program = [text for text in blocks("python") if "def scale_kernel" in text]
    shown = [text for text in blocks("") if text.startswith("Traceback")]
    assert len(program) == 1 and len(shown) == 2
    for text, interpret in zip(shown, "01"):
        launch = text.split("\n")[2].strip()
        said = snippet(program[0] + "\n" + launch + "\n", name="scale.py", status=1, env={"TRITON_INTERPRET": interpret}).stderr
        said = re.sub(r"/\S*/(?=scale\.py)", "", re.sub(r" +[~^]+\n(?=tessera)", "", said))
        address = re.compile(r"0x[0-9a-f]+")
        assert address.sub("", said).startswith(address.sub("", text)), said


def test_commands(snippet, python_process, tmp_path, numpy):
    """The drop-in's, with a script and a test of the reader's."""
    (tmp_path / "script.py").write_text("import sys, triton\nassert sys.argv[1:] == ['--its', 'arguments']\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("import triton.language as tl\n\ndef test_it():\n    assert tl.float32\n")
    lines = [line for block in blocks("") for line in block.split("\n") if line.startswith("python -m tessera ")]
    assert len(lines) == 3
    for line in lines:
        arguments = re.findall(r'"([^"]*)"|(\S+)', line)[1:]
        python_process(*(quoted or plain for quoted, plain in arguments))


def test_every_variable_is_read(numpy):
    """Names in the table are those of knobs.py, and knobs that it names exist."""
    import tessera
    with open(os.path.join(os.path.dirname(tessera.__file__), "knobs.py"), encoding="utf-8") as file:
        known = set(re.findall(r'"([A-Z][A-Z_0-9]+)"', file.read())) | {f"TRITON_{tool}_PATH" for tool in ("PTXAS", "CUOBJDUMP", "NVDISASM")}
    with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
        table = file.read().split("## Environment variables")[1].split("\n## ")[0]
    rows = [row for row in table.split("\n") if row.startswith("| `")]
    assert len(rows) > 15
    for row in rows:
        variables, knobs = row.split("|")[1:3]
        for name in re.findall(r"`([A-Z_0-9]+)`", variables):
            assert name in known, name
        group = None
        for name in re.findall(r"`([\w.]+)`", knobs):
            group = name.split(".")[0] or group
            assert name.split(".")[-1] in dir(getattr(tessera.knobs, group)), name
