"""The file that reproduces an internal error cannot be made to go through somebody else's link."""
import os
import re
import stat
import subprocess

from launch import EXAMPLES, TESSERA


def fail(tmp_path, temporary):
    """What is printed by a compilation whose assembler objects to PTX of ours; the reproducer's path."""
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho 'ptxas fatal   : no' >&2\nexit 255\n")
    tool.chmod(0o755)
    command = [TESSERA, "compile", os.path.join(EXAMPLES, "add.py"), "-n", "add_kernel", "-s", "*fp32,*fp32,*fp32,i32,1024",
               "--target", "cuda:90", "--emit", "cubin", "-o", str(tmp_path / "out"), "--no-cache", "--ptxas", str(tool)]
    done = subprocess.run(command, env={**os.environ, "TMPDIR": str(temporary)}, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 70 and "this is a bug in Tessera" in done.stderr
    return re.search(r"tessera compile (\S+\.ptx)", done.stderr)[1]


def test_it_goes_to_a_folder_of_its_own(tmp_path):
    temporary, victim = tmp_path / "tmp", tmp_path / "victim"
    temporary.mkdir()
    victim.write_text("precious")
    (temporary / "tessera-reproducer-add_kernel.ptx").symlink_to(victim)
    first, second = fail(tmp_path, temporary), fail(tmp_path, temporary)
    assert first != second and victim.read_text() == "precious"
    for path in first, second:
        folder = os.path.dirname(path)
        assert os.path.dirname(folder) == str(temporary) and stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        with open(path, encoding="utf-8") as file:
            assert ".visible .entry add_kernel" in file.read()
