"""Everything that docs/tutorial shows runs, and prints what is shown.

    ```python    all blocks of a page are one program, as a reader would type them; ```output blocks are what it prints
    ```sh        lines that begin with `$ ` are commands, with their here-documents; the other lines are their output, in which
                 `...` stands for any text
    ```py, ```   not run: for a GPU, or of another program

All pages run in one process, because starting one and importing the compiler takes longer than most pages.
"""
import glob
import json
import os
import re
import shutil
import subprocess

import pytest

from places import PACKAGES, ROOT, child_environment

PAGES = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(ROOT, "docs", "tutorial", "*.md")))
DRIVER = """
import contextlib, io, json, runpy, sys, traceback
outcomes = {}
for page in sys.argv[1:]:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            runpy.run_path(page + ".py", run_name="__main__")
        except BaseException:
            traceback.print_exc(file=text)
    outcomes[page] = text.getvalue()
json.dump(outcomes, open("outcomes.json", "w"))
"""


def blocks(page, language):
    with open(os.path.join(ROOT, "docs", "tutorial", f"{page}.md"), encoding="utf-8") as file:
        return [text for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.M | re.S) if kind == language]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    pytest.importorskip("numpy")
    folder = tmp_path_factory.mktemp("pages")
    programs = {page: "\n".join(blocks(page, "python")) for page in PAGES}
    for page, text in programs.items():
        (folder / f"{page}.py").write_text(text, encoding="utf-8")
    (folder / "driver.py").write_text(DRIVER)
    import sys
    subprocess.run([sys.executable, "driver.py", *[page for page in PAGES if programs[page]]], cwd=folder, check=True, timeout=300,
                   env=child_environment({"CUDA_VISIBLE_DEVICES": "", "TRITON_CACHE_DIR": str(folder / "cache")}))
    return json.loads((folder / "outcomes.json").read_text())


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_python(outcomes, page):
    assert outcomes[page] == "".join(blocks(page, "output"))


def commands(text):
    """[(command with its here-document, expected output)]"""
    found, lines = [], iter(text.split("\n"))
    for line in lines:
        if line.startswith("$ "):
            command = [line[2:]]
            if line.endswith("<<END"):
                for inner in lines:
                    command.append(inner)
                    if inner == "END":
                        break
            found.append(("\n".join(command), []))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(said).strip("\n")) for command, said in found]


def as_pattern(text):
    return ".*".join(re.escape(part) for part in text.split("..."))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")])
def test_commands(page, tmp_path):
    pytest.importorskip("numpy")
    build = os.path.dirname(PACKAGES)
    if not os.path.exists(os.path.join(build, "bin", "tessera")) or shutil.which("c++") is None:
        pytest.skip("no command line, or no C++ compiler")
    env = child_environment({"TRITON_CACHE_DIR": str(tmp_path / "cache"), "PATH": f"{build}/bin:{os.environ['PATH']}"})
    work = tmp_path / "work"
    work.mkdir()
    for command, expected in [each for block in blocks(page, "sh") for each in commands(block)]:
        done = subprocess.run(["bash", "-c", command.replace("<<END", "<<'END'")], cwd=work, env=env, capture_output=True, text=True,
                              timeout=120)
        said = (done.stdout + done.stderr).strip("\n")
        assert re.fullmatch(as_pattern(expected), said, re.S), f"{command}\n{said}"


def test_the_index_names_every_page():
    with open(os.path.join(ROOT, "docs", "index.md"), encoding="utf-8") as file:
        index = file.read()
    pages = glob.glob(os.path.join(ROOT, "docs", "*.md")) + glob.glob(os.path.join(ROOT, "docs", "tutorial", "*.md"))
    missing = [path for path in pages if f"({os.path.relpath(path, os.path.join(ROOT, 'docs'))})" not in index]
    assert [os.path.basename(path) for path in missing] == ["index.md"]


# ---- the README -------------------------------------------------------------------------------------------------------------------

def readme_commands():
    """The lines of the README's blocks that run a program of the build, with their continuations; `...` is for the reader to fill in."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        blocks_ = re.findall(r"^```\n(.*?)^```$", file.read(), re.M | re.S)
    lines = "\n".join(blocks_).replace("\\\n", " ").split("\n")
    return [re.sub(r"\s+#.*$", "", line) for line in lines if re.match(r"(build/bin/|PYTHONPATH=build)", line) and " ... " not in line]


def test_the_readme_is_followed(tmp_path):
    """Every command of the README, in a folder that has what a clone and a build have, with an empty home and no other variables."""
    pytest.importorskip("numpy")
    build = os.path.dirname(PACKAGES)
    if not os.path.exists(os.path.join(build, "bin", "tessera")):
        pytest.skip("no command line")
    shutil.copytree(os.path.join(ROOT, "examples"), tmp_path / "examples")
    (tmp_path / "build").mkdir()
    (tmp_path / "home").mkdir()
    for name in ("bin", "python", "lib"):
        os.symlink(os.path.join(build, name), tmp_path / "build" / name)
    (tmp_path / "script.py").write_text("import triton\nassert triton.__version__ == '3.6.0'\n")
    has_assembler = shutil.which("ptxas") is not None
    commands_ = readme_commands()
    assert len(commands_) >= 5
    for command in commands_:
        if "--emit all" in command and not has_assembler:
            continue
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env={"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"})
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
