# Types and Python's functions on what has none.
import triton
import triton.language as tl


@triton.jit
def unknown_type(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.to(tl.float24)


@triton.jit
def type_call(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.float32(5)


@triton.jit
def type_attribute(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.dtype.bits


@triton.jit
def type_method(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.dtype.is_complex()


@triton.jit
def type_limits(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.dtype.get_int_max_value()


@triton.jit
def type_name(p, n):
    r = tl.dtype('float32')


@triton.jit
def block_type_shape(p, n):
    r = tl.block_type(tl.int32, (3, ))


@triton.jit
def block_type_rank(p, n):
    r = tl.block_type(tl.int32, ())


@triton.jit
def pointer_type_element(p, n):
    r = tl.pointer_type(32)


@triton.jit
def pointer_type_space(p, n):
    r = tl.pointer_type(tl.int32, 3)


@triton.jit
def int_type_width(p, n):
    r = tl.core.get_int_dtype(24, True)


@triton.jit
def make_tensor(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.tensor(x, tl.float32)


@triton.jit
def tensor_attribute(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.device


@triton.jit
def function_not_method(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = x.where(x, x)


@triton.jit
def enum_member(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = tl.maximum(x, x, tl.PropagateNan.SOME)


@triton.jit
def target_attribute(p, n):
    r = tl.target_info.current_target().name


@triton.jit
def capability_runtime(p, n):
    r = tl.target_info.cuda_capability_geq(tl.program_id(0))


@triton.jit
def length_of_tensor(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = len(x)


@triton.jit
def int_of_tensor(p, n):
    r = int(tl.program_id(0))


@triton.jit
def float_of_tensor(p, n):
    r = float(tl.program_id(0))


@triton.jit
def int_of_text(p, n):
    r = int('ten')


@triton.jit
def int_base(p, n):
    r = int(5, 16)


@triton.jit
def list_of_tensor(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = list(x)


@triton.jit
def isinstance_of_value(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = isinstance(x, 5)


@triton.jit
def isinstance_of_function(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = isinstance(x, tl.load)


@triton.jit
def getattr_name(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = getattr(x, 5)


@triton.jit
def getattr_missing(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = getattr(x, 'device')


@triton.jit
def hasattr_name(p, n):
    x = tl.load(p + tl.arange(0, 16))
    r = hasattr(x, tl.float32)

# % compile() { tessera compile types.py --kernel-name $1 --signature "*fp32,*i32" --emit ttir -o -; }

# Types.
# $ compile unknown_type
# | types.py:9:14: error: triton.language has no 'float24'; did you mean 'float64'?
# |     r = x.to(tl.float24)
# |              ^~~~~~~~~~
# = 1
# $ compile type_call
# | types.py:15:9: error: a dtype is not callable; write x.to(tl.float32)
# |     r = tl.float32(5)
# |         ^~~~~~~~~~~~~
# = 1
# $ compile type_attribute
# | types.py:21:9: error: the type fp32 has no attribute 'bits' that kernels can read
# |     r = x.dtype.bits
# |         ^~~~~~~~~~~~
# = 1
# $ compile type_method
# | types.py:27:9: error: the type fp32 has no attribute 'is_complex' that kernels can read
# |     r = x.dtype.is_complex()
# |         ^~~~~~~~~~~~~~~~~~
# = 1
# $ compile type_limits
# | types.py:33:9: error: get_int_max_value and get_int_min_value are for integer types, not fp32
# |     r = x.dtype.get_int_max_value()
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile type_name
# | types.py:38:9: error: tl.dtype takes the name of a type such as "fp32" or "int32", not the string 'float32'
# |     r = tl.dtype('float32')
# |         ^~~~~~~~~~~~~~~~~~~
# = 1
# $ compile block_type_shape
# | types.py:43:9: error: a block's extents are powers of two; axis 0 of [3] has 3
# |     r = tl.block_type(tl.int32, (3, ))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile block_type_rank
# | types.py:48:9: error: a block type has an element type and at least one axis
# |     r = tl.block_type(tl.int32, ())
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile pointer_type_element
# | types.py:53:9: error: expected a dtype such as tl.float32, got the int 32
# |     r = tl.pointer_type(32)
# |         ^~~~~~~~~~~~~~~~~~~
# = 1
# $ compile pointer_type_space
# | types.py:58:9: error: pointers are into address space 1, global memory, not into the int 3
# |     r = tl.pointer_type(tl.int32, 3)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile int_type_width
# | types.py:63:9: error: integers have 1, 8, 16, 32 or 64 bits, not the int 24
# |     r = tl.core.get_int_dtype(24, True)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile make_tensor
# | types.py:69:9: error: this class is for isinstance and annotations; kernels get its objects from functions such as tl.load, tl.full and tl.arange
# |     r = tl.tensor(x, tl.float32)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~
# | types.py:68:5: note: 'x' is a block fp32[16], from here
# = 1

# An 8-bit float that other targets have.
# $ tessera compile types.py --kernel-name unknown_type --signature "*fp8e4b8,*i32" --emit ttir -o -
# | types.py:7:18: error: the target has no type fp8e4b8; its 8-bit floats are fp8e5, fp8e4b15, fp8e4nv
# | def unknown_type(p, n):
# |                  ^
# = 1
# $ tessera compile types.py --kernel-name unknown_type --signature "*fp8e4nv,*i32" --target cuda:80 --emit ttir -o -
# | types.py:7:18: error: the target has no type fp8e4nv; its 8-bit floats are fp8e5, fp8e4b15
# | def unknown_type(p, n):
# |                  ^
# = 1

# Attributes.
# $ compile tensor_attribute
# | types.py:75:9: error: a tensor has no attribute 'device'
# |     r = x.device
# |         ^~~~~~~~
# = 1
# $ compile function_not_method
# | types.py:81:9: error: a tensor has no attribute 'where'; write tl.where(...)
# |     r = x.where(x, x)
# |         ^~~~~~~
# = 1
# $ compile enum_member
# | types.py:87:26: error: the function tl.PropagateNan has no attribute 'SOME' that kernels can read
# |     r = tl.maximum(x, x, tl.PropagateNan.SOME)
# |                          ^~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile target_attribute
# | types.py:92:9: error: the current target has no attribute 'name'; it has backend, arch and warp_size
# |     r = tl.target_info.current_target().name
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile capability_runtime
# | types.py:97:9: error: cuda_capability_geq takes compile-time ints, not a run-time scalar i32
# |     r = tl.target_info.cuda_capability_geq(tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1

# Python's functions.
# $ compile length_of_tensor
# | types.py:103:9: error: len takes a tuple or a string, not a block fp32[16]; x.shape is a tuple of its extents
# |     r = len(x)
# |         ^~~~~~
# | types.py:102:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile int_of_tensor
# | types.py:108:9: error: int takes a compile-time number, not a run-time scalar i32; convert with .to(tl.int32)
# |     r = int(tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile float_of_tensor
# | types.py:113:9: error: float takes a compile-time number, not a run-time scalar i32; convert with .to(tl.float32)
# |     r = float(tl.program_id(0))
# |         ^~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile int_of_text
# | types.py:118:9: error: int takes a compile-time number, not the string 'ten'
# |     r = int('ten')
# |         ^~~~~~~~~~
# = 1
# $ compile int_base
# | types.py:123:9: error: int takes a string and a base from 2 to 36, not the int 5 and the int 16
# |     r = int(5, 16)
# |         ^~~~~~~~~~
# = 1
# $ compile list_of_tensor
# | types.py:129:9: error: list takes a tuple, not a block fp32[16]
# |     r = list(x)
# |         ^~~~~~~
# | types.py:128:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile isinstance_of_value
# | types.py:135:9: error: isinstance takes a class such as tl.tensor or int, not the int 5
# |     r = isinstance(x, 5)
# |         ^~~~~~~~~~~~~~~~
# | types.py:134:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile isinstance_of_function
# | types.py:141:9: error: isinstance takes a class such as tl.tensor or int, not tl.load
# |     r = isinstance(x, tl.load)
# |         ^~~~~~~~~~~~~~~~~~~~~~
# | types.py:140:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile getattr_name
# | types.py:147:9: error: getattr and hasattr take a string, not the int 5
# |     r = getattr(x, 5)
# |         ^~~~~~~~~~~~~
# | types.py:146:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile getattr_missing
# | types.py:153:9: error: a tensor has no attribute 'device'
# |     r = getattr(x, 'device')
# |         ^~~~~~~~~~~~~~~~~~~~
# | types.py:152:5: note: 'x' is a block fp32[16], from here
# = 1
# $ compile hasattr_name
# | types.py:159:9: error: getattr and hasattr take a string, not the type fp32
# |     r = hasattr(x, tl.float32)
# |         ^~~~~~~~~~~~~~~~~~~~~~
# | types.py:158:5: note: 'x' is a block fp32[16], from here
# = 1
