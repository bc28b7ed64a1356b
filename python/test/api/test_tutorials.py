"""Everything that docs/tutorial and the README show runs, and prints what is shown. pages.py says which blocks are what.

All pages run in one process, because starting one and importing the compiler takes longer than most pages.
"""
import glob
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import pages
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


def text_of(page):
    return pages.read(os.path.join("docs", "tutorial", f"{page}.md"))


def blocks(page, language):
    return pages.blocks(text_of(page), language)


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


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")])
def test_commands(page, tmp_path):
    pytest.importorskip("numpy")
    build = os.path.dirname(PACKAGES)
    if not os.path.exists(os.path.join(build, "bin", "tessera")) or shutil.which("c++") is None:
        pytest.skip("no command line, or no C++ compiler")
    env = child_environment({"TRITON_CACHE_DIR": str(tmp_path / "cache"), "PATH": f"{build}/bin:{os.environ['PATH']}"})
    work = tmp_path / "work"
    work.mkdir()
    for command, expected in pages.transcripts(text_of(page)):
        done = subprocess.run(["bash", "-c", command], cwd=work, env=env, capture_output=True, text=True, timeout=120)
        said = done.stdout + done.stderr
        assert pages.agrees(expected, said), f"{command}\n{said}"


def test_the_index_names_every_page():
    with open(os.path.join(ROOT, "docs", "index.md"), encoding="utf-8") as file:
        index = file.read()
    paths = glob.glob(os.path.join(ROOT, "docs", "*.md")) + glob.glob(os.path.join(ROOT, "docs", "tutorial", "*.md"))
    missing = [path for path in paths if f"({os.path.relpath(path, os.path.join(ROOT, 'docs'))})" not in index]
    assert [os.path.basename(path) for path in missing] == ["index.md"]


# ---- the README -------------------------------------------------------------------------------------------------------------------

def readme_commands():
    """The lines of the README's blocks that run a program of the build."""
    return [line for line in pages.command_lines(pages.read("README.md")) if re.match(r"(build/bin/|PYTHONPATH=build)", line)]


def test_the_readme_is_followed(tmp_path):
    """Every command of the README, in a folder that has what a clone and a build have, with an empty home and no other variables."""
    pytest.importorskip("numpy")
    build = os.path.dirname(PACKAGES)
    if not os.path.exists(os.path.join(build, "bin", "tessera")):
        pytest.skip("no command line")
    for name in ("examples", "kernels"):
        shutil.copytree(os.path.join(ROOT, name), tmp_path / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "home").mkdir()
    for name in ("bin", "python", "lib"):
        os.symlink(os.path.join(build, name), tmp_path / "build" / name)
    (tmp_path / "script.py").write_text("import triton\nassert triton.__version__ == '3.6.0'\n")
    commands_ = readme_commands()
    assert len(commands_) >= 5
    has_torch = importlib.util.find_spec("torch") is not None
    for command in commands_:
        if re.search(r"tessera lab softmax", command):  # minutes of measuring; docs/lab.md is followed by test/lab/test_tool_docs.py
            if not has_torch:
                continue
            command += " --check-only --versions v1 --random 0"
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env={"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1",
                                   "TESSERA_PYTHON": sys.executable})
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
