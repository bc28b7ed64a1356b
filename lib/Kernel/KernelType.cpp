//===- KernelType.cpp - the type of a value in a kernel -------------------===//
#include "tessera/Kernel/KernelType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

int64_t KernelType::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

KernelType KernelType::withShape(llvm::ArrayRef<int64_t> newShape) const {
  KernelType type = *this;
  type.shape.assign(newShape.begin(), newShape.end());
  return type;
}

KernelType KernelType::withScalar(DType element) const {
  KernelType type;
  type.scalar = element;
  type.shape = shape;
  return type;
}

KernelType KernelType::pointee() const {
  KernelType type = *this;
  type.pointerDepth -= 1;
  type.pointsToConst = false;
  if (isBlockPointer())
    std::swap(type.shape, type.pointeeShape);
  return type;
}

static std::string bracketed(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), ", ") +
         "]";
}

std::string KernelType::str() const {
  if (isBlockPointer())
    return "*(" + pointee().str() + ")";
  std::string text(pointerDepth, '*');
  if (pointsToConst)
    text += 'k';
  text += scalar.name();
  if (isBlock())
    text += bracketed(shape);
  return text;
}

std::optional<KernelType> KernelType::parse(llvm::StringRef text) {
  KernelType type;
  while (text.consume_front("*"))
    ++type.pointerDepth;
  if (type.pointerDepth > 8)
    return std::nullopt;
  if (type.pointerDepth)
    type.pointsToConst = text.consume_front("k");
  std::optional<DType> scalar = DType::parse(text);
  if (!scalar)
    return std::nullopt;
  type.scalar = *scalar;
  return type;
}
