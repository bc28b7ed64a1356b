"""What people read in a terminal when they make the usual mistakes: the place, the cause, the way out, and little else."""
import pytest

HEAD = """
import numpy, tessera, tessera.language as tl

@tessera.jit
def fill(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets, mask=offsets < n)

out = numpy.zeros(4, "int32")
"""


@pytest.fixture
def said(snippet, numpy):
    """said(lines) runs HEAD with these lines in a process of its own: what it prints on standard error."""
    return lambda lines, status=1, head=HEAD, **options: snippet(head + lines, status=status, **options).stderr


def frames(text):
    """The lines of a traceback that name a place."""
    return [line for line in text.split("\n") if line.startswith('  File "')]


LAUNCHES = {  # launch -> the end of what it says
    "fill[(1,)](out, 4, BLOCK=3)": "arange's length must be a power of two, got 3; next_power_of_2(3) is 4, with a mask for the rest\n    offsets = tl.arange(0, BLOCK)",
    "fill[(1,)](out, 4, BLOCK=[4])": "TypeError: 'BLOCK' of 'fill' is a list; a compile-time argument is part of a key, so it must be "
                                     "hashable, as tuples are",
    "fill[(1,)](out, 4, BLOCK=4, num_warps=3)": "AssertionError: num_warps must be a power of 2, not 3",
    "fill[(1,)](out, 4, BLOCK=4, num_stages=100)": "ValueError: error: num_stages: from 1 to 64, not 100",
    "fill[(1,)](out, 4, BLOCK=4, num_wraps=4)": "did you mean num_warps or num_ctas?",
    "fill[(1,)](out, 4, BLOK=4)": "TypeError: fill() missing 1 required positional argument: 'BLOCK'; 'BLOK' is neither a parameter "
                                  "nor an option",
    "fill[(1,)](out, 4, num_warps=4)": "TypeError: fill() missing 1 required positional argument: 'BLOCK'\n",
    "fill[(1,)](out, numpy.int64(4), BLOCK=4)": "a value of type numpy.int64 cannot be passed to a kernel; convert it with int()",
    "fill[(1,)](out, numpy.float32(4), BLOCK=4)": "a value of type numpy.float32 cannot be passed to a kernel; convert it with float()",
    "fill[(1,)]([1, 2], 4, BLOCK=4)": "a value of type list cannot be passed to a kernel; pass a tuple of values, or an array",
    "fill[(1,)](memoryview(out), 4, BLOCK=4)": "a value of type memoryview cannot be passed to a kernel; numpy.frombuffer makes an "
                                               "array of it",
    "fill[(4 / 2,)](out, 4, BLOCK=4)": "which is no integer; cdiv(a, b) divides and rounds up",
    "tessera.jit(lambda: None)[(1,)]()": "'<lambda>' is not made by a def statement, so it has no text to compile",
}


@pytest.mark.parametrize("launch", LAUNCHES)
def test_a_launch_that_fails_shows_its_line_and_the_reason(said, launch):
    text = said(launch)
    assert LAUNCHES[launch] in text
    assert len(frames(text)) == 1 and "\n    " + launch + "\n" in text


def test_frames_are_kept_on_demand_and_for_bugs(said):
    launch = "fill[(1,)](out, 4, BLOCK=3)"
    for each in (launch, "fill[(1,)](out, 4, BLOCK=4, num_warps=3)"):  # an error of the compiler's, one of Python's
        assert len(frames(said(each, env={"TRITON_FRONT_END_DEBUGGING": "1"}))) > 2
    text = said("def broken(*_): raise AttributeError('a bug')\n"
                "import tessera.compiler.session as session\nsession.explain_failure = broken\n" + launch)
    assert "broken" in text and len(frames(text)) > 3
    text = said("import tessera.compiler.session as session\nfrom tessera.compiler.errors import InternalError\n"
                "session.explain_failure = lambda failure, src: InternalError(None, None, text='a bug of ours')\n" + launch)
    assert "InternalError: a bug of ours" in text and len(frames(text)) > 3


def test_frames_of_users_are_kept(said):
    """A hook that launches another kernel, which fails."""
    text = said("def hook(*_, **__): fill[(1,)](out, 4, BLOCK=3)\n"
                "def compile_it(): fill[(1,)](out, 4, BLOCK=4)\n"
                "tessera.knobs.runtime.jit_cache_hook = lambda *_, **__: (setattr(tessera.knobs.runtime, 'jit_cache_hook', None), hook())\n"
                "compile_it()\n")
    places = frames(text)
    assert places[1].endswith("in compile_it") and places[-1].endswith("in hook")


def test_watched_launches(said):
    text = said("import os; os.environ['TRITON_INTERPRET'] = '1'\nfill = tessera.jit(fill.fn)\nfill[(1,)](out, 8, BLOCK=8)\n")
    assert "store outside 'out_ptr': element 4" in text and text.endswith("such accesses in all\n") and len(frames(text)) == 1


def test_decorators(said):
    assert len(frames(said("exec('@tessera.jit\\ndef f(): pass')"))) == 3  # the line, the text, jit
    text = said("@tessera.jit\n@tessera.autotune([tessera.Config({})], key=[])\ndef f(x): pass\n")
    assert text.endswith("TypeError: @autotune goes above @jit: it takes a jit function, and 'f' is none yet\n")
    text = said("@tessera.heuristics({})\ndef f(x): pass\n")
    assert text.endswith("TypeError: @heuristics goes above @jit: it takes a jit function, and 'f' is none yet\n")
    text = said("tessera.jit(max)\n")
    assert text.endswith("TypeError: jit needs a function made with def, not an object of type builtin_function_or_method\n")
    text = said("@tessera.jit\ndef f(*, n): pass\n")
    assert len(frames(text)) == 2 and text.endswith("take the '*' out: any argument may be given by name\n")
    text = said("tessera.autotune(configs=[{'BLOCK': 4}], key=['n'])\n")
    assert text.endswith("TypeError: autotune takes a list of tessera.Config, and one of these is {'BLOCK': 4}\n")


TUNED = """
def tuned(*names, key="n"):
    return tessera.autotune([tessera.Config({name: size}) for name in names for size in (3, 5)], key=[key])(fill)
"""


def test_tuned_kernels(said):
    text = said(TUNED + "tuned('BLOCK')[(1,)](out, 4)\n")
    assert "none of the 2 configurations of fill works:\n  [1/2] BLOCK: 3, " in text and len(frames(text)) <= 4
    text = said(TUNED + "tuned('SIZE')[(1,)](out, 4)\n")
    assert text.endswith("missing 1 required positional argument: 'BLOCK'; 'SIZE' is neither a parameter nor an option\n")
    assert len(frames(text)) <= 4
    text = said(TUNED + "tuned('BLOCK')[(1,)](out, 4, BLOCK=4)\n")
    assert text.endswith("Conflicting meta-parameters: BLOCK. autotune chooses it: leave it out of the call of fill\n")
    assert len(frames(text)) <= 4
    text = said("configs = [tessera.Config({'BLOCK': size}) for size in (4, 3, 5)]\n"
                "prune = lambda configs, named, W, **_: configs[1:] if W else configs[:1]\n"
                "tuned = tessera.autotune(configs, ['n'], {'early_config_prune': prune})(tessera.jit(weighed))\n"
                "tuned[(1,)](out, 4, W=0)\n"
                "tuned[(1,)](out, 4, W=1)  # asks again\n",
                head=HEAD + "def weighed(out_ptr, n, W: tl.constexpr, BLOCK: tl.constexpr):\n    tl.arange(0, BLOCK)\n")
    assert "none of the 2 configurations of weighed works:\n" in text and len(frames(text)) <= 4
    assert said(TUNED + "tuned('BLOCK')(out, 4)\n").endswith("RuntimeError: 'fill' is a kernel: launch it with fill[grid](...)\n")
    assert said("tessera.heuristics({})(fill)(out, 4)\n").endswith("'fill' is a kernel: launch it with fill[grid](...)\n")


def test_a_misspelt_key_of_autotune(said):
    tune = TUNED.replace("3, 5", "4, 8") + "kernel = tuned('BLOCK', key='N')\n"
    text = said(tune + "kernel[(1,)](out, 4)\nkernel[(1,)](out.astype('int64'), 4)\n", status=0)
    assert text.count("UserWarning") == 1
    assert "the key 'N' of fill's autotune is no parameter, so it has no effect; did you mean 'n'?\n  kernel[(1,)](out, 4)\n" in text
    text = said(tune + "kernel.run(out, 4, grid=(1,), warmup=False)\n", status=0)
    assert "; did you mean 'n'?\n  kernel.run(out, 4, grid=(1,), warmup=False)\n" in text


def test_what_a_signature_cannot_say(said):
    text = said("from tessera.compiler import ASTSource\n"
                "types = {'out_ptr': '*f32', 'n': 'i32', 'BLOCK': 'constexpr'}\n"
                "tessera.compile(ASTSource(fill, types, {'BLOCK': 4}), target='cuda:90')\n")
    assert "error: the signature of 'fill', parameter 'out_ptr': '*f32': not a type" in text and "program.md" not in text
    text = said("tessera.compiler.ASTSource(fill, '*fp32, i32, 4')\n")
    assert "TypeError: a signature maps the parameters' names to their types" in text
    text = said("tessera.compiler.ASTSource(fill, {}, {'BLOK': 4})\n")
    assert text.endswith("ValueError: the constant 'BLOK' is no parameter of 'fill', which has out_ptr, n, BLOCK\n")


def test_variants_ahead(said, snippet, numpy):
    text = said("fill.precompile('*fp32, i32, 4', all_variants=['N'])\n")
    assert text.endswith("ValueError: all_variants names 'N', and the parameters of 'fill' are out_ptr, n, BLOCK\n")
    text = snippet(HEAD + "print(fill.precompile('*fp32, i32, 4', target='cuda:90', all_variants=False))\n").stdout
    assert text.startswith("fill: 1 kernel on cuda:90 in ") and "\nwith: out_ptr: *fp32, n: i32, BLOCK=4\n" in text


def test_functions_of_the_host(said):
    assert said("tl.cdiv(4, 3)\n").endswith("tl.cdiv works in kernels only; outside of them there is triton.cdiv\n")


def test_texts_of_objects(snippet, numpy):
    text = snippet(HEAD + "compiled = fill[(1,)](out, 4, BLOCK=4)\nprint(fill[(1,)], compiled.asm, sep='\\n')\n").stdout
    assert text == "<BoundKernel fill[(1,)]>\n<stages source, ttir, llir, asm, obj: made when they are read>\n"


def test_functions_that_only_python_can_run(said):
    text = said("@tessera.jit\ndef sine(out_ptr): tl.store(out_ptr, numpy.sin(tl.load(out_ptr)))\nsine[(1,)](out)\n")
    assert "error: only Python can run 'sin', at compile time, and an argument is known only at run time; use tl.sin\n" in text


def test_tensors_without_memory(said, torch):
    """They ended the process."""
    text = said("import torch\nfill[(1,)](torch.zeros(0, device='meta'), 0, BLOCK=4)\n"
                "fill[(1,)](torch.zeros(4, device='meta'), 4, BLOCK=4)\n")
    assert text.endswith("ValueError: argument 'out_ptr' of kernel 'fill' is a torch.Tensor with elements but without memory, as "
                         "those on torch's meta device are\n")
    assert "zeros(4" in text and "zeros(0" not in text  # which has no elements
