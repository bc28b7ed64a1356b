//===- Storage.h - the types of values, and how a launch stores them ------===//
// Element is a dtype of the language, a row of Kernel/ScalarTypes.def; Storage is
// what docs/abi.md makes of an argument: an address, or a number in its own width. A slot has 8 bytes, of
// which the storage takes the first.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"
#include <bit>

namespace tessera::python {

enum class Element : uint32_t {
#define SCALAR_TYPE(kind, name, tl, bits, c, numpy, dlpack, aliases, hostNames) kind,
#include "tessera/Kernel/ScalarTypes.def"
  None,
};

inline bool isFloat(Element element) {
  return element >= Element::FP8E5 && element != Element::None;
}

/// The columns of the table that launches read.
struct ElementInfo {
  uint32_t bytes; // in memory; a bool takes one
  char numpyLetter;
  int dlpackCode;
};
inline constexpr ElementInfo kElements[] = {
#define SCALAR_TYPE(kind, name, tl, bits, c, numpy, dlpack, aliases, hostNames)                    \
  {bits < 8 ? 1 : bits / 8, numpy, dlpack},
#include "tessera/Kernel/ScalarTypes.def"
};

/// Elements by a small number and by the logarithm of their size: 1, 2, 4 or 8 bytes.
template <size_t count> struct ElementTable {
  Element rows[count][4];

  /// `place` gives the number of each element; negative for none.
  constexpr explicit ElementTable(int (*place)(Element)) : rows() {
    for (auto &row : rows)
      for (Element &element : row)
        element = Element::None;
    for (uint32_t i = 0; i < uint32_t(Element::None); ++i)
      if (int number = place(Element(i)); number >= 0)
        rows[number][std::countr_zero(kElements[i].bytes)] = Element(i);
  }
  Element find(unsigned number, unsigned bytes) const {
    bool isSize = std::has_single_bit(bytes) && bytes <= 8;
    return number < count && isSize ? rows[number][std::countr_zero(bytes)] : Element::None;
  }
};

/// Returns the element type for NumPy's letter of a kind of numbers and their size, or None.
inline Element elementOfKind(char letter, int size) {
  static constexpr ElementTable<32> kByLetter([](Element element) {
    const ElementInfo &info = kElements[size_t(element)];
    bool isBitsAlone = element >= Element::FP8E5 && info.numpyLetter == 'u';
    return isBitsAlone ? -1 : info.numpyLetter - 'a';
  });
  return kByLetter.find(unsigned(letter - 'a'), unsigned(size));
}

/// Returns the element type for DLPack's type code and width, or None.
inline Element elementOfDLPack(unsigned code, unsigned bits) {
  static constexpr ElementTable<16> kByCode(
      [](Element element) { return kElements[size_t(element)].dlpackCode; });
  return bits % 8 ? Element::None : kByCode.find(code, bits / 8);
}

/// "fp32"
const char *spell(Element element);
/// Any of the names that packages use: "fp32", "float32", "torch.float32" (after the last dot),
/// "float8_e4m3fn", "half"; None if it is none.
Element elementNamed(const char *text);
/// Bytes in memory; 1 for u1.
inline unsigned sizeOf(Element element) {
  return element == Element::None ? 1 : kElements[size_t(element)].bytes;
}

/// How a value lies in its slot.
struct Storage {
  Element element = Element::None; // of a number
  uint32_t isPointer =
      false; // 32 bits: clang 22 garbles small structs with a bool, passed by value

  bool isKnown() const { return isPointer || element != Element::None; }
  /// Returns whether a value that is stored as the other type is read correctly.
  bool agrees(const Storage &other) const {
    return isPointer || other.isPointer
               ? isPointer == other.isPointer
               : sizeOf(element) == sizeOf(other.element) && isFloat() == other.isFloat();
  }
  bool isFloat() const { return python::isFloat(element); }
};

/// "*fp32", "i1", "u64"
Storage storageOf(const char *type);

/// Writes a Python number into a slot, in the storage's type: integers are checked against its
/// range (OverflowError), floats rounded to nearest even. False: an exception is set, which names
/// the value but not the argument.
bool storeNumber(PyObject *value, Element element, uint64_t &slot);

/// _native.scalar_types(): the rows of the table, for Python's own types.
PyObject *scalarTypes(PyObject *, PyObject *);

} // namespace tessera::python
