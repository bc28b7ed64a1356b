"""The programs that tests of ahead-of-time compilation use."""
import os
import shutil

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
TESSERA = os.path.join(BUILD, "bin", "tessera")
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


def compiler(name="cc"):
    """The path of a program; the test is skipped if there is none."""
    return shutil.which(name) or pytest.skip(f"no {name} on this machine")
