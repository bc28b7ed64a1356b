"""Every kernel of examples/, test/run/kernels, test/compile and bench/gpu, from live objects: the TTIR is the command line's."""
import json
import os

import pytest
import signatures
from conftest import ROOT, run_python
from places import HERE

TARGETS = ["cuda:90", "cpu"]

BENCHMARKS = {  # kernel: signature
    "add_kernel": "*fp32:16,*fp32:16,*fp32:16,i32:16,1024",
    "softmax_kernel": "*fp16:16,*fp16:16,i32:16,i32:16,i32:16,4096",
    "layernorm_kernel": "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,fp32,4096",
    "matmul_kernel": "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,128,64,8",
    "matmul_int8_kernel": "*i8:16,*i8:16,*i32:16,i32:16,i32:16,i32:16,i32:16,1,1,i32:16,i32:16,1,128,128,128,8",
    "matmul_desc_kernel": "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,128,128,64,8",
    "attention_kernel": "*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,i32:16,128,128,64,True",
    "batched_kernel": "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16," + "i32:16,i32:16,1," * 3 + "128,128,64,8",
    "batched_dot_kernel": "*fp16:16,*fp16:16,*fp16:16," + "i32:16," * 9 + "2,64,64,64",
    "attention_delta_kernel": "*fp16:16,*fp16:16,*fp32:16,i32:16,i32:16,128,128",
    "attention_backward_kernel": "*fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32:16,*fp32:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,i32:16,"
                                 "64,64,32,True",
    "conv3d_kernel": "*i8:16,*i8:16,*i32:16," + "i32," * 18 + "64,64,32,True,False",
}


def cases():
    found = [(os.path.join(ROOT, case.file), case.kernel, case.signature) for case in signatures.cases()]
    benchmarks = os.path.join(ROOT, "bench", "gpu", "kernels.py")
    if os.path.exists(benchmarks):
        found += [(benchmarks, kernel, signature) for kernel, signature in BENCHMARKS.items()]
    return found


CASES = cases()
FILES = sorted({path for path, _, _ in CASES})


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """{(file, kernel, signature, target): "" or what differs}, all from one process: it imports every file once."""
    folder = tmp_path_factory.mktemp("corpus")
    rows = [(*case, target, "") for case in CASES for target in TARGETS]
    (folder / "cases.json").write_text(json.dumps(rows))
    done = run_python([os.path.join(HERE, "corpus_worker.py"), folder / "cases.json"], folder, timeout=600)
    return dict(zip([row[:4] for row in rows], json.loads(done.stdout.strip().split("\n")[-1])))


@pytest.mark.parametrize("path", FILES, ids=lambda path: os.path.relpath(path, ROOT))
def test_live_objects_give_the_same_ttir(verdicts, path):
    found = {case: text for case, text in verdicts.items() if case[0] == path}
    reasons = [text[len("skip: "):] for text in found.values() if text.startswith("skip: ")]
    if reasons:
        pytest.skip(reasons[0])
    # One target may refuse what another takes; both ways must refuse alike.
    refused = {case for case, text in found.items() if text.startswith("refused: ")}
    taken = {case[:3] for case in found if case not in refused}
    wrong = [f"{case[1]} {case[2]} for {case[3]}: {text}" for case, text in found.items()
             if text and not (case in refused and case[:3] in taken)]
    assert not wrong, "\n".join(wrong)


# ---- ways to reach the language -------------------------------------------------------------------

IDIOMS = """
import sys
import numpy as np
import tessera
tessera.install_as_triton()
sys.path.insert(0, sys.argv[1])
import language_idioms as kernels
import triton.language as tl
from triton.compiler import ASTSource, compile
from triton.backends.compiler import GPUTarget

x = np.linspace(0.25, 4, 16, dtype=np.float32)
half = x.astype(np.float16).astype(np.float32)
expected = {
    "by_modules": 2 * x,
    "by_libraries": 2 * np.tanh(x) + np.floor(x) + np.ceil(x),
    "by_globals": half * 4 + 4 + 8,
    "by_target": x,
    "by_combine_function": x,
    "by_argument": 3 / (1 + np.exp(-x)) + 1,
    "by_aggregate": x + 1,
    "by_constexpr_function": 3 * x,
    "by_extern": np.cbrt(x),
}
assert set(expected) == {name for name, each in vars(kernels).items() if isinstance(each, tessera.JITFunction)}
for name, value in expected.items():
    kernel, more = getattr(kernels, name), {}
    if name == "by_argument":
        more = {"F": tl.sigmoid, "T": tl.float32, "W": kernels.Window(3, 1)}
    y = np.zeros_like(x)
    kernel[(1,)](x, y, N=16, **more)
    if not np.allclose(y, value, rtol=1e-5):
        print(name, y, value)
    signature = dict.fromkeys(kernel.arg_names, "constexpr")
    signature.update(x_ptr="*fp32", y_ptr="*fp32")
    source = ASTSource(kernel, signature, {"N": 16, **more})
    assert "tt.store" in compile(source, target=GPUTarget("cuda", 90, 32)).asm["ttir"], name
print("done")
"""


def test_language_idioms(snippet, numpy):
    done = snippet(IDIOMS, HERE)
    assert done.stdout.strip() == "done", done.stdout
