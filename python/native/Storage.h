//===- Storage.h - the types of values, and how a launch stores them ------===//
// Element is a dtype of the language; Storage is what docs/abi.md makes of an
// argument: an address, or a number in its own width. A slot has 8 bytes, of
// which the storage takes the first.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

/// X(member, text): a dtype and how signatures spell it.
#define TESSERA_ELEMENTS(X)                                                                        \
  X(U1, "u1")                                                                                      \
  X(I8, "i8")                                                                                      \
  X(I16, "i16")                                                                                    \
  X(I32, "i32")                                                                                    \
  X(I64, "i64")                                                                                    \
  X(U8, "u8")                                                                                      \
  X(U16, "u16")                                                                                    \
  X(U32, "u32")                                                                                    \
  X(U64, "u64")                                                                                    \
  X(FP16, "fp16")                                                                                  \
  X(BF16, "bf16")                                                                                  \
  X(FP32, "fp32")                                                                                  \
  X(FP64, "fp64")                                                                                  \
  X(FP8E5, "fp8e5")                                                                                \
  X(FP8E4NV, "fp8e4nv")                                                                            \
  X(FP8E4B15, "fp8e4b15")                                                                          \
  X(FP8E4B8, "fp8e4b8")                                                                            \
  X(FP8E5B16, "fp8e5b16")

enum class Element : uint32_t {
#define TESSERA_DECLARE(member, text) member,
  TESSERA_ELEMENTS(TESSERA_DECLARE)
#undef TESSERA_DECLARE
      None,
};

/// "fp32"
const char *spell(Element element);
/// Any of the names that packages use: "fp32", "float32", "torch.float32" (after the last dot),
/// "float8_e4m3fn", "half"; None if it is none.
Element elementNamed(const char *text);
/// Bytes in memory; 1 for u1.
unsigned sizeOf(Element element);

/// How a value lies in its slot.
struct Storage {
  Element element = Element::None; // of a number
  uint32_t isPointer =
      false; // 32 bits: clang 22 garbles small structs with a bool, passed by value

  bool isKnown() const { return isPointer || element != Element::None; }
  /// Whether a value stored as the other is read right.
  bool agrees(const Storage &other) const {
    return isPointer || other.isPointer
               ? isPointer == other.isPointer
               : sizeOf(element) == sizeOf(other.element) && isFloat() == other.isFloat();
  }
  bool isFloat() const { return element >= Element::FP16 && element != Element::None; }
};

/// "*fp32", "i1", "u64"
Storage storageOf(const char *type);

/// Writes a Python number into a slot, in the storage's type: integers are checked against its
/// range (OverflowError), floats rounded to nearest even. False: an exception is set, which names
/// the value but not the argument.
bool storeNumber(PyObject *value, Element element, uint64_t &slot);

} // namespace tessera::python
