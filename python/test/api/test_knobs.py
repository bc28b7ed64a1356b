"""Knobs: every variable of the specification is one, and reading, assigning, deleting and scopes do what they say."""
import os

import pytest

import tessera
from tessera import knobs

# variable -> (group, knob, text, value)
VARIABLES = {
    "TRITON_HOME": ("cache", "home_dir", "/h", "/h"),
    "TRITON_CACHE_DIR": ("cache", "dir", "/c", "/c"),
    "TRITON_DUMP_DIR": ("cache", "dump_dir", "/d", "/d"),
    "TRITON_OVERRIDE_DIR": ("cache", "override_dir", "/o", "/o"),
    "TRITON_KERNEL_DUMP": ("compilation", "dump_ir", "1", True),
    "TRITON_KERNEL_OVERRIDE": ("compilation", "override", "on", True),
    "TRITON_ALWAYS_COMPILE": ("compilation", "always_compile", "YES", True),
    "TRITON_STORE_BINARY_ONLY": ("compilation", "store_binary_only", "y", True),
    "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS": ("compilation", "allow_non_constexpr_globals", "true", True),
    "TRITON_FRONT_END_DEBUGGING": ("compilation", "front_end_debugging", "1", True),
    "TRITON_DISABLE_LINE_INFO": ("compilation", "disable_line_info", "1", True),
    "USE_IR_LOC": ("compilation", "use_ir_loc", "ttir", "ttir"),
    "MLIR_ENABLE_DUMP": ("compilation", "dump_passes", "add_kernel", "add_kernel"),
    "MLIR_ENABLE_TIMING": ("compilation", "time_stages", "1", True),
    "TESSERA_REMARKS": ("compilation", "remarks", "coalesce", "coalesce"),
    "MLIR_ENABLE_REMARK": ("compilation", "enable_remark", "1", True),
    "MLIR_ENABLE_DIAGNOSTICS": ("compilation", "enable_diagnostics", "remarks", "remarks"),
    "LLVM_IR_ENABLE_DUMP": ("compilation", "dump_llvm_ir", "1", True),
    "TRITON_REPRODUCER_PATH": ("compilation", "reproducer_path", "/r", "/r"),
    "TRITON_INTERPRET": ("runtime", "interpret", "1", True),
    "TRITON_OVERRIDE_ARCH": ("runtime", "override_arch", "sm80", "sm80"),
    "TESSERA_ON_RECOMPILE": ("runtime", "on_recompile", "warn", "warn"),
    "TRITON_PRINT_AUTOTUNING": ("autotuning", "print", "1", True),
    "TRITON_CACHE_AUTOTUNING": ("autotuning", "cache", "0", False),
    "TRITON_F32_DEFAULT": ("language", "fp32_default", "ieee", "ieee"),
    "TRITON_DEFAULT_FP_FUSION": ("language", "default_fp_fusion", "0", False),
    "DISABLE_PTXAS_OPT": ("nvidia", "disable_ptxas_opt", "1", True),
    "PTXAS_OPTIONS": ("nvidia", "ptxas_options", "-O1", "-O1"),
    "TRITON_LIBDEVICE_PATH": ("nvidia", "libdevice_path", "/l.bc", "/l.bc"),
    "TRITON_DUMP_PTXAS_LOG": ("nvidia", "dump_ptxas_log", "1", True),
    "NVPTX_ENABLE_DUMP": ("nvidia", "dump_nvptx", "1", True),
    "TRITON_REDIS_PORT": ("redis", "port", "17", 17),
    "AMDGCN_USE_BUFFER_OPS": ("amd", "use_buffer_ops", "0", False),
}


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_is_read_when_the_knob_is(variable, monkeypatch):
    group, name, text, value = VARIABLES[variable]
    monkeypatch.setenv(variable, text)
    assert getattr(getattr(knobs, group), name) == value


# What the specification's tables of variables list.
LISTED = """TRITON_CACHE_DIR TRITON_HOME TRITON_DUMP_DIR TRITON_OVERRIDE_DIR TRITON_KERNEL_DUMP TRITON_KERNEL_OVERRIDE
TRITON_ALWAYS_COMPILE TRITON_STORE_BINARY_ONLY TRITON_INTERPRET TRITON_DEBUG TRITON_PRINT_AUTOTUNING TRITON_CACHE_AUTOTUNING
TRITON_OVERRIDE_ARCH TRITON_F32_DEFAULT TRITON_DEFAULT_FP_FUSION TRITON_ALLOW_NON_CONSTEXPR_GLOBALS TRITON_FRONT_END_DEBUGGING
TRITON_DISABLE_LINE_INFO USE_IR_LOC TRITON_INSTRUMENTATION_MODE MLIR_ENABLE_DUMP MLIR_DUMP_PATH LLVM_IR_ENABLE_DUMP
NVPTX_ENABLE_DUMP MLIR_ENABLE_DIAGNOSTICS MLIR_ENABLE_TIMING LLVM_ENABLE_TIMING TRITON_REPRODUCER_PATH TRITON_ENABLE_LLVM_DEBUG
TRITON_LLVM_DEBUG_ONLY DISABLE_LLVM_OPT DISABLE_PTXAS_OPT PTXAS_OPTIONS TRITON_PTXAS_PATH TRITON_PTXAS_BLACKWELL_PATH
TRITON_CUOBJDUMP_PATH TRITON_NVDISASM_PATH TRITON_LIBDEVICE_PATH TRITON_LIBCUDA_PATH TRITON_DUMP_PTXAS_LOG TRITON_CACHE_MANAGER
TRITON_REMOTE_CACHE_BACKEND TRITON_REDIS_KEY_FORMAT TRITON_REDIS_HOST TRITON_REDIS_PORT TRITON_BACKENDS_IN_TREE
TRITON_DEFAULT_BACKEND AMDGCN_ENABLE_DUMP AMDGCN_USE_BUFFER_ATOMICS AMDGCN_USE_BUFFER_OPS DISABLE_MMA_V3 DISABLE_MMA_V5
LLVM_PASS_PLUGIN_PATH LLVM_EXTRACT_DI_LOCAL_VARIABLES MLIR_DISABLE_MULTITHREADING TRITON_DUMP_MIR TRITON_HIP_USE_ASYNC_COPY
TRITON_HIP_USE_BLOCK_PINGPONG TRITON_HIP_USE_IN_THREAD_TRANSPOSE TRITON_ENABLE_ASAN ALLOW_LHS_TMEM_LAYOUT_CONVERSION
TRITON_PREFER_TMEM_16x256_LAYOUT TRITON_ENABLE_EXPERIMENTAL_CONSAN"""


def test_every_listed_variable_is_a_knob_or_has_a_reason():
    groups = (knobs.build, knobs.redis, knobs.cache, knobs.compilation, knobs.autotuning, knobs.runtime, knobs.language,
              knobs.nvidia, knobs.amd, knobs.proton)
    keys = {knob.key for group in groups for knob in group.knob_descriptors.values()}
    keys |= {"TRITON_DEBUG", "TRITON_INSTRUMENTATION_MODE"}  # read once
    assert [name for name in LISTED.split() if name not in keys and name not in knobs.WITHOUT_EFFECT] == []


@pytest.mark.parametrize("text, value", [("1", True), ("TRUE", True), ("Yes", True), ("on", True), ("y", True), ("0", False),
                                         ("off", False), ("", False), ("2", False)])
def test_booleans(text, value, monkeypatch):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", text)
    assert knobs.compilation.dump_ir is value


def test_defaults(monkeypatch, tmp_path):
    monkeypatch.delenv("TRITON_CACHE_DIR")
    monkeypatch.setenv("TRITON_HOME", str(tmp_path))
    assert knobs.cache.dir == f"{tmp_path}/.triton/cache"
    assert knobs.cache.kernel_dir == f"{tmp_path}/.triton/cache/tessera"
    assert knobs.cache.dump_dir == f"{tmp_path}/.triton/dump"
    assert knobs.language.default_fp_fusion is True
    assert knobs.autotuning.cache is None


def test_assignment_wins_and_reaches_child_processes(monkeypatch):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "0")
    with knobs.compilation.scope():
        knobs.compilation.dump_ir = True
        assert knobs.compilation.dump_ir is True
        assert os.environ["TRITON_KERNEL_DUMP"] == "1"
        del knobs.compilation.dump_ir
        os.environ["TRITON_KERNEL_DUMP"] = "0"
        assert knobs.compilation.dump_ir is False
        knobs.compilation.dump_ir = True
        knobs.compilation.dump_ir = knobs.env
        os.environ["TRITON_KERNEL_DUMP"] = "no"
        assert knobs.compilation.dump_ir is False


def test_scope_restores_values_and_variables(monkeypatch):
    monkeypatch.delenv("TRITON_F32_DEFAULT", raising=False)
    with pytest.raises(ZeroDivisionError):
        with knobs.language.scope():
            knobs.language.fp32_default = "ieee"
            assert os.environ["TRITON_F32_DEFAULT"] == "ieee"
            1 / 0
    assert knobs.language.fp32_default is None
    assert "TRITON_F32_DEFAULT" not in os.environ


def test_without_propagation_the_environment_stays(monkeypatch):
    monkeypatch.setattr(knobs, "propagate_env", False)
    with knobs.compilation.scope():
        knobs.compilation.always_compile = True
        assert knobs.compilation.always_compile is True
        assert "TRITON_ALWAYS_COMPILE" not in os.environ


def test_copy_and_reset(monkeypatch):
    monkeypatch.setattr(knobs, "propagate_env", False)
    twin = knobs.compilation.copy()
    with knobs.compilation.scope():
        knobs.compilation.dump_ir = True
        assert twin.dump_ir is False
        assert knobs.compilation.reset().dump_ir is False
    assert "dump_ir" in knobs.compilation.knobs and "dump_ir" in knobs.compilation.knob_descriptors


def test_debug_is_read_once_and_can_be_refreshed(monkeypatch):
    with knobs.runtime.scope():
        monkeypatch.setenv("TRITON_DEBUG", "1")
        assert not knobs.runtime.debug
        knobs.refresh_knobs()
        assert knobs.runtime.debug
        monkeypatch.delenv("TRITON_DEBUG")
        knobs.refresh_knobs()
        assert not knobs.runtime.debug


def test_wrong_values_are_told(monkeypatch):
    monkeypatch.setenv("TRITON_REDIS_PORT", "many")
    with pytest.raises(RuntimeError, match="TRITON_REDIS_PORT=many: a whole number"):
        knobs.redis.port
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "json")
    with pytest.raises(RuntimeError, match="MODULE:CLASS"):
        knobs.cache.manager_class
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "json:JSONDecoder")
    with pytest.raises(RuntimeError, match="no CacheManager"):
        knobs.cache.manager_class
    for text, reason in (("no_such_module:Manager", "No module named 'no_such_module'"), ("json:Manager", "no attribute 'Manager'")):
        monkeypatch.setenv("TRITON_CACHE_MANAGER", text)
        with pytest.raises(RuntimeError, match=f"TRITON_CACHE_MANAGER={text}: .*{reason}"):
            knobs.cache.manager_class


def test_a_tool_is_given_by_its_path(monkeypatch, tmp_path):
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho Cuda compilation tools, release 12.9, V12.9.1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(tool))
    assert knobs.nvidia.ptxas.path == str(tool)
    assert knobs.nvidia.ptxas.version == "12.9"
    assert knobs.NvidiaTool.from_path("/bin/true") is None


def test_a_chain_calls_in_its_order():
    order = []
    forward, backward = knobs.HookChain(), knobs.HookChain(reversed=True)
    first, second = (lambda: order.append(1)), (lambda: order.append(2))
    for chain in (forward, backward):
        chain.add(first)
        chain.add(second)
        chain.add(first)  # once is enough
        chain()
        chain.remove(first)
        chain.remove(first)
        chain()
    assert order == [1, 2, 2, 2, 1, 2]


def test_unknown_options_name_their_neighbours():
    backend = tessera.compiler.make_backend(tessera.backends.compiler.GPUTarget("cuda", 90, 32))
    with pytest.raises(KeyError, match="num_warps"):
        backend.parse_options({"num_warp": 8})
    with pytest.raises(AssertionError, match="power of 2"):
        backend.parse_options({"num_warps": 3})
    old = tessera.compiler.make_backend("cuda:80")
    with pytest.raises(ValueError, match="clusters"):
        old.parse_options({"num_ctas": 2})


def test_the_library_describes_itself(monkeypatch, tmp_path):
    """Options, stages and chips are the library's: Python has no lists of them."""
    from tessera.backends.description import describe, find_tool, keyword_options
    hopper = describe("cuda:90")
    assert describe("cuda:90") is hopper and hopper["chip"] == "sm_90a" and "Clusters" in hopper["features"]
    backend = tessera.compiler.make_backend("cuda:90")
    assert backend.stages == ("ttir", "ttgir", "llir", "ptx", "cubin") and backend.stages_on_demand == ("sass", )
    assert backend.binary_ext == "cubin" and tessera.compiler.make_backend("cpu").stages == ("ttir", "llir", "obj")
    options = keyword_options()
    assert options["num_warps"] == ("num-warps", 4) and options["maxnreg"] == ("maxnreg", None) and "symbol" not in options
    assert options["default_dot_input_precision"][0] == "default-dot-precision"
    fp8 = {arch: tessera.compiler.make_backend(f"cuda:{arch}").parse_options({}).supported_fp8_dtypes for arch in (80, 89)}
    assert fp8 == {80: ("fp8e4b15", "fp8e5"), 89: ("fp8e4b15", "fp8e4nv", "fp8e5")}
    assert backend.parse_options({}).max_num_imprecise_acc_default == 2**30
    with pytest.raises(ValueError, match="unknown target 'cuda:1'"):
        describe("cuda:1")
    assert tessera.compiler.make_backend("cuda:75").stages == backend.stages  # compiling will say that there is no such target
    tool = tmp_path / "nvidia" / "cu13" / "bin" / "nvdisasm"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_tool("nvdisasm").endswith("nvdisasm") and find_tool("nothing") == ""


def test_targets_and_options_are_dataclasses():
    import dataclasses
    target = tessera.backends.compiler.GPUTarget("cuda", 90, 32)
    assert target.__dataclass_fields__ is type(target).__dataclass_fields__  # made once
    assert dataclasses.asdict(target) == {"backend": "cuda", "arch": 90, "warp_size": 32}
    assert dataclasses.replace(target, arch=80) == tessera.backends.compiler.GPUTarget("cuda", 80, 32)
    assert target.__match_args__ == ("backend", "arch", "warp_size")
    options = tessera.compiler.make_backend(target).parse_options({"num_warps": 8})
    assert dataclasses.asdict(options) == vars(options)
    other = dataclasses.replace(options, num_warps=2)
    assert type(other) is type(options) and vars(other) == {**vars(options), "num_warps": 2}
    assert {field.name: field.default for field in dataclasses.fields(options)}["num_stages"] == 3


def test_knobs_become_options(monkeypatch):
    monkeypatch.setenv("TRITON_F32_DEFAULT", "ieee")
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    monkeypatch.setenv("PTXAS_OPTIONS", "-O1 --maxrregcount=64")
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    monkeypatch.setenv("TRITON_OVERRIDE_ARCH", "sm80")
    backend = tessera.compiler.make_backend("cuda:90")
    options = backend.parse_options({})
    assert backend.target_name(options) == "cuda:80"
    assert (options.default_dot_input_precision, options.enable_fp_fusion, options.arch) == ("ieee", False, "sm80")
    flags = backend.flags(options)
    for text in ('"default-dot-precision": "ieee"', '"enable-fp-fusion": false', '"line-info": false',
                 '"ptxas-options": "-O0 -O1 --maxrregcount=64"'):
        assert text in flags


def test_the_state_is_new_whenever_something_changes(monkeypatch):
    """What is made of knobs is kept while the state is the same."""
    states = [knobs.state()]

    def has_changed():
        assert knobs.state() is knobs.state()
        states.append(knobs.state())
        return len(set(states)) == len(states)

    assert knobs.state() is states[0]
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    assert has_changed()
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    assert has_changed()
    monkeypatch.delenv("TRITON_DEFAULT_FP_FUSION")
    assert has_changed()
    with knobs.nvidia.scope():
        knobs.nvidia.ptxas_options = "-O1"
        assert has_changed()
        knobs.nvidia.ptxas_options = "-O2"
        assert has_changed()
    assert has_changed()
    with knobs.compilation.scope():
        knobs.compilation.instrumentation_mode = "consan"  # which no variable follows
        assert has_changed()
    assert has_changed()
    group = knobs.language.copy()
    group.__dict__["default_fp_fusion"] = False
    monkeypatch.setattr(knobs, "language", group)  # as tests of programs do
    assert has_changed()


def test_a_plan_follows_the_knobs(monkeypatch):
    from tessera.compiler.session import plan_for
    target = tessera.backends.compiler.GPUTarget("cuda", 90, 32)
    first = plan_for(target, {"num_warps": 8})
    assert plan_for(target, {"num_warps": 8}) is first and first.options.num_warps == 8
    assert plan_for(target, {"num_warps": 4}).options.num_warps == 4
    assert plan_for(tessera.backends.compiler.GPUTarget("cuda", 80, 32), {"num_warps": 8}).target == "cuda:80"
    # Equal, and not the same: each value keeps its type.
    assert plan_for(target, {"enable_fp_fusion": True}).options.enable_fp_fusion is True
    assert plan_for(target, {"enable_fp_fusion": 1}).options.enable_fp_fusion == 1
    assert type(plan_for(target, {"enable_fp_fusion": 1}).options.enable_fp_fusion) is int
    assert plan_for(target, {"extern_libs": {"libdevice": "/l.bc"}}).settings["libdevice"] == "/l.bc"  # has no hash
    monkeypatch.setenv("TRITON_CACHE_DIR", "/elsewhere")
    assert plan_for(target, {"num_warps": 8}).settings["cache-dir"] == "/elsewhere/tessera"
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    assert plan_for(target, {"num_warps": 8}).is_shown and not first.is_shown
    before = plan_for(target, {})
    monkeypatch.syspath_prepend("/with/a/toolkit")
    assert plan_for(target, {}) is not before
    with pytest.raises(KeyError, match="num_warp"):
        plan_for(target, {"num_warp": 8})


def test_defaults_have_no_flags():
    for target in ("cuda:90", "cpu"):
        backend = tessera.compiler.make_backend(target)
        assert backend.flags(backend.parse_options({})) == ""
