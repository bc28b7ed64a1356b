"""Compiles kernels of kernels.py for an AMD chip with Triton, in the Python that has it.

    python compile.py gfx942 < requests.json > assemblies.json

A request is {"kernel", "signature", "constants", "warps", "options"}, and "hints", what the launch promises of each argument, if any,
and "copies", whether Triton copies to shared memory asynchronously; or {"ttgir"}, the text of a module. The answer to each is
{"text", "shared", "warps", "ttir", "ttgir"} or {"error"}.
Status 77 if there is no Triton 3.6.0.
"""
import json
import os
import sys
import tempfile

VERSION = "3.6.0"


def compile_kernel(triton, kernels, target, request):
    triton.knobs.amd.use_async_copy = request.get("copies", False)
    hints = {(int(index),): value for index, value in request.get("hints", {}).items()}
    source = triton.compiler.ASTSource(getattr(kernels, request["kernel"]), request["signature"], request["constants"], hints)
    return triton.compile(source, target=target, options={"num_warps": request["warps"], **request["options"]})


def compile_text(triton, target, text):
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir") as file:
        file.write(text)
        file.flush()
        return triton.compile(file.name, target=target)


def in_child(work):
    """The answer that `work` returns, from a process of its own: what Triton does not take may end it."""
    with tempfile.TemporaryFile("w+") as answer, tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if child == 0:
            os.dup2(errors.fileno(), 2)
            try:
                json.dump(work(), answer)
                answer.flush()
            except BaseException as problem:
                print(f"{type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        answer.seek(0)
        errors.seek(0)
        text = answer.read()
        return json.loads(text) if text else {"error": errors.read().strip() or "ended without a word"}


def main(chip):
    try:
        import triton
        from triton.backends.compiler import GPUTarget
    except ImportError:
        return 77
    if triton.__version__ != VERSION:
        return 77
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import kernels
    target = GPUTarget("hip", chip, 64 if chip.startswith("gfx9") else 32)

    def answer(request):
        compiled = compile_text(triton, target, request["ttgir"]) if "ttgir" in request else compile_kernel(triton, kernels, target, request)
        texts = {stage: str(compiled.asm.get(stage, "")) for stage in ("ttir", "ttgir")}
        return {"text": compiled.asm["amdgcn"], "shared": compiled.metadata.shared, "warps": compiled.metadata.num_warps, **texts}
    answers, out = [], os.dup(1)
    os.dup2(2, 1)  # what the compiler prints is not an answer
    for request in json.load(sys.stdin):
        answers.append(in_child(lambda: answer(request)))
    os.write(out, json.dumps(answers).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
