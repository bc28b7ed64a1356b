//===- DescriptorParts.cpp - what a launch passes for a descriptor --------===//
#include "tessera/TTIR/IR/DescriptorParts.h"
#include "tessera/TTIR/IR/TTOps.h"
#include <algorithm>

using namespace tessera;

llvm::SmallVector<tt::DescriptorPart> tt::getDescriptorParts(unsigned rank, unsigned elementBits) {
  // CUDA driver API, cuTensorMapEncodeTiled: the address and all strides but the last must be
  // multiples of 16 bytes. Tessera requires the same of descriptors on every target.
  constexpr unsigned kAlignment = 16;
  unsigned elements = kAlignment * 8 / std::max(elementBits, 8u);
  llvm::SmallVector<DescriptorPart> parts{{"base", 0, kAlignment}};
  for (unsigned axis = 0; axis < rank; ++axis)
    parts.push_back({"shape." + std::to_string(axis), 32});
  for (unsigned axis = 0; axis < rank; ++axis)
    parts.push_back({"strides." + std::to_string(axis), 64, axis + 1 < rank ? elements : 1});
  return parts;
}

bool tt::isFollowedByDescriptorParts(FuncOp function, unsigned index) {
  auto type = llvm::dyn_cast<TensorDescType>(function.getArgumentTypes()[index]);
  if (!type)
    return false;
  size_t rank = type.getBlockType().getRank();
  llvm::ArrayRef<mlir::Type> rest = function.getArgumentTypes().drop_front(index + 1);
  return rest.size() >= 2 * rank &&
         llvm::all_of(rest.take_front(rank), [](mlir::Type t) { return t.isInteger(32); }) &&
         llvm::all_of(rest.slice(rank, rank), [](mlir::Type t) { return t.isInteger(64); });
}
