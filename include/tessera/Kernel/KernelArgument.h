//===- KernelArgument.h - one parameter of a compiled kernel --------------===//
// The one description of a parameter after the frontend: the targets, the record
// (docs/abi.md), the launchers and `tessera run` read it.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tessera {

/// One parameter of the Python function, in its order; tuples are flattened, and tensor
/// descriptors are their parts.
/// The type of an argument that is a descriptor of the hardware (docs/abi.md).
inline constexpr llvm::StringLiteral kTensorMapType = "tensormap";

struct KernelArgument {
  std::string name;          // "x", "t.0", "d.base"
  std::string type;          // as in signatures: "*fp32", "i32", "constexpr"
  unsigned divisibility = 1; // promised factor of the value or address: 1 or 16
  /// Set when the value was fixed at compile time, as a Python literal ("64",
  /// "1.5", "True", "None"). With a run-time type it is a value the kernel was
  /// specialised for (the hint i32:1), and callers may check it.
  std::optional<std::string> constant = {};
  bool isReadOnly = false; // a pointer that the kernel only reads through
  /// "tensordesc<fp16[64, 32]>" where a descriptor starts: this is its base. Its padding,
  /// extents and strides follow.
  std::string descriptor = {};

  /// Returns whether a launch passes it.
  bool isPassed() const { return !constant; }
  bool isTensorMap() const { return type == kTensorMapType; }
  bool isPointer() const { return llvm::StringRef(type).starts_with("*"); }
  bool operator==(const KernelArgument &) const = default;
};

} // namespace tessera
