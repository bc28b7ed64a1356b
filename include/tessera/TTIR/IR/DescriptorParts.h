//===- DescriptorParts.h - the values that a launch passes for a descriptor -===//
// A kernel may take a tensor descriptor that the host created. In TTIR it is one argument, followed
// by its sizes and strides, which the kernel can read. A launch passes 1 + 2r values for rank r
// (docs/abi.md); for example, for blocks of 64x32 f16:
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

/// Attribute of a descriptor argument, an i32: the PaddingOption out of bounds; zero if absent.
inline constexpr llvm::StringLiteral kPaddingAttr = "tt.padding";

/// Attribute of an argument that the launcher builds from a recipe, which is the attribute's value
/// (a dictionary; each target documents its form). A launch does not pass it.
inline constexpr llvm::StringLiteral kTensorMapRecipeAttr = "tt.tensor_map";

struct DescriptorPart {
  std::string name;          // "base", "shape.0"
  unsigned bits;             // the integer's width; 0 for the base
  unsigned divisibility = 1; // guaranteed by the definition of a descriptor; in bytes for the base

  std::string typeName() const { return "i" + std::to_string(bits); } // for an integer
};

/// Returns the base, `rank` sizes and `rank` strides.
llvm::SmallVector<DescriptorPart> getDescriptorParts(unsigned rank, unsigned elementBits);

/// Returns whether sizes and strides follow the descriptor argument `index`.
bool isFollowedByDescriptorParts(FuncOp function, unsigned index);

} // namespace tessera::tt
