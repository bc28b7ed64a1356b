"""Tensor maps from the recipes of a kernel's record (docs/abi.md), as a launcher builds them.

    maps = build_maps(record, {"a_ptr": 4096, "M": 100, "K": 64, "stride_am": 64})
"""
from .numbers import Fault
from .tensor_copies import TensorMap

LOW, HIGH = -(1 << 63), 1 << 63
SIZES = {"i1": 1, "u1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4}


class NoTensorMap(Exception):
    """The launch takes the variant without tensor maps."""


def number(type_name, raw):
    """The integer of a passed argument, from its bytes."""
    size = SIZES.get(type_name, 8)
    return int.from_bytes(raw[:size], "little", signed=type_name.startswith("i") and type_name != "i1")


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": truncated, "floordiv": lambda a, b: a // b,
              "cdiv": lambda a, b: -(-a // b), "%": lambda a, b: a - b * truncated(a, b), "min": min, "max": max}


def evaluate(expression, arguments):
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return arguments[expression]
    operation, *operands = expression
    values = [evaluate(operand, arguments) for operand in operands]
    if operation == "u32":
        return values[0] & 0xFFFFFFFF
    if operation == "i32":
        if not -(1 << 31) <= values[0] < 1 << 31:
            raise NoTensorMap("a 32-bit integer overflows")
        return values[0]
    if operation in ("/", "floordiv", "cdiv", "%") and values[1] == 0:
        raise NoTensorMap("a division by zero")
    result = OPERATIONS[operation](*values)
    if not LOW <= result < HIGH:
        raise NoTensorMap("an overflow")
    return result


def build_map(recipe, arguments):
    address = arguments[recipe["base"]] + evaluate(recipe.get("offset", 0), arguments)
    extents = tuple(evaluate(extent, arguments) for extent in recipe["extents"])
    strides = tuple(evaluate(stride, arguments) for stride in recipe["strides"])
    if address == 0 or 0 in strides:
        raise NoTensorMap("a null address, or a stride of 0")
    try:
        return TensorMap(address, recipe["type"], extents, strides, tuple(recipe["box"]), recipe["swizzle"], recipe["fill"])
    except Fault as fault:
        raise NoTensorMap(str(fault)) from fault


def build_maps(record, arguments):
    """The maps of the record's hidden arguments. They stand before the other hidden ones."""
    maps = [build_map(recipe, arguments) for recipe in record.get("tensor_maps", [])]
    assert [name for name in record["hidden_arguments"] if name.startswith("tensor_map:")] == [f"tensor_map:{i}" for i in range(len(maps))]
    return maps
