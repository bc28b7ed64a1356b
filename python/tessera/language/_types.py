"""The types of the language, as the host sees them: tl.float32, tl.pointer_type(tl.float32), tl.block_type(...).

They answer what kernels and the code around them ask at compile time (`dtype.primitive_bitwidth`, `dtype.is_floating()`),
compare and hash by what they are, and pickle. Types in generated code are the compiler's own; nothing here makes IR.

    >>> tl.float32.primitive_bitwidth, str(tl.float32), tl.float32
    (32, 'fp32', triton.language.float32)
    >>> tl.pointer_type(tl.float16, const=True).__tessera_dtype__      # as a signature spells it
    '*kfp16'
"""

from enum import Enum

from .._native import scalar_types
from ._constexpr import unwrap
from ._marks import LanguageClass

TRITON_MAX_TENSOR_NUMEL = 1048576

# name of the dtype -> (name in tl, spelling in signatures, bits). Integers first, narrow to wide. A float is called as in signatures.
_SCALARS = {(name if floats else tl): (tl, name, bits) for name, tl, bits, _, _, floats in scalar_types()}
_SCALARS["void"] = ("void", None, 0)

# dtype name -> (bits of the stored mantissa, exponent bias).
_FLOATS = {name: floats for name, _, _, _, _, floats in scalar_types() if floats}


def is_power_of_two(value):
    return value > 0 and value & (value - 1) == 0


class base_type(metaclass=LanguageClass):
    """The base class of the types of the language."""

    __module__ = "tessera.language.core"
    _language_name = "base_type"
    __tessera_dtype__ = None  # the spelling in signatures, of types that have one

    def __ne__(self, other):
        return not self == other

    def mangle(self):
        """The type as part of a symbol's name."""
        raise NotImplementedError("%s has no form in symbols" % type(self).__name__)


class dtype(base_type):
    """The type of a scalar, or of a tensor's elements: tl.float32, tl.int8, ..."""

    __module__ = "tessera.language.core"
    _language_name = "dtype"

    SINT_TYPES = [name for name, (_, short, _) in _SCALARS.items() if short and short.startswith("i")]
    UINT_TYPES = [name for name, (_, short, _) in _SCALARS.items() if short and short.startswith("u")]
    FP_TYPES = list(_FLOATS)
    STANDARD_FP_TYPES = [name for name in _FLOATS if not name.startswith("fp8")]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = unwrap(name)
        if name not in _SCALARS:
            raise ValueError("there is no dtype %r; there are %s" % (name, ", ".join(_SCALARS)))
        self.name = name
        self._tl_name, self.__tessera_dtype__, self.primitive_bitwidth = _SCALARS[name]
        self.itemsize = self.primitive_bitwidth // 8
        if name in _FLOATS:
            self.fp_mantissa_width, self.exponent_bias = _FLOATS[name]
        elif name != "void":
            is_signed = name in dtype.SINT_TYPES
            self.int_signedness = dtype.SIGNEDNESS.SIGNED if is_signed else dtype.SIGNEDNESS.UNSIGNED
            self.int_bitwidth = self.primitive_bitwidth

    def __reduce__(self):
        return dtype, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    # A name decides everything: of scalars, pointers and blocks alike.
    def __eq__(self, other):
        other = unwrap(other)
        return type(self) is type(other) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return "triton.language." + self._tl_name

    def codegen_name(self):
        """The name that generated Python code writes after `tl.`: "fp32" is tl.float32's."""
        return self._tl_name

    @property
    def cache_key_part(self):
        return self.name

    @property
    def scalar(self):
        """The type of one element."""
        return self

    def mangle(self):
        if self.is_void():
            return "V"
        return self.__tessera_dtype__

    def with_element_ty(self, element_ty):
        """The type of this shape with other elements: of a scalar, the element type itself."""
        return element_ty

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name in _FLOATS

    def is_standard_floating(self):
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in dtype.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in dtype.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self):
        return self.name == "int1"

    def is_void(self):
        return self.name == "void"

    def is_block(self):
        return False

    def is_ptr(self):
        return False

    def is_const(self):
        return False

    @staticmethod
    def is_dtype(type_str):
        """Returns whether there is a scalar type of that name, such as "fp32"."""
        return type_str in _SCALARS

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        if self.is_int():
            return dtype.KIND.INTEGRAL
        if self.is_floating():
            return dtype.KIND.FLOATING
        raise TypeError("%s is no number" % self)

    def get_int_max_value(self):
        """The largest value of an integer type."""
        return (1 << (self._integer_bits() - (1 if self.is_int_signed() else 0))) - 1

    def get_int_min_value(self):
        """The smallest value of an integer type."""
        bits = self._integer_bits()
        return -(1 << (bits - 1)) if self.is_int_signed() else 0

    def _integer_bits(self):
        if not self.is_int():
            raise TypeError("%s is no integer type" % self)
        return self.int_bitwidth


def _predicate(name):
    def method(self):
        return self.name == name

    method.__name__ = "is_" + name
    method.__qualname__ = "dtype.is_" + name
    method.__module__ = dtype.__module__
    return method


for _name in _SCALARS:  # dtype.is_fp32, dtype.is_int8, ...: each true of one type alone
    if _name != "void":
        setattr(dtype, "is_" + _name, _predicate(_name))


class pointer_type(dtype):
    """A pointer to elements of a type; through one to const nothing is stored."""

    __module__ = "tessera.language.core"
    _language_name = "pointer_type"

    def __init__(self, element_ty, address_space=1, const=False):
        element_ty = unwrap(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError("a pointer points to a dtype, not to an object of type `%s`" % type(element_ty).__name__)
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = "%s<%s>" % ("const_pointer" if const else "pointer", element_ty)
        inner = element_ty.__tessera_dtype__
        self.__tessera_dtype__ = inner and ("*k" if const else "*") + inner

    def __reduce__(self):
        return pointer_type, (self.element_ty, self.address_space, self.const)

    def __eq__(self, other):
        other = unwrap(other)
        return dtype.__eq__(self, other) and self.address_space == other.address_space

    __hash__ = dtype.__hash__

    def __repr__(self):
        return self.name

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def mangle(self):
        return "P" + self.element_ty.mangle()


def checked_shape(shape):
    """`shape` as a tuple of ints that a block may have; its number of elements beside it."""
    shape = tuple([unwrap(extent) for extent in unwrap(shape)])
    if not shape:
        raise TypeError("a block has at least one axis; a scalar has its dtype as its type")
    numel = 1
    for axis, extent in enumerate(shape):
        if isinstance(extent, bool) or not isinstance(extent, int):
            raise TypeError("axis %d of a block has an int as its extent, not `%s`" % (axis, type(extent).__name__))
        if not is_power_of_two(extent):
            raise ValueError("axis %d of a block has the extent %d, which is no power of two" % (axis, extent))
        numel *= extent
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError("a block of %d elements is larger than %d" % (numel, TRITON_MAX_TENSOR_NUMEL))
    return shape, numel


class block_type(dtype):
    """The type of a tensor: elements of one type in a shape of powers of two."""

    __module__ = "tessera.language.core"
    _language_name = "block_type"

    def __init__(self, element_ty, shape):
        self.element_ty = unwrap(element_ty)
        self.shape, self.numel = checked_shape(shape)
        self.name = "<[%s], %s>" % (", ".join(map(str, self.shape)), self.element_ty)

    def __reduce__(self):
        return block_type, (self.element_ty, self.shape)

    def __eq__(self, other):
        other = unwrap(other)
        return dtype.__eq__(self, other) and self.element_ty == other.element_ty

    __hash__ = dtype.__hash__

    def __repr__(self):
        return self.name

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        """The size of such a block in memory."""
        return self.numel * (self.element_ty.primitive_bitwidth // 8)

    def mangle(self):
        return "%sS%sS" % (self.element_ty.mangle(), "_".join(map(str, self.shape)))


class tuple_type(base_type):
    """The type of a tuple; `fields` are the names of a named tuple's elements."""

    __module__ = "tessera.language.core"
    _language_name = "tuple_type"

    def __init__(self, types, fields=None):
        self.types = types
        self.fields = fields or [""] * len(types)

    def __eq__(self, other):
        return type(self) is type(other) and list(self.types) == list(other.types) and self.fields == other.fields

    def __hash__(self):
        return hash((tuple(self.types), tuple(self.fields)))

    @property
    def name(self):
        return "[%s]" % ",".join("%s:%s" % pair for pair in zip(self.fields, self.types))

    def __str__(self):
        return self.name

    def __repr__(self):
        return "tuple_type" + self.name

    def __iter__(self):
        return iter(self.types)

    def __len__(self):
        return len(self.types)

    def __getitem__(self, index):
        return self.types[unwrap(index)]

    def mangle(self):
        return "T%sT" % "_".join(each.mangle() for each in self.types)


class constexpr_type(base_type):
    """The type of a compile-time value: the value itself."""

    __module__ = "tessera.language.core"
    _language_name = "constexpr_type"

    def __init__(self, value):
        self.value = unwrap(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and bool(self.value == other.value)

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return "constexpr_type[%s]" % (self.value,)

    def mangle(self):
        return repr(self)


class slice_type(dtype):
    """The type of `a:b:c` in a subscript."""

    __module__ = "tessera.language.core"
    _language_name = "slice_type"

    def __init__(self):
        self.name = self._tl_name = "slice_type"

    def __reduce__(self):
        return slice_type, ()

    def mangle(self):
        return self.name


class tensor_descriptor_base_type(base_type):
    """The type of a tensor descriptor, by the blocks that it loads and stores."""

    __module__ = "tessera.language.core"
    _language_name = "tensor_descriptor_base_type"

    def __init__(self, block_type):
        self.block_type = block_type

    def __eq__(self, other):
        return type(self) is type(other) and self.block_type == other.block_type

    def __hash__(self):
        return hash((type(self).__name__, self.block_type))

    def __str__(self):
        return "tensor_descriptor<%s>" % self.block_type

    __repr__ = __str__

    def mangle(self):
        return "TD" + self.block_type.mangle()


class tensor_descriptor_type(tensor_descriptor_base_type):
    """The same with the types of the tensor's extents and strides."""

    __module__ = "tessera.language.core"
    _language_name = "tensor_descriptor_type"

    def __init__(self, block_type, shape_type, strides_type):
        super().__init__(block_type)
        self.shape_type = shape_type
        self.strides_type = strides_type

    def __eq__(self, other):
        if not tensor_descriptor_base_type.__eq__(self, other):
            return False
        return self.shape_type == other.shape_type and self.strides_type == other.strides_type

    __hash__ = tensor_descriptor_base_type.__hash__


void = dtype("void")
int1 = dtype("int1")
int8, int16, int32, int64 = map(dtype, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(dtype, ("uint8", "uint16", "uint32", "uint64"))
float8e5, float8e5b16 = dtype("fp8e5"), dtype("fp8e5b16")
float8e4nv, float8e4b8, float8e4b15 = dtype("fp8e4nv"), dtype("fp8e4b8"), dtype("fp8e4b15")
float16, bfloat16, float32, float64 = map(dtype, ("fp16", "bf16", "fp32", "fp64"))
pi32_t = pointer_type(int32)

# The spellings in signatures, with their aliases ("i1", "B").
_BY_SPELLING = {spelling: dtype(name if floats else tl) for name, tl, _, _, (aliases, _), floats in scalar_types()
                for spelling in (name, *aliases.split())}


def str_to_ty(name, c=None):
    """The type that a signature's text means: "*fp32" is tl.pointer_type(tl.float32).

    `c` is for descriptors with a layout, which this language does not have.
    """
    if isinstance(name, tuple):
        fields = getattr(type(name), "_fields", None)
        return tuple_type([str_to_ty(each, c) for each in name], list(fields) if fields else None)
    if name.startswith("*"):
        is_const = name[1:2] == "k"
        return pointer_type(str_to_ty(name[2 if is_const else 1:], c), const=is_const)
    if name.startswith("tensordesc<") and name.endswith("]>"):
        element, _, extents = name[len("tensordesc<"):-len("]>")].partition("[")
        block = block_type(str_to_ty(element, c), [int(extent) for extent in extents.split(",")])
        rank = len(block.shape)
        return tensor_descriptor_type(block, tuple_type([int32] * rank), tuple_type([int64] * rank))
    if name == "constexpr":
        return constexpr_type(None)
    return _BY_SPELLING[name]


def get_int_dtype(bitwidth, signed):
    """The integer type of so many bits."""
    bitwidth, signed = unwrap(bitwidth), unwrap(signed)
    if bitwidth == 1 and not signed:
        return int1
    for candidate in (int8, int16, int32, int64) if signed else (uint8, uint16, uint32, uint64):
        if candidate.int_bitwidth == bitwidth:
            return candidate
    raise ValueError("there is no %s integer type of %s bits" % ("signed" if signed else "unsigned", bitwidth))
