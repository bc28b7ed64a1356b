//===- Storage.cpp - the types of values, and how a launch stores them ----===//
#include "Storage.h"
#include <cmath>

namespace tessera::python {

static const char *const kSpellings[] = {
#define TESSERA_SPELL(member, text) text,
    TESSERA_ELEMENTS(TESSERA_SPELL)
#undef TESSERA_SPELL
};

const char *spell(Element element) {
  return element == Element::None ? "?" : kSpellings[size_t(element)];
}

namespace {
struct Alias {
  const char *text;
  Element element;
};
} // namespace

/// Other names of the types, in NumPy, torch, ml_dtypes and the language.
static const Alias kAliases[] = {
    {"bool", Element::U1},
    {"int1", Element::U1},
    {"i1", Element::U1},
    {"bool_", Element::U1},
    {"int8", Element::I8},
    {"int16", Element::I16},
    {"int32", Element::I32},
    {"int64", Element::I64},
    {"uint8", Element::U8},
    {"uint16", Element::U16},
    {"uint32", Element::U32},
    {"uint64", Element::U64},
    {"int", Element::I32},
    {"uint", Element::U32},
    {"half", Element::FP16},
    {"float16", Element::FP16},
    {"bfloat16", Element::BF16},
    {"float", Element::FP32},
    {"float32", Element::FP32},
    {"double", Element::FP64},
    {"float64", Element::FP64},
    {"float8_e5m2", Element::FP8E5},
    {"float8e5", Element::FP8E5},
    {"float8_e4m3fn", Element::FP8E4NV},
    {"float8e4nv", Element::FP8E4NV},
    {"float8e4b15", Element::FP8E4B15},
    {"float8e4b8", Element::FP8E4B8},
    {"float8_e4m3fnuz", Element::FP8E4B8},
    {"float8e5b16", Element::FP8E5B16},
    {"float8_e5m2fnuz", Element::FP8E5B16},
};

Element elementNamed(const char *text) {
  if (const char *dot = std::strrchr(text, '.'))
    text = dot + 1;
  for (size_t i = 0; i < size_t(Element::None); ++i)
    if (std::strcmp(text, kSpellings[i]) == 0)
      return Element(i);
  for (const Alias &alias : kAliases)
    if (std::strcmp(text, alias.text) == 0)
      return alias.element;
  return Element::None;
}

unsigned sizeOf(Element element) {
  switch (element) {
  case Element::I16:
  case Element::U16:
  case Element::FP16:
  case Element::BF16:
    return 2;
  case Element::I32:
  case Element::U32:
  case Element::FP32:
    return 4;
  case Element::I64:
  case Element::U64:
  case Element::FP64:
    return 8;
  default:
    return 1;
  }
}

Storage storageOf(const char *type) {
  if (type[0] == '*')
    return {Element::None, true};
  return {elementNamed(type), false};
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A double as a binary float of fewer bits with infinities: 1 sign bit, then the exponent with the
/// usual bias, then the fraction. Rounds once, to nearest, ties to even.
static uint64_t roundTo(double value, int exponentBits, int fractionBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const uint64_t sign = uint64_t(std::signbit(value)) << (exponentBits + fractionBits);
  const uint64_t infinity = ((uint64_t(1) << exponentBits) - 1) << fractionBits;
  if (std::isnan(value))
    return sign | infinity | (uint64_t(1) << (fractionBits - 1));
  double magnitude = std::fabs(value);
  if (std::isinf(value))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - bias)
    exponent = 1 - bias; // subnormal: steps of the smallest normal exponent
  // In units of the last place. Scaling by a power of two is exact.
  double units = std::nearbyint(std::ldexp(magnitude, fractionBits - exponent));
  auto fraction = uint64_t(units); // with the leading 1 of a normal number
  uint64_t bits = (uint64_t(exponent + bias - 1) << fractionBits) + fraction;
  return sign | (bits > infinity ? infinity : bits);
}

static bool storeFloat(PyObject *value, Element element, uint64_t &slot) {
  double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred())
    return false;
  switch (element) {
  case Element::FP64:
    std::memcpy(&slot, &number, sizeof(number));
    return true;
  case Element::FP32: {
    auto narrow = float(number);
    slot = 0;
    std::memcpy(&slot, &narrow, sizeof(narrow));
    return true;
  }
  case Element::FP16:
    slot = roundTo(number, 5, 10);
    return true;
  case Element::BF16:
    slot = roundTo(number, 8, 7);
    return true;
  case Element::FP8E5:
    slot = roundTo(number, 5, 2);
    return true;
  default:
    PyErr_Format(PyExc_TypeError, "a scalar cannot be passed as %s", spell(element));
    return false;
  }
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
  if (element == Element::U64) {
    if (overflow > 0) {
      slot = PyLong_AsUnsignedLongLong(value);
      fits = !PyErr_Occurred();
      PyErr_Clear();
    } else {
      slot = uint64_t(number);
      fits = fits && number >= 0;
    }
  } else if (element == Element::U1) {
    // A bool is the lowest bit of an int, as in Triton.
    slot = PyLong_AsUnsignedLongLongMask(value) & 1;
    fits = true;
  } else if (fits) {
    unsigned bits = sizeOf(element) * 8;
    bool isSigned = element <= Element::I64;
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
  if (element >= Element::FP16 && element != Element::None)
    return storeFloat(value, element, slot);
  if (element == Element::None) {
    PyErr_Format(PyExc_TypeError, "%R cannot be passed", value);
    return false;
  }
  return storeInteger(value, element, slot);
}

} // namespace tessera::python
