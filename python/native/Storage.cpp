//===- Storage.cpp - the types of values, and how a launch stores them ----===//
#include "Storage.h"
#include "tessera/Kernel/FloatFormat.h"
#include <cstring>
#include <iterator>

namespace tessera::python {

namespace {
struct Row {
  const char *name, *languageName;
  unsigned bits;
  const char *cType, *aliases, *hostNames;
  FloatFormat format = {};
};
} // namespace

static constexpr Row kRows[] = {
#define INTEGER_TYPE(kind, name, tl, bits, c, numpy, dlpack, aliases, hostNames)                   \
  {name, tl, bits, c, aliases, hostNames},
#define FLOAT_TYPE(kind, name, tl, bits, exponent, mantissa, bias, specials, c, numpy, dlpack,     \
                   aliases, hostNames)                                                             \
  {name,    tl,        bits,                                            c,                         \
   aliases, hostNames, {exponent, mantissa, bias, FloatSpecials::specials}},
#include "tessera/Kernel/ScalarTypes.def"
};
static constexpr size_t kCount = std::size(kRows);
static_assert(kCount == size_t(Element::None));

const char *spell(Element element) {
  return element == Element::None ? "?" : kRows[size_t(element)].name;
}

/// Returns whether `word` is one of `words`, which are separated by spaces.
static bool contains(const char *words, const char *word) {
  size_t size = std::strlen(word);
  for (const char *at = words; size && (at = std::strstr(at, word)); at += size)
    if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == 0))
      return true;
  return false;
}

Element elementNamed(const char *text) {
  if (const char *dot = std::strrchr(text, '.'))
    text = dot + 1;
  if (std::strcmp(text, "bool_") == 0) // as MLX and NumPy call it, since bool is Python's own
    return Element::Int1;
  for (size_t i = 0; i < kCount; ++i)
    if (std::strcmp(text, kRows[i].name) == 0 || std::strcmp(text, kRows[i].languageName) == 0 ||
        contains(kRows[i].hostNames, text))
      return Element(i);
  return Element::None;
}

PyObject *scalarTypes(PyObject *, PyObject *) {
  Ref rows = Ref::take(PyTuple_New(kCount));
  for (size_t i = 0; rows && i < kCount; ++i) {
    const Row &row = kRows[i];
    const char kLayout[] = "(ssIs(ss)(Ii))";
    PyObject *entry =
        isFloat(Element(i))
            ? Py_BuildValue(kLayout, row.name, row.languageName, row.bits, row.cType, row.aliases,
                            row.hostNames, row.format.mantissaBits, row.format.bias)
            : Py_BuildValue("(ssIs(ss)O)", row.name, row.languageName, row.bits, row.cType,
                            row.aliases, row.hostNames, Py_None);
    if (!entry || PyTuple_SetItem(rows.get(), Py_ssize_t(i), entry) < 0)
      return nullptr;
  }
  return rows.release();
}

Storage storageOf(const char *type) {
  if (type[0] == '*')
    return {Element::None, true};
  return {elementNamed(type), false};
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A double in the slot, rounded once to the type.
static uint64_t encode(double number, Element element) {
  switch (element) {
  case Element::FP64:
    return std::bit_cast<uint64_t>(number);
  case Element::FP32:
    return std::bit_cast<uint32_t>(float(number));
#define NARROW(kind, ...)                                                                          \
  case Element::kind:                                                                              \
    return narrow<kRows[size_t(Element::kind)].format>(number);
    NARROW(FP16)
    NARROW(BF16)
    NARROW(FP8E5)
    NARROW(FP8E4NV)
    NARROW(FP8E4B15)
    NARROW(FP8E4B8)
    NARROW(FP8E5B16)
#undef NARROW
  default:
    return 0;
  }
}

static bool storeFloat(PyObject *value, Element element, uint64_t &slot) {
  double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred())
    return false;
  slot = encode(number, element);
  return true;
}

static bool storeInteger(PyObject *value, Element element, uint64_t &slot) {
  Ref index;
  if (!PyLong_Check(value)) {
    index = Ref::take(PyNumber_Index(value));
    if (!index)
      return false;
    value = index.get();
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  bool fits = overflow == 0;
  if (element == Element::UInt64) {
    if (overflow > 0) {
      slot = PyLong_AsUnsignedLongLong(value);
      fits = !PyErr_Occurred();
      PyErr_Clear();
    } else {
      slot = uint64_t(number);
      fits = fits && number >= 0;
    }
  } else if (element == Element::Int1) {
    // A bool is the lowest bit of an int, as in Triton.
    slot = PyLong_AsUnsignedLongLongMask(value) & 1;
    fits = true;
  } else if (fits) {
    unsigned bits = sizeOf(element) * 8;
    bool isSigned = element >= Element::Int8 && element <= Element::Int64;
    long long low = !isSigned ? 0 : bits == 64 ? INT64_MIN : -(1LL << (bits - 1));
    long long high = bits == 64 ? INT64_MAX
                     : isSigned ? (1LL << (bits - 1)) - 1
                                : (1LL << bits) - 1;
    fits = number >= low && number <= high;
    slot = uint64_t(number);
  }
  if (!fits)
    PyErr_Format(PyExc_OverflowError, "%R does not fit %s", value, spell(element));
  return fits;
}

bool storeNumber(PyObject *value, Element element, uint64_t &slot) {
  if (isFloat(element))
    return storeFloat(value, element, slot);
  if (element == Element::None) {
    PyErr_Format(PyExc_TypeError, "%R cannot be passed", value);
    return false;
  }
  return storeInteger(value, element, slot);
}

} // namespace tessera::python
