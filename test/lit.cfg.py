# How lit runs the FileCheck tests: those of test/, and those beside the passes in lib/**/test.
#
#   lit-22 -v lib/TTIR/test                    one folder
#   lit-22 -v lib/TTIR/test/combine.mlir       one file
#   BUILD=build-debug lit-22 -v test           another build folder
#
# Programs are found on PATH: build/bin first, then LLVM 22's own (FileCheck, not, split-file).
# Features, for `REQUIRES:` lines: gpu, ptxas, libdevice, triton (see test/features.py).
import os
import sys

import lit.formats

source_root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(source_root, "test"))
import features  # noqa: E402

build_root = os.path.join(source_root, os.environ.get("BUILD", "build"))

config.name = "test"  # lib/lit.cfg.py overrides the name and the two folders
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.join(source_root, "test")
config.test_exec_root = os.path.join(build_root, "lit", "test")
config.suffixes = [".mlir", ".ttir", ".ttgir", ".llir", ".ptx", ".amdgcn", ".py"]

# Python files are lit tests in test/compile alone: elsewhere they are pytest's or kernels' code.
config.excludes = ["Inputs", "__pycache__", "lit.cfg.py", "features.py", "ir_text.py", "litformat.py", "signatures.py", "peers.py", "transcript.py", "results.py", "sass.py", "code_objects.py", "selection.py", "conftest.py", "deploy", "emulator", "explain", "lab", "run", "reject", "parse", "same_code", "targets"]

llvm_bin = "/usr/lib/llvm-22/bin"
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build_root, "bin"), llvm_bin, os.environ.get("PATH", "")]
)
for name in ["CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Without a home there is no cache: a test never reads or fills the user's, and always compiles.
for name in ["HOME", "XDG_CACHE_HOME", "TESSERA_CACHE_DIR", "TRITON_CACHE_DIR"]:
    config.environment.pop(name, None)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=error"

config.available_features.update(features.available())
config.substitutions.append(("%examples", os.path.join(source_root, "examples")))
config.substitutions.append(("%kernels", os.path.join(source_root, "test", "run", "kernels")))
config.substitutions.append(("%triton_python", features.triton_python() or "false"))
