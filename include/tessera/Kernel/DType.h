//===- DType.h - a scalar type of the language ----------------------------===//
// The element type of tensors, pointers and scalar arguments, as `tl.float32`
// names it. Its properties are columns of ScalarTypes.def; the IR type it maps to
// is TTIR's business (TTIR/IR/KernelTypes.h).
//
//   DType::parse("fp32")->bits()         32
//   DType(DType::Int1).name()            "u1", as Triton spells a bool
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/FloatFormat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

class DType {
public:
  enum Kind : uint8_t {
    Void,
#define SCALAR_TYPE(kind, name, tl, bits, c, numpy, dlpack, aliases, hostNames) kind,
#include "tessera/Kernel/ScalarTypes.def"
  };

  DType(Kind kind = Void) : kind(kind) {}
  operator Kind() const { return kind; }

  /// "fp32", "i32", "u1": the spelling of signatures and messages.
  llvm::StringRef name() const;
  /// "float32", "int32": the attribute of triton.language.
  llvm::StringRef languageName() const;
  unsigned bits() const;
  /// The bytes that one element takes in memory; a bool takes one.
  unsigned bytesInMemory() const { return bits() < 8 ? 1 : bits() / 8; }
  /// "int32_t", "float": the C type of an argument. Floats that C lacks are passed as bits.
  llvm::StringRef cType() const;
  /// NumPy's letter for the kind of number: b, i, u or f; 'u' for floats that NumPy lacks.
  char numpyLetter() const;
  /// The encoding of a float.
  FloatFormat floatFormat() const;

  bool isBool() const { return kind == Int1; }
  bool isInt() const { return kind >= Int1 && kind <= UInt64; }
  /// int1 counts as unsigned, as in the reference.
  bool isSigned() const { return kind >= Int8 && kind <= Int64; }
  bool isUnsigned() const { return isInt() && !isSigned(); }
  bool isFloat() const { return kind >= FP8E5; }
  bool isFP8() const { return kind >= FP8E5 && kind <= FP8E5B16; }
  /// fp16, bf16, fp32, fp64: what arith's float casts convert between.
  bool isStandardFloat() const { return kind >= FP16; }

  /// Accepts the spelling of signatures with its aliases ("i1", "B" for the bool), and the
  /// language's name.
  static std::optional<DType> parse(llvm::StringRef text);
  static DType integer(unsigned bits, bool isSigned);
  /// All types except void, in the table's order.
  static llvm::ArrayRef<Kind> all();
  /// Their names, separated by spaces, for messages.
  static std::string allNames();

private:
  Kind kind;
};

} // namespace tessera
