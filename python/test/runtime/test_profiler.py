"""triton.profiler: programs that use it run, and hear that nothing is recorded."""
import inspect
import warnings

import pytest

from tessera import profiler as proton


def test_nothing_is_recorded_and_a_warning_says_so(monkeypatch):
    with pytest.warns(RuntimeWarning, match="no profiler"):
        assert proton.start("matmul", hook="triton") is None
    monkeypatch.setenv("TRITON_PROTON_DISABLE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert proton.start() is None
        assert [proton.deactivate(), proton.activate(0), proton.finalize()] == [None] * 3


def test_scopes_run_what_is_in_them():
    @proton.scope("outer", {"flops": 1})
    @proton.state("warm")
    def run(x):
        with proton.scope("inner"), proton.cpu_timed_scope("on the host", metrics={"n": 1}):
            proton.enter_scope("by hand", metrics={"n": 1})
            proton.exit_scope()
            return x + 1

    assert run(1) == 2 and run(2) == 3
    with pytest.raises(KeyError):
        with proton.scope("fails"):
            raise KeyError("through")

    @proton.profile(name="all")
    def profiled(x):
        return x

    with pytest.warns(RuntimeWarning):
        assert profiled(3) == 3


def test_under_the_drop_in(snippet):
    done = snippet("import triton.profiler as proton\nfrom triton.profiler import scope\nwith scope('x'): print('ran')\n",
                   flags=["-m", "tessera"])
    assert done.stdout == "ran\n" and done.stderr == ""


def test_the_parameters_are_protons(triton):
    theirs = pytest.importorskip("triton.profiler")
    for name in ("start", "activate", "deactivate", "finalize", "profile", "scope", "cpu_timed_scope", "enter_scope", "exit_scope",
                 "state", "enter_state", "exit_state"):
        left, right = [[(p.name, p.kind, p.default) for p in inspect.signature(getattr(module, name)).parameters.values()]
                       for module in (theirs, proton)]
        assert left == right, name
    assert proton.DEFAULT_PROFILE_NAME == theirs.DEFAULT_PROFILE_NAME
