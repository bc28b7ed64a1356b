"""Heuristics: meta-parameters computed from the other arguments."""
import tessera
from tessera.runtime.jit import KernelInterface


class Recorder(KernelInterface):
    arg_names = ["x", "n", "BLOCK", "EVEN"]

    def run(self, *args, **kwargs):
        return args, kwargs


def test_rules_see_all_arguments_in_order_and_win():
    kernel = tessera.heuristics({
        "BLOCK": lambda arguments: arguments["n"] * 2,
        "EVEN": lambda arguments: (arguments["x"], arguments["BLOCK"], arguments["num_warps"]),
    })(Recorder())
    args, kwargs = kernel[(3,)]("x", 5, num_warps=8, BLOCK=1)
    assert args == ("x", 5)
    assert kwargs == {"grid": (3,), "warmup": False, "num_warps": 8, "BLOCK": 10, "EVEN": ("x", 10, 8)}


def test_attributes():
    values = {"BLOCK": lambda arguments: 1}
    inner = Recorder()
    kernel = tessera.heuristics(values)(inner)
    assert kernel.fn is inner and kernel.values is values and kernel.arg_names == inner.arg_names


def test_warmup_goes_through():
    kernel = tessera.heuristics(values={"BLOCK": lambda arguments: 1})(Recorder())
    assert kernel.warmup("x", 5, grid=(1,))[1] == {"grid": (1,), "warmup": True, "BLOCK": 1}


def test_rules_cannot_change_the_arguments():
    rules = {"BLOCK": lambda arguments: arguments.pop("n"), "EVEN": lambda arguments: arguments["n"]}
    kernel = tessera.heuristics(rules)(Recorder())
    assert kernel[(1,)]("x", 5)[1]["EVEN"] == 5


def test_a_real_kernel(device, put, get):
    import numpy
    import tuning_kernels
    rules = {"BLOCK": lambda arguments: tessera.next_power_of_2(arguments["n"]),
             "EVEN": lambda arguments: arguments["n"] % 2 == 0}
    kernel = tessera.heuristics(rules)(tuning_kernels.scaled)
    x = put(numpy.zeros(7, "float32"))
    kernel[lambda meta: (tessera.cdiv(7, meta["BLOCK"]),)](x, 7)
    assert get(x).tolist() == [3.0] * 7
    kernel[(1,)](x, 6)
    assert get(x).tolist() == [2.0] * 6 + [3.0]


def test_below_autotune(device, put, get):
    import numpy
    import tuning_kernels
    inner = tessera.heuristics({"EVEN": lambda arguments: arguments["BLOCK"] == 64})(tuning_kernels.scaled)
    kernel = tessera.autotune([tessera.Config({"BLOCK": 64}), tessera.Config({"BLOCK": 128})], key=["n"])(inner)
    x = put(numpy.zeros(50, "float32"))
    kernel[(1,)](x, 50)
    assert get(x).tolist() == [2.0 if kernel.best_config.kwargs["BLOCK"] == 64 else 3.0] * 50
