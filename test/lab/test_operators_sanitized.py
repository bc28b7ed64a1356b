"""Every version of every operator of kernels/ under the sanitizer: accesses outside, data races, overflows. See test_operators.py."""
import os
import sys

import pytest

pytest.importorskip("torch")
os.environ["TRITON_INTERPRET"] = "1"  # before tessera is imported: a kernel is sanitized from its decoration on
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from test_operators import tessera_as_triton, test_version_agrees_with_torch  # noqa: E402, F401
