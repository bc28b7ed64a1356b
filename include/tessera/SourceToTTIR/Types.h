//===- Types.h - the types a kernel's author sees -------------------------===//
// IR integers have no sign and IR pointers no const; the language has both.
// A KernelType is what promotion rules, messages and signatures speak of, and
// maps onto one IR type.
//
//   fp32          a scalar                 f32
//   *fp32         a pointer                !tt.ptr<f32>
//   fp32[64]      a block                  tensor<64xf32>
//   *fp32[64]     a block of pointers      tensor<64x!tt.ptr<f32>>
//   *(fp32[64])   a block pointer          !tt.ptr<tensor<64xf32>>
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tessera {

/// A scalar element type, as `tl.float32` names it.
class DType {
public:
  enum Kind : uint8_t {
    Void,
    Int1,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    FP8E5,
    FP8E4NV,
    FP8E4B15,
    FP8E4B8,
    FP8E5B16,
    FP16,
    BF16,
    FP32,
    FP64,
  };

  DType(Kind kind = Void) : kind(kind) {}
  operator Kind() const { return kind; }

  /// "fp32", "i32", "u1": the spelling of signatures and messages.
  llvm::StringRef name() const;
  /// "float32", "int32": the attribute of triton.language.
  llvm::StringRef languageName() const;
  unsigned bits() const;
  /// What one element takes in memory; a bool takes a byte.
  unsigned bytesInMemory() const { return bits() < 8 ? 1 : bits() / 8; }

  bool isBool() const { return kind == Int1; }
  bool isInt() const { return kind >= Int1 && kind <= UInt64; }
  /// int1 counts as unsigned, as in the reference.
  bool isSigned() const { return kind >= Int8 && kind <= Int64; }
  bool isUnsigned() const { return isInt() && !isSigned(); }
  bool isFloat() const { return kind >= FP8E5; }
  bool isFP8() const { return kind >= FP8E5 && kind <= FP8E5B16; }
  /// fp16, bf16, fp32, fp64: what arith's float casts convert between.
  bool isStandardFloat() const { return kind >= FP16; }

  mlir::Type toIR(mlir::MLIRContext *context) const;

  /// Accepts both spellings, and "i1", "B" and "u1" for the bool.
  static std::optional<DType> parse(llvm::StringRef text);
  static DType integer(unsigned bits, bool isSigned);
  /// All of them, for messages that list what is known.
  static llvm::ArrayRef<Kind> all();

private:
  Kind kind;
};

/// A scalar, a pointer, or a block of either.
struct KernelType {
  DType scalar;             // of a pointer: what it points to in the end
  uint8_t pointerDepth = 0; // 1 for *fp32, 2 for **fp32
  bool pointsToConst = false;
  llvm::SmallVector<int64_t, 4> shape = {}; // empty for a scalar
  /// Of a block pointer (tl.make_block_ptr): the block it points to. Such a pointer
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
  /// What a load through this pointer gives.
  KernelType pointee() const;

  mlir::Type toIR(mlir::MLIRContext *context) const;
  std::string str() const;

  bool operator==(const KernelType &other) const = default;

  /// "*fp32", "i32", "*kfp16", "**i8"; nothing for anything else.
  static std::optional<KernelType> parse(llvm::StringRef text);
};

/// The largest block, in elements (tl.TRITON_MAX_TENSOR_NUMEL).
inline constexpr int64_t kMaxBlockElements = int64_t(1) << 20;

} // namespace tessera
