#: Imported modules and names that are missing, broken or no kernels' code.
import triton
import triton.language as tl
import utils
import utils.missing
import broken
from broken import f
from utils import absent, plain
from nowhere import gone
from . import sibling


@triton.jit
def k(p):
    tl.store(p, f(1))
    tl.store(p, broken.f(1))


@triton.jit
def members(p):
    tl.store(p, absent)
    tl.store(p, utils.absent)
    tl.store(p, plain(1))
    tl.store(p, utils.plain(1))
    tl.store(p, gone)
    tl.store(p, sibling)
    tl.store(p, utils.kernel(p, 1))


# A module that does not parse: its own error, once, and the first place that needs it.
# % write() { printf 'import triton\nimport triton.language as tl\ndef plain(x):\n    return x\n@triton.jit\ndef kernel(p):\n    tl.store(p, "text")\n' > utils.py; printf 'x = 1\ndef f(x:\n    return x\n' > broken.py; }
# $ write; tessera compile imports.py -n k -s "*fp32" --emit ttir -o -
# | broken.py:2:6: error: '(' was never closed
# | def f(x:
# |      ^
# | imports.py:14:17: note: 'f' is used here (line 6: imported from 'broken')
# + broken.py
# + utils.py
# = 1

# The kernel itself comes from such a module.
# $ write; tessera compile imports.py -n f -s "*fp32" --emit ttir -o -
# | broken.py:2:6: error: '(' was never closed
# | def f(x:
# |      ^
# + broken.py
# + utils.py
# = 1

# Members that a module does not have, or that kernels cannot use.
# $ write; tessera compile imports.py -n members -s "*fp32" --emit ttir -o -
# | imports.py:20:17: error: 'absent' cannot be used in a kernel (line 7: 'utils' has no 'absent')
# |     tl.store(p, absent)
# |                 ^~~~~~
# | imports.py:21:17: error: the module utils has no 'absent'
# |     tl.store(p, utils.absent)
# |                 ^~~~~~~~~~~~
# | imports.py:22:17: error: 'plain' cannot be used in a kernel (utils.py:3: a plain Python function, without @triton.jit)
# |     tl.store(p, plain(1))
# |                 ^~~~~
# | imports.py:23:17: error: 'plain' cannot be used in a kernel (utils.py:3: a plain Python function, without @triton.jit)
# |     tl.store(p, utils.plain(1))
# |                 ^~~~~~~~~~~~~~
# | imports.py:24:17: error: 'nowhere.gone' cannot be used in a kernel (line 8: imported from 'nowhere', which the compiler does not know)
# |     tl.store(p, gone)
# |                 ^~~~
# | imports.py:25:17: error: 'sibling' cannot be used in a kernel (line 9: imported from '.', which the compiler does not know)
# |     tl.store(p, sibling)
# |                 ^~~~~~~
# | imports.py:26:33: error: 'kernel' takes 1 argument: p
# |     tl.store(p, utils.kernel(p, 1))
# |                                 ^
# + broken.py
# + utils.py
# = 1

# An error inside a function of another module, with the call that led there.
# $ write; printf 'import utils, triton\n@triton.jit\ndef k(p):\n    utils.kernel(p)\n' > main.py; tessera compile main.py -n k -s "*fp32" --emit ttir -o -
# | utils.py:7:5: error: expected a number or a tensor, got the string 'text'
# |     tl.store(p, "text")
# |     ^~~~~~~~~~~~~~~~~~~
# | utils.py:6:12: note: 'p' is a run-time scalar *fp32, from here
# | main.py:4:5: note: in the call of 'kernel' here
# + broken.py
# + main.py
# + utils.py
# = 1
