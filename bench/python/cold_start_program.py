"""A program that launches the kernels of 36 operators once each, as bench/python/cold_start runs it: an unchanged `import triton`.

    python cold_start_program.py cuda [check]               Triton
    python -m tessera cold_start_program.py cuda [check]    Tessera

Prints one line of JSON: the seconds between COLD_START_BEGAN (the parent's monotonic clock) and each step, and the kernels. With
`check`, the results are then compared with torch's. The operators are those of bench/wild/programs at their small sizes, so that
the GPU's own time does not count.
"""
import json
import os
import sys
import time

BEGAN = float(os.environ.get("COLD_START_BEGAN", time.perf_counter()))
STEPS = {}
OPERATORS = """
elementwise.add-n4096-float32  elementwise.gated-silu-rows8  elementwise.gated_backward  elementwise.rope-sign1
elementwise.rope_interleaved  losses.jensen_shannon  elementwise.adam  elementwise.permute_heads
norms.softmax_plain-columns1024-float16  norms.softmax_online-columns32000  norms.softmax_backward  norms.layer_norm-N1024
norms.rms_norm_residual-rows64-N4096  norms.rms_norm_backward-N2048  norms.group_norm_silu-HW1024  norms.welford
losses.cross_entropy-V32000-float32  losses.kl_divergence  losses.argmax_logits-rows256  losses.sample_tokens
losses.repetition_penalty  movement.embedding  movement.gather_columns  movement.reduce_rows-rows1024-N10007
movement.reduce_columns-M1000-N5001  movement.mean_pool  movement.cumsum_rows-N1024-reverseFalse  movement.histogram-bins64
products.gemm_square-float16  products.batched_gemm_heads  products.split_k-float32  quantised.quantise_int8_rows-N4096
quantised.dequantise_fp8_blocks  attention.attention-causalTrue-D64  decode.paged_attention-page16  decode.store_pages
""".split()


def note(step):
    STEPS[step] = time.perf_counter() - BEGAN


def check(cases, results):
    """The names of operators whose results are not torch's."""
    import agree
    import corpus

    def samples(value):
        return [(path, agree.sample(tensor), list(tensor.shape)) for path, tensor in corpus.flatten(value)]
    wrong = {}
    for name, case in cases.items():
        said, _ = agree.compare(samples(results[name]), samples(case.reference()), case)
        if said:
            wrong[name] = said
    return wrong


def main():
    note("start")
    device, checks = sys.argv[1], sys.argv[2:] == ["check"]
    import torch
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    torch.zeros(1, device=device)
    wait()
    note("torch")

    import triton
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "wild"))
    import corpus
    for module in dict.fromkeys(name.split(".")[0] for name in OPERATORS):
        corpus.load("programs", module)
    note("import")

    torch.manual_seed(0)
    world = corpus.World(device, small=True)
    cases = {name: corpus.REGISTERED[name].case(world) for name in OPERATORS}
    spare = torch.empty(1 << 28, dtype=torch.uint8, device=device)  # torch keeps it, so that no launch waits for the driver's allocation
    del spare
    wait()
    note("inputs")

    results, each = {}, {}
    for name, case in cases.items():
        before = time.perf_counter()
        results[name] = case.call()
        each[name] = time.perf_counter() - before
        if len(results) == 1:
            wait()
            note("first")
    wait()
    note("all")
    wrong = check(cases, results) if checks else None
    again = time.perf_counter()
    for case in cases.values():
        case.call()
    wait()
    print(json.dumps({"compiler": triton.__file__, "steps": STEPS, "each": each, "again": time.perf_counter() - again, "wrong": wrong}))


if __name__ == "__main__":
    main()
