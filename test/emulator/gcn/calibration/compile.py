"""Compiles kernels of kernels.py for an AMD chip with Triton, in the Python that has it.

    python compile.py gfx942 < requests.json > assemblies.json

A request is {"kernel", "signature", "constants", "warps", "options"}; the answer to each is {"text", "shared", "warps"} or
{"error"}. Status 77 if there is no Triton 3.6.0.
"""
import json
import os
import sys

VERSION = "3.6.0"


def compile_kernel(triton, kernels, chip, request):
    from triton.backends.compiler import GPUTarget
    target = GPUTarget("hip", chip, 64 if chip.startswith("gfx9") else 32)
    source = triton.compiler.ASTSource(getattr(kernels, request["kernel"]), request["signature"], request["constants"])
    compiled = triton.compile(source, target=target, options={"num_warps": request["warps"], **request["options"]})
    return {"text": compiled.asm["amdgcn"], "shared": compiled.metadata.shared, "warps": compiled.metadata.num_warps}


def main(chip):
    try:
        import triton
    except ImportError:
        return 77
    if triton.__version__ != VERSION:
        return 77
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import kernels
    answers, out = [], os.dup(1)
    os.dup2(2, 1)  # what the compiler prints is not an answer
    for request in json.load(sys.stdin):
        try:
            answers.append(compile_kernel(triton, kernels, chip, request))
        except Exception as problem:
            answers.append({"error": f"{type(problem).__name__}: {problem}"})
    os.write(out, json.dumps(answers).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
