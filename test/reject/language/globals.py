#: Globals of the module that a kernel may not read.
import torch
import triton
import triton.language as tl

PLAIN = 4
ANNOTATED: tl.constexpr = 4
LIST = [1, 2]
DIVIDED = tl.constexpr(1 // 0)
DEVICE = torch.device("cuda")


class Config:
    BLOCK = 64


def helper(x):
    return x + 1


@triton.jit
def plain(p):
    tl.store(p, PLAIN)
    tl.store(p, ANNOTATED)
    tl.store(p, LIST[0])
    tl.store(p, DIVIDED)
    tl.store(p, Config.BLOCK)
    tl.store(p, helper(1))
    tl.store(p, torch.float32)
    tl.store(p, DEVICE)


@triton.jit
def names(p, n):
    tl.store(p, misspeled)
    tl.store(p, later)
    later = 1
    if n > 0:
        inside = 1
    tl.store(p, inside)
    for i in range(n):
        looped = i
    tl.store(p, looped)
    tl.store(p, sorted)
    tl.store(p, np.float32)


# What a kernel cannot read of its module: each with what it is, and where.
# $ tessera compile globals.py -n plain -s "*fp32" --emit ttir -o -
# | globals.py:22:17: error: 'PLAIN' cannot be used in a kernel (line 5: a plain global; kernels read globals only as constants, so write PLAIN = tl.constexpr(...))
# |     tl.store(p, PLAIN)
# |                 ^~~~~
# | globals.py:23:17: error: 'ANNOTATED' cannot be used in a kernel (line 6: a plain global; kernels read globals only as constants, so write ANNOTATED = tl.constexpr(...))
# |     tl.store(p, ANNOTATED)
# |                 ^~~~~~~~~
# | globals.py:24:17: error: 'LIST' cannot be used in a kernel (line 7: a plain global; kernels read globals only as constants, so write LIST = tl.constexpr(...))
# |     tl.store(p, LIST[0])
# |                 ^~~~
# | globals.py:25:17: error: 'DIVIDED' cannot be used in a kernel (line 8: assigned from an expression that only Python can evaluate: division of a compile-time value by zero)
# |     tl.store(p, DIVIDED)
# |                 ^~~~~~~
# | globals.py:26:17: error: 'Config' cannot be used in a kernel (line 12: a plain class; kernels know NamedTuple classes and those made by @tl.core._aggregate)
# |     tl.store(p, Config.BLOCK)
# |                 ^~~~~~
# | globals.py:27:17: error: 'helper' cannot be used in a kernel (line 16: a plain Python function, without @triton.jit)
# |     tl.store(p, helper(1))
# |                 ^~~~~~
# | globals.py:28:5: error: expected a number or a tensor, got the Python object 'torch.float32'
# |     tl.store(p, torch.float32)
# |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
# | globals.py:21:11: note: 'p' is a run-time scalar *fp32, from here
# | globals.py:29:17: error: 'DEVICE' cannot be used in a kernel (line 9: assigned from an expression that only Python can evaluate: 'torch.device' is not known at compile time (an attribute of a module that only Python can load))
# |     tl.store(p, DEVICE)
# |                 ^~~~~~
# = 1

# Names that have no value: not yet, not on every path, not at all.
# $ tessera compile globals.py -n names -s "*fp32,i32" --emit ttir -o -
# | globals.py:34:17: error: 'misspeled' is not defined
# |     tl.store(p, misspeled)
# |                 ^~~~~~~~~
# | globals.py:35:17: error: 'later' is used before it is assigned, at line 36
# |     tl.store(p, later)
# |                 ^~~~~
# | globals.py:39:17: error: 'inside' is not defined here: it is assigned only inside one branch of an 'if'; give it a value before
# |     tl.store(p, inside)
# |                 ^~~~~~
# | globals.py:38:9: note: 'inside' is assigned here
# | globals.py:42:17: error: 'looped' is not defined here: it is assigned only inside a loop; give it a value before
# |     tl.store(p, looped)
# |                 ^~~~~~
# | globals.py:41:9: note: 'looped' is assigned here
# | globals.py:43:17: error: Python's 'sorted' is not part of the kernel language: kernels compute with numbers, tensors and tuples
# |     tl.store(p, sorted)
# |                 ^~~~~~
# | globals.py:44:17: error: 'np' is not defined; did you mean 'p'?
# |     tl.store(p, np.float32)
# |                 ^~
# = 1
