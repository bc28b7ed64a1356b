//===- DescriptorParts.h - what a launch passes for a descriptor ----------===//
// A kernel may take a tensor descriptor that the host made. In TTIR it is one
// argument, followed by its sizes and strides, which the kernel can read. A launch
// passes 1 + 2r values for rank r (docs/abi.md), here for blocks of 64x32 halves:
//
//   base       a pointer, a multiple of 16 bytes
//   shape.0    i32                       shape.1    i32
//   strides.0  i64, a multiple of 8      strides.1  i64, always 1
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera::tt {

class FuncOp;

/// On a descriptor argument, as an i32: the PaddingOption outside the tensor; zero if absent.
inline constexpr llvm::StringLiteral kPaddingAttr = "tt.padding";

struct DescriptorPart {
  std::string name;          // "base", "shape.0"
  unsigned bits;             // of the integer; 0 for the base
  unsigned divisibility = 1; // what the meaning of a descriptor promises: bytes of the base

  std::string typeName() const { return "i" + std::to_string(bits); } // of an integer
};

/// The base, `rank` sizes and `rank` strides.
llvm::SmallVector<DescriptorPart> getDescriptorParts(unsigned rank, unsigned elementBits);

/// Whether sizes and strides follow the descriptor that is argument `index`.
bool isFollowedByDescriptorParts(FuncOp function, unsigned index);

} // namespace tessera::tt
