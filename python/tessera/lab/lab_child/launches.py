"""What a version launches: the kernels' registers, spills, shared memory and configurations; and how its autotuners choose.

Works alike under Tessera and Triton: both return the compiled kernel from JITFunction.run, and both have Autotuner.do_bench.
"""
import contextlib
import gc
import time


def autotuners(module):
    """The Autotuner objects of a module, also those inside heuristics, by the kernel's name."""
    found = {}
    for value in list(vars(module).values()):
        while value is not None and type(value).__name__ not in ("Autotuner", "JITFunction", "InterpretedFunction"):
            value = getattr(value, "fn", None)
        if type(value).__name__ == "Autotuner":
            found[getattr(value.base_fn, "__name__", "kernel")] = value
    return found


def all_autotuners():
    """The autotuners of every module that the version imports."""
    return [each for each in gc.get_objects() if type(each).__name__ == "Autotuner" and hasattr(each, "configs")]


def config_facts(config):
    facts = {name: plain(value) for name, value in config.kwargs.items()}
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        value = getattr(config, name, None)
        if value is not None and not (name == "num_ctas" and value == 1):
            facts[name] = value
    return facts


def plain(value):
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def configurations(module):
    """{kernel: [configuration, ...]} of the autotuned kernels."""
    return {name: [config_facts(c) for c in tuner.configs] for name, tuner in autotuners(module).items()}


def chosen(module):
    """{kernel: the configuration of its last launch}"""
    return {name: config_facts(tuner.best_config) for name, tuner in autotuners(module).items()
            if getattr(tuner, "best_config", None) is not None}


@contextlib.contextmanager
def recorded():
    """Within it, every launch adds (compiled kernel, grid, keyword arguments) to the list that it yields."""
    from triton.runtime.jit import JITFunction
    seen, original = [], JITFunction.run

    def run(self, *args, grid=None, warmup=False, **kwargs):
        kernel = original(self, *args, grid=grid, warmup=warmup, **kwargs)
        if not warmup and kernel is not None:
            seen.append((kernel, grid, kwargs))
        return kernel
    JITFunction.run = run
    try:
        yield seen
    finally:
        JITFunction.run = original


def kernel_facts(kernel, keywords):
    """What is known of a compiled kernel; a fact that a target does not have is None."""
    metadata = getattr(kernel, "metadata", None)

    def fact(owner, name):
        try:
            return plain(getattr(owner, name, None))
        except Exception:
            return None
    constants = {name: value for name, value in keywords.items() if name.isupper() and isinstance(value, (bool, int, float, str))}
    return {"name": fact(metadata, "name") or fact(kernel, "name") or "kernel", "registers": fact(kernel, "n_regs"),
            "spills": fact(kernel, "n_spills"), "shared": fact(metadata, "shared"), "num_warps": fact(metadata, "num_warps"),
            "num_stages": fact(metadata, "num_stages"), "constants": constants}


def launched(call):
    """Calls; returns facts of the kernels that were launched, each once, in order."""
    with recorded() as seen:
        call()
    facts = []
    for kernel, _, keywords in seen:
        each = kernel_facts(kernel, keywords)
        if each not in facts:
            facts.append(each)
    return facts, [kernel for kernel, _, _ in seen]


def occupancy(facts):
    """The share of a multiprocessor's threads that a kernel's registers and shared memory allow; None if it is not known."""
    import torch
    if not torch.cuda.is_available() or not facts.get("registers") or not facts.get("num_warps"):
        return None
    properties = torch.cuda.get_device_properties(0)
    threads = 32 * facts["num_warps"]
    most = getattr(properties, "max_threads_per_multi_processor", 2048)
    registers = -(-facts["registers"] // 8) * 8  # allocated in units of 8 a thread
    file = getattr(properties, "regs_per_multiprocessor", 65536)
    limits = [most // threads, file // (registers * threads), 32]
    if facts.get("shared"):
        limits.append(getattr(properties, "shared_memory_per_multiprocessor", 228 << 10) // (facts["shared"] + 1024))
    return min(limits) * threads / most


# ---- autotuning -------------------------------------------------------------------------------------

def quick_bench(device):
    """do_bench for searches: a few milliseconds for each configuration, outside of the time that is reported."""
    def bench(call, quantiles=None, **_):
        from .timing import clock_for
        clock = clock_for(device)
        call()
        clock.wait()
        begin = time.perf_counter()
        call()
        clock.wait()
        once = max(1e-6, time.perf_counter() - begin)
        times = sorted(clock.cold(call, max(3 if once < 0.1 else 1, min(10, int(0.01 / once))))[0])
        middle = times[len(times) // 2] / 1e3
        return [middle, times[0] / 1e3, times[-1] / 1e3] if quantiles else middle
    return bench


def only_compile(call, quantiles=None, **_):
    """do_bench for the step that compiles: each configuration runs once, and all are equal."""
    call()
    return [1.0, 1.0, 1.0] if quantiles else 1.0


def set_bench(bench):
    """Sets the function that searches measure with, and forgets what earlier ones chose."""
    for tuner in all_autotuners():
        tuner.configs = _all_configs.get(id(tuner), tuner.configs)
        tuner.do_bench = bench
        tuner.cache.clear()
        tuner.best_config = None  # a kernel that is not launched at the next size has none there


_all_configs = {}  # id of an autotuner: its configurations, while use_configuration limits them


def use_configuration(turn):
    """Lets each autotuner have one configuration, another one for each turn, so that checks reach all of them. A search would skip
    a configuration that fails. Autotuners that prune by the arguments choose by themselves."""
    for tuner in all_autotuners():
        configs = _all_configs.setdefault(id(tuner), tuner.configs)
        tuner.cache.clear()
        tuner.do_bench = only_compile
        if getattr(tuner, "early_config_prune", None) is None and getattr(tuner, "perf_model", None) is None:
            tuner.configs = [configs[turn % len(configs)]]
