"""docs/passes.md is what scripts/write-passes makes of the passes as they are."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import ROOT  # noqa: E402


def test_the_page_is_up_to_date():
    done = subprocess.run(["scripts/write-passes", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
