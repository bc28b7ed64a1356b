//===- KernelType.h - the type of a value in a kernel ---------------------===//
// A KernelType is the type that promotion rules, messages and signatures name. IR
// integers have no sign and IR pointers no const; KernelTypes have both, and each
// maps to one IR type (TTIR/IR/KernelTypes.h):
//
//   fp32          a scalar                 f32
//   *fp32         a pointer                !tt.ptr<f32>
//   fp32[64]      a block                  tensor<64xf32>
//   *fp32[64]     a block of pointers      tensor<64x!tt.ptr<f32>>
//   *(fp32[64])   a block pointer          !tt.ptr<tensor<64xf32>>
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/DType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tessera {

/// A scalar, a pointer, or a block of either.
struct KernelType {
  DType scalar;             // of a pointer: what it points to in the end
  uint8_t pointerDepth = 0; // 1 for *fp32, 2 for **fp32
  bool pointsToConst = false;
  llvm::SmallVector<int64_t, 4> shape = {}; // empty for a scalar
  /// The shape of the block to which a block pointer (tl.make_block_ptr) points. Such a pointer
  /// is a scalar with pointerDepth 1.
  llvm::SmallVector<int64_t, 4> pointeeShape = {};

  bool isBlock() const { return !shape.empty(); }
  bool isPointer() const { return pointerDepth > 0; }
  bool isBlockPointer() const { return !pointeeShape.empty(); }
  bool isInt() const { return !isPointer() && scalar.isInt(); }
  bool isFloat() const { return !isPointer() && scalar.isFloat(); }
  bool isBool() const { return !isPointer() && scalar.isBool(); }
  int64_t numElements() const;

  /// The same element in another shape.
  KernelType withShape(llvm::ArrayRef<int64_t> newShape) const;
  /// The same shape with another scalar element.
  KernelType withScalar(DType element) const;
  /// Returns the type of a load through this pointer.
  KernelType pointee() const;

  std::string str() const;

  bool operator==(const KernelType &other) const = default;

  /// "*fp32", "i32", "*kfp16", "**i8"; nothing for anything else.
  static std::optional<KernelType> parse(llvm::StringRef text);
};

/// The largest block, in elements (tl.TRITON_MAX_TENSOR_NUMEL).
inline constexpr int64_t kMaxBlockElements = int64_t(1) << 20;

} // namespace tessera
