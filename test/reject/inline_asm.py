# Inline assembly that cannot be placed.
import triton
import triton.language as tl


@triton.jit
def assembly_text(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise(5, '=r,r', [x], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def assembly_constraints(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', None, [x], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def assembly_operands(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', '=r,r', x, dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def assembly_operand(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', '=r,r', ['x'], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def assembly_shapes(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', '=r,r', [x, tl.arange(0, 8)], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def assembly_type(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', '=r,r', [x], dtype=5, is_pure=True, pack=1)


@triton.jit
def assembly_no_result(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', 'r', [x], dtype=(), is_pure=True, pack=1)


@triton.jit
def assembly_pack(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', '=r,r', [x], dtype=tl.int32, is_pure=True, pack=3)


@triton.jit
def assembly_pack_size(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', '=r,r', [x.reshape(16)], dtype=tl.int32, is_pure=True, pack=32)


@triton.jit
def assembly_argument(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.inline_asm_elementwise('x', '=r,r', [x], dtype=tl.int32)


@triton.jit
def extern_table(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.core.extern_elementwise('lib', 'path', [x], 5, True)


@triton.jit
def extern_names(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.core.extern_elementwise(1, 2, [x], 5, True)


@triton.jit
def custom_float8(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.extra.cuda.convert_custom_float8_sm80(x, tl.float16)


@triton.jit
def operand_that_is_none(p, n):
    x = tl.load(p + tl.arange(0, 16))
    tl.store(p + tl.arange(0, 16), tl.inline_asm_elementwise('mov.b32 $0, $7;', '=r,r', [x], dtype=tl.int32, is_pure=True, pack=1))


# % compile() { tessera compile inline_asm.py --kernel-name $1 --signature "*fp32,*i32" --emit ttir -o -; }

# Assembly.
# $ compile assembly_text
# | inline_asm.py:9:9: error: inline_asm_elementwise takes a compile-time string as asm, not the int 5
# |     r = tl.inline_asm_elementwise(5, '=r,r', [x], dtype=tl.int32, is_pure=True, pack=1)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_constraints
# | inline_asm.py:15:9: error: inline_asm_elementwise takes a compile-time string as constraints, not None
# |     r = tl.inline_asm_elementwise('x', None, [x], dtype=tl.int32, is_pure=True, pack=1)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_operands
# | inline_asm.py:21:9: error: inline_asm_elementwise takes a list as args, not a block fp32[16]
# |     r = tl.inline_asm_elementwise('x', '=r,r', x, dtype=tl.int32, is_pure=True, pack=1)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | inline_asm.py:20:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile assembly_operand
# | inline_asm.py:27:9: error: expected a number or a tensor, got the string 'x'
# |     r = tl.inline_asm_elementwise('x', '=r,r', ['x'], dtype=tl.int32, is_pure=True, pack=1)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_shapes
# | inline_asm.py:33:9: error: shapes [16] and [8] do not broadcast: axis 0 has sizes 16 and 8
# |     r = tl.inline_asm_elementwise('x', '=r,r', [x, tl.arange(0, 8)], dtype=tl.int32, is_pure=True, pack=1)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_type
# | inline_asm.py:39:9: error: inline_asm_elementwise takes a dtype or a tuple of dtypes as dtype, not the int 5
# |     r = tl.inline_asm_elementwise('x', '=r,r', [x], dtype=5, is_pure=True, pack=1)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_no_result
# | inline_asm.py:45:9: error: inline_asm_elementwise has at least one result; give it a dtype that you do not use
# |     r = tl.inline_asm_elementwise('x', 'r', [x], dtype=(), is_pure=True, pack=1)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_pack
# | inline_asm.py:51:9: error: inline_asm_elementwise takes pack=1, 2, 4, ..., not the int 3
# |     r = tl.inline_asm_elementwise('x', '=r,r', [x], dtype=tl.int32, is_pure=True, pack=3)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_pack_size
# | inline_asm.py:57:9: error: inline_asm_elementwise with pack=32 takes blocks of at least as many elements, not fp32[16]
# |     r = tl.inline_asm_elementwise('x', '=r,r', [x.reshape(16)], dtype=tl.int32, is_pure=True, pack=32)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile assembly_argument
# | inline_asm.py:63:9: error: inline_asm_elementwise needs 'is_pure'; it takes asm, constraints, args, dtype, is_pure, pack
# |     r = tl.inline_asm_elementwise('x', '=r,r', [x], dtype=tl.int32)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Other libraries.
# $ compile extern_table
# | inline_asm.py:69:9: error: extern_elementwise takes a dict {(dtype, ...): (symbol, dtype)}, not the int 5
# |     r = tl.core.extern_elementwise('lib', 'path', [x], 5, True)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile extern_names
# | inline_asm.py:75:9: error: extern_elementwise takes two strings, a library's name and path, not the int 1
# |     r = tl.core.extern_elementwise(1, 2, [x], 5, True)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile custom_float8
# | inline_asm.py:81:9: error: convert_custom_float8 converts between fp8e4b15 and fp16 or fp32, not a block fp32[16] to the type fp16
# |     r = tl.extra.cuda.convert_custom_float8_sm80(x, tl.float16)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | inline_asm.py:80:5: note: 'x' is a block fp32[16], from here
# = 1
# $ tessera compile inline_asm.py -n operand_that_is_none -s "*i32,i32" --target cuda:90 --emit ptx
# | inline_asm.py:87:36: error: inline assembly names operand $7, and the constraints "=r,r" make 2
# |     tl.store(p + tl.arange(0, 16), tl.inline_asm_elementwise('mov.b32 $0, $7;', '=r,r', [x], dtype=tl.int32, is_pure=True, pack=1))
# |                                    ^
# = 1
