"""The classes of values that kernels compute with: tl.tensor, tl.tuple, tl.tensor_descriptor, the ranges.

Host code uses them in annotations and with isinstance, and tl.tuple as a container. A tensor has contents only in the compiler, so
its operators and methods raise an error in host code.
"""

import builtins
import enum

from ._constexpr import base_value, constexpr, unwrap
from ._functions import JitLikeFunction, LanguageFunction
from ._marks import ROOT, LanguageClass, LanguageEnum
from ._types import constexpr_type, slice_type, tensor_descriptor_type, tuple_type


class PropagateNan(enum.IntEnum, metaclass=LanguageEnum):
    """The result of tl.minimum, tl.maximum and tl.clamp if one operand is NaN: the other operand, or NaN."""

    __module__ = "tessera.language.core"

    NONE = 0
    ALL = 0xFFFF

    @property
    def __tessera_language__(self):
        return "%s.PropagateNan.%s" % (ROOT, self.name)


class const(metaclass=LanguageClass):
    """Annotates a kernel's parameter: a pointer that the kernel does not write through."""

    __module__ = "tessera.language.core"
    _language_name = "const"


class slice(metaclass=LanguageClass):
    """`start:stop:step` in a subscript."""

    __module__ = "tessera.language.core"
    _language_name = "slice"

    def __init__(self, start, stop, step):
        self.start = start
        self.stop = stop
        self.step = step
        self.type = slice_type()


# ----------------------------------------------------------------------------------------------------------------------
# Tensors
# ----------------------------------------------------------------------------------------------------------------------

# The names of methods of tensors: builtins, and functions of the standard library, which are written as kernels.
_BUILTIN_METHODS = """abs advance associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or
    atomic_xchg atomic_xor broadcast_to cast ceil cos erf exp exp2 expand_dims floor gather histogram item log log2 permute
    reduce reshape rsqrt sin split sqrt sqrt_rn store trans view"""
_JIT_METHODS = """argmax argmin cdiv cumprod cumsum flip max min ravel reduce_or sigmoid softmax sort squeeze sum unsqueeze
    xor_sum"""
_OPERATORS = """add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod neg invert and rand or ror xor rxor
    lshift rlshift rshift rrshift lt le gt ge eq ne not getitem"""


class tensor(base_value):
    """A block of elements of one type, or a run-time scalar."""

    __module__ = "tessera.language.core"
    _language_name = "tensor"

    def __init__(self, handle, type):
        self.handle = handle
        self.type = type
        self.shape = tuple([constexpr(extent) for extent in type.shape] if type.is_block() else [])
        self.numel = constexpr(type.numel if type.is_block() else 1)
        self.dtype = type.scalar

    def __str__(self):
        shape = "x".join(str(extent.value) for extent in self.shape)
        return "%s[%s]" % (self.dtype, shape)

    __hash__ = None

    @property
    def T(self):
        """The transposed matrix."""
        raise ValueError("x.T works in kernels only; did you forget to add @triton.jit?")


# ----------------------------------------------------------------------------------------------------------------------
# Tuples
# ----------------------------------------------------------------------------------------------------------------------


def _type_of(value):
    found = getattr(value, "type", None)
    return found if found is not None else constexpr_type(value)


def _elements(value):
    """The elements of a tuple or list: of the language, of Python, or inside a constexpr."""
    if isinstance(value, constexpr):
        value = value.value
    return value.values if isinstance(value, tuple) else list(value)


class tuple(base_value):
    """A tuple of values; with `type.fields`, a named tuple."""

    __module__ = "tessera.language.core"
    _language_name = "tuple"

    def __init__(self, args, type=None):
        self.values = list(args)
        self.type = type if type is not None else tuple_type([_type_of(each) for each in self.values])

    def _unwrapped(self):
        return tuple([unwrap(each) for each in self.values])

    def __getitem__(self, idx):
        idx = unwrap(idx)
        if isinstance(idx, slice):
            idx = builtins.slice(unwrap(idx.start), unwrap(idx.stop), unwrap(idx.step))
        found = self.values[idx]
        return tuple(found) if isinstance(idx, builtins.slice) else found

    def __getattr__(self, name):
        # Called for names that are not attributes; also while unpickling, before `type` is set.
        fields = getattr(self.__dict__.get("type"), "fields", ())
        if name and name in fields:
            return self.values[list(fields).index(name)]
        raise AttributeError("this tuple has no field %r" % name)

    def __add__(self, other):
        return tuple(self.values + _elements(other))

    def __radd__(self, other):
        return tuple(_elements(other) + self.values)

    def __mul__(self, other):
        return tuple(self.values * unwrap(other))

    __rmul__ = __mul__

    def __eq__(self, other):
        if not isinstance(unwrap(other), (tuple, list, builtins.tuple)):
            return constexpr(False)
        return constexpr([unwrap(each) for each in self.values] == [unwrap(each) for each in _elements(other)])

    def __ne__(self, other):
        return constexpr(not self == other)

    def __hash__(self):
        return hash(builtins.tuple(self.values))

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __repr__(self):
        return repr(builtins.tuple(self.values))


# ----------------------------------------------------------------------------------------------------------------------
# Descriptors
# ----------------------------------------------------------------------------------------------------------------------

_DESCRIPTOR_METHODS = "atomic_add atomic_and atomic_max atomic_min atomic_or atomic_xor gather load scatter store"


class tensor_descriptor_base(base_value):
    """A tensor in memory whose blocks are loaded and stored by their offsets."""

    __module__ = "tessera.language.core"
    _language_name = "tensor_descriptor_base"

    def __init__(self, handle, block_type):
        self.handle = handle
        self.type = tensor_descriptor_type(block_type, tuple_type([]), tuple_type([]))

    @property
    def block_type(self):
        return self.type.block_type

    @property
    def block_shape(self):
        return self.type.block_type.shape

    @property
    def dtype(self):
        return self.type.block_type.element_ty

    def __str__(self):
        return str(self.type)


class tensor_descriptor(tensor_descriptor_base):
    """The result of tl.make_tensor_descriptor, and a kernel's argument for a descriptor that the host created."""

    __module__ = "tessera.language.core"
    _language_name = "tensor_descriptor"

    def __init__(self, handle, shape, strides, block_type):
        super().__init__(handle, block_type)
        self.shape = tuple(shape)
        self.strides = tuple(strides)
        self.type = tensor_descriptor_type(block_type, self.shape.type, self.strides.type)


# ----------------------------------------------------------------------------------------------------------------------
# Iterators
# ----------------------------------------------------------------------------------------------------------------------


class _loop(base_value):
    """The base class of ranges: bounds like those of Python's range; host code cannot iterate over them."""

    def _set_bounds(self, arg1, arg2, step):
        self.start = constexpr(0) if arg2 is None else arg1
        self.end = arg1 if arg2 is None else arg2
        self.step = constexpr(1) if step is None else step

    def __iter__(self):
        raise RuntimeError("tl.%s works in kernels only; did you forget to add @triton.jit?" % type(self).__name__)

    __next__ = __iter__


class range(_loop):
    """The range of a run-time loop, with hints for the compiler."""

    __module__ = "tessera.language.core"
    _language_name = "range"

    def __init__(self, arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None,
                 disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False):
        self._set_bounds(arg1, arg2, step)
        self.num_stages = num_stages
        self.loop_unroll_factor = loop_unroll_factor
        self.disallow_acc_multi_buffer = disallow_acc_multi_buffer
        self.flatten = flatten
        self.warp_specialize = warp_specialize
        self.disable_licm = disable_licm


class static_range(_loop):
    """The range of a loop that is unrolled at compile time; its index is a constexpr."""

    __module__ = "tessera.language.core"
    _language_name = "static_range"

    def __init__(self, arg1, arg2=None, step=None):
        self._set_bounds(arg1, arg2, step)


class condition(base_value):
    """The condition of a `while` loop, with a hint."""

    __module__ = "tessera.language.core"
    _language_name = "condition"

    def __init__(self, arg1, disable_licm=False):
        self.condition = arg1
        self.disable_licm = disable_licm


# ----------------------------------------------------------------------------------------------------------------------
# Methods, from the tables above
# ----------------------------------------------------------------------------------------------------------------------


def _add_methods(owner, names, path, kind):
    for name in names.split():
        qualname = "%s.%s" % (owner.__name__, name)
        setattr(owner, name, kind(name, "%s.%s" % (path, name), owner.__module__, qualname))


def _operator(name):
    def method(self, *operands):
        raise ValueError("a tensor's %s works in kernels only; did you forget to add @triton.jit?" % name)

    method.__name__ = name
    method.__qualname__ = "tensor." + name
    method.__module__ = tensor.__module__
    return method


_add_methods(tensor, _BUILTIN_METHODS, ROOT, LanguageFunction)
_add_methods(tensor, _JIT_METHODS, ROOT, JitLikeFunction)
_add_methods(tensor, "logical_and logical_or", ROOT + ".tensor", LanguageFunction)
_add_methods(tensor_descriptor_base, _DESCRIPTOR_METHODS, ROOT + ".tensor_descriptor", LanguageFunction)
tensor.to = LanguageFunction("to", ROOT + ".cast", tensor.__module__, "tensor.to")
for _name in _OPERATORS.split():
    setattr(tensor, "__%s__" % _name, _operator("__%s__" % _name))


def aggregate(cls):
    """Lets kernels create and use objects of a class with annotated fields: `@tl.core._aggregate`.

    The class is not changed; the compiler reads its fields, and its methods that are jit or constexpr functions.
    """
    cls.__triton_aggregate__ = True
    return cls


aggregate.__tessera_language__ = ROOT + ".core._aggregate"
