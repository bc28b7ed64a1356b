"""dtypes, constexpr and tl.tuple on the host: what they answer, and that Triton's answer the same."""
import copy
import itertools
import operator
import pickle

import pytest

import tessera.language as tl

NAMES = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float8e5", "float8e5b16",
         "float8e4nv", "float8e4b8", "float8e4b15", "float16", "bfloat16", "float32", "float64", "void"]
ATTRIBUTES = ["name", "primitive_bitwidth", "itemsize", "int_bitwidth", "fp_mantissa_width", "exponent_bias"]


def outcome(function):
    """What a call gives, for comparison: the result as text, or that it fails."""
    try:
        return str(function())
    except Exception:
        return "fails"


# ---- dtypes ---------------------------------------------------------------------------------------

def test_scalars():
    assert str(tl.float32) == "fp32" and repr(tl.float32) == "triton.language.float32"
    assert (tl.int1.primitive_bitwidth, tl.int1.itemsize) == (1, 0)
    assert tl.int1.is_bool() and tl.int1.is_int_unsigned() and not tl.int1.is_int_signed()
    assert tl.bfloat16.fp_mantissa_width == 7 and tl.float8e4b15.exponent_bias == 15
    assert tl.int8.get_int_min_value() == -128 and tl.uint64.get_int_max_value() == 2 ** 64 - 1
    assert tl.dtype("fp16") == tl.float16 and tl.dtype("fp16") != tl.bfloat16 and tl.float16 != "fp16"
    assert tl.float32 == tl.constexpr(tl.float32)
    assert {tl.int32: 1}[tl.dtype("int32")] == 1
    assert tl.dtype.is_dtype("fp32") and not tl.dtype.is_dtype("float32")
    with pytest.raises(ValueError, match="there is no dtype 'float32'; there are int1, int8"):
        tl.dtype("float32")
    with pytest.raises(TypeError, match="fp32 is no integer type"):
        tl.float32.get_int_max_value()
    with pytest.raises(TypeError, match="not callable"):
        tl.float32(3)


@pytest.mark.parametrize("name", NAMES)
def test_scalars_are_tritons(triton, name):
    mine, theirs = getattr(tl, name), getattr(triton.language, name)
    assert str(mine) == str(theirs) and repr(mine) == repr(theirs)
    for attribute in ATTRIBUTES:
        assert getattr(mine, attribute, None) == getattr(theirs, attribute, None), attribute
    for predicate in [each for each in dir(theirs) if each.startswith("is_") and each not in ("is_dtype", "is_void")]:
        assert getattr(mine, predicate)() == getattr(theirs, predicate)(), predicate
    for method in ("get_int_max_value", "get_int_min_value", "kind", "codegen_name"):
        assert outcome(getattr(mine, method)) == outcome(getattr(theirs, method)), method
    if name != "void":
        assert mine.mangle() == theirs.mangle()


def test_pointers():
    pointer = tl.pointer_type(tl.float32)
    assert str(pointer) == repr(pointer) == "pointer<fp32>" and pointer.is_ptr() and not pointer.is_const()
    assert pointer.element_ty == tl.float32 and pointer.scalar is pointer and pointer.mangle() == "Pfp32"
    constant = tl.pointer_type(tl.float32, 1, True)
    assert str(constant) == "const_pointer<fp32>" and constant != pointer and constant.is_const()
    assert tl.pi32_t == tl.pointer_type(tl.int32) and tl.pi32_t != tl.pointer_type(tl.int32, 3)
    assert not pointer.is_floating() and not pointer.is_int()
    with pytest.raises(TypeError, match="a pointer points to a dtype, not to an object of type `int`"):
        tl.pointer_type(3)


def test_blocks():
    block = tl.block_type(tl.float16, [4, tl.constexpr(8)])
    assert block.shape == (4, 8) and block.numel == 32 and block.scalar == tl.float16 and block.is_block()
    assert block.nbytes == 64 and block.mangle() == "fp16S4_8S" and block.get_block_shapes() == (4, 8)
    assert block.with_element_ty(tl.int8) == tl.block_type(tl.int8, (4, 8)) != block
    with pytest.raises(ValueError, match="axis 1 of a block has the extent 3, which is no power of two"):
        tl.block_type(tl.float16, [4, 3])
    with pytest.raises(ValueError, match="axis 0 of a block has the extent 0"):
        tl.block_type(tl.float16, [0])
    with pytest.raises(ValueError, match="2097152 elements is larger than 1048576"):
        tl.block_type(tl.float16, [2, 1048576])
    with pytest.raises(TypeError, match="axis 0 of a block has an int as its extent, not `float`"):
        tl.block_type(tl.float16, [4.0])
    with pytest.raises(TypeError, match="at least one axis"):
        tl.block_type(tl.float16, [])


def test_signatures_texts():
    for text in ("*fp32", "*kfp16", "**i8", "i32", "u64", "fp8e4nv", "bf16"):
        assert tl.str_to_ty(text, None).__tessera_dtype__ == text
    assert tl.str_to_ty("i1", None) == tl.str_to_ty("u1", None) == tl.str_to_ty("B", None) == tl.int1
    descriptor = tl.str_to_ty("tensordesc<fp16[64, 32]>", None)
    assert descriptor.block_type == tl.block_type(tl.float16, [64, 32]) and len(descriptor.strides_type) == 2
    assert tl.str_to_ty(("*fp32", "i32"), None) == tl.tuple_type([tl.pointer_type(tl.float32), tl.int32])
    with pytest.raises(KeyError):
        tl.str_to_ty("fp31", None)


@pytest.mark.parametrize("value", [tl.float32, tl.void, tl.pi32_t, tl.pointer_type(tl.int8, const=True),
                                   tl.block_type(tl.bfloat16, [4, 4]), tl.tuple_type([tl.int32], ["n"]),
                                   tl.constexpr_type(3), tl.constexpr("x"), tl.constexpr(tl.float32), tl.tuple([1, 2])], ids=str)
def test_values_pickle_and_copy(value):
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert again == value and hash(again) == hash(value) and repr(again) == repr(value) and type(again) is type(value)


# ---- constexpr ------------------------------------------------------------------------------------

def test_constexpr():
    block = tl.constexpr(tl.constexpr(128))
    assert block.value == 128 and repr(block) == "constexpr[128]" and isinstance(block + 1, tl.constexpr)
    assert list(range(tl.constexpr(3))) == [0, 1, 2] and [10, 20][tl.constexpr(1)] == 20
    assert bool(block == 128) and not block != 128 and block > 1 and 1 < block
    assert block.type == tl.constexpr_type(128) and not tl.constexpr(0)
    assert tl.constexpr((1, 2))[0] == 1 and list(tl.constexpr((1, 2))) == [1, 2] and tl.constexpr(max)(1, 2) == 2
    assert tl.constexpr(3).logical_and(0).value == 0 and tl.constexpr(0).logical_or(5).value == 5
    assert (2 ** tl.constexpr(3)).value == 8 and (7 % tl.constexpr(4)).value == 3 and (6 & tl.constexpr(3)).value == 2
    with pytest.raises(TypeError):
        tl.constexpr("x") + 1


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
             operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor, operator.lt, operator.le,
             operator.gt, operator.ge, operator.eq, operator.ne]


def test_operators_are_tritons(triton):
    other = triton.language.constexpr
    # Triton's class lacks these with a number on the left; Python has them.
    reflected = [each for each in OPERATORS if each not in (operator.mod, operator.and_, operator.or_, operator.xor,
                                                            operator.lshift, operator.rshift)]
    for a, b in itertools.product((0, 1, -7, 3, 2.5, True), repeat=2):
        for operation in OPERATORS:
            assert outcome(lambda: operation(tl.constexpr(a), b)) == outcome(lambda: operation(other(a), b))
            assert outcome(lambda: operation(tl.constexpr(a), tl.constexpr(b))) == outcome(lambda: operation(other(a), other(b)))
        for operation in reflected:
            assert outcome(lambda: operation(a, tl.constexpr(b))) == outcome(lambda: operation(a, other(b)))
        for operation in (operator.neg, operator.pos, operator.invert, bool, operator.not_):
            assert outcome(lambda: operation(tl.constexpr(a))) == outcome(lambda: operation(other(a)))


# ---- tuples and ranges ----------------------------------------------------------------------------

def test_tuples():
    pair = tl.tuple([tl.constexpr(1), 2])
    assert len(pair) == 2 and pair[0].value == 1 and list(pair)[1] == 2 and repr(pair) == "(constexpr[1], 2)"
    assert repr(pair + (3,)) == "(constexpr[1], 2, 3)" and repr(pair[tl.constexpr(1)]) == "2"
    assert repr(pair[1:]) == "(2,)" and len(pair * 2) == 4
    assert pair == (1, 2) and pair != (1, 3) and not pair == 5
    named = tl.tuple([5, 6], tl.tuple_type([tl.int32, tl.int32], ["height", "width"]))
    assert named.width == 6 and str(named.type) == "[height:int32,width:int32]"
    with pytest.raises(AttributeError, match="no field 'depth'"):
        named.depth


def test_ranges():
    loop = tl.range(2, 10, num_stages=3)
    assert (loop.start, loop.end, loop.step.value, loop.num_stages) == (2, 10, 1, 3)
    assert tl.static_range(4).end == 4 and tl.condition(True).condition is True
    assert isinstance(loop, tl.core.base_value) and tl.slice(1, 2, 3).stop == 2
