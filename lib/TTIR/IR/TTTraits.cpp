//===- TTTraits.cpp - checks that many ops share --------------------------===//
// Rules:
//   [tt.tensor.C1] a tensor's shape is static
//   [tt.tensor.C2] its element count is a power of two
//   [tt.tensor.C3] its element count is at most 2^20
//   [tt.tensor.C4] the dialect of an encoding accepts the tensor
//   [tt.encoding.C1] operands of an elementwise op have one encoding
//   [tt.encoding.C2] and its results have it too
// A value that is no tensor, or has no encoding, agrees with every other value.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTTraits.h"
#include "tessera/TTIR/IR/TTLayoutInterface.h"
#include "tessera/TTIR/IR/TTTypes.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::tt;

/// Calls `check` with the type of each operand and result and a name for it.
static LogicalResult forEachType(Operation *op,
                                 function_ref<LogicalResult(Type, StringRef, unsigned)> check) {
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check(type, "operand", index)))
      return failure();
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check(type, "result", index)))
      return failure();
  return success();
}

LogicalResult tessera::tt::verifyTensorSize(Operation *op) {
  return forEachType(op, [&](Type type, StringRef what, unsigned index) -> LogicalResult {
    RankedTensorType tensor = getTensorOf(type);
    if (!tensor)
      return success();
    // [tt.tensor.C1]
    if (!tensor.hasStaticShape())
      return op->emitOpError() << what << " #" << index
                               << " must have a static shape, but has type " << type;
    // The product is checked in each iteration, because dimensions near 2^63 would overflow it.
    int64_t count = 1;
    for (int64_t size : tensor.getShape()) {
      // [tt.tensor.C2]
      if (!llvm::isPowerOf2_64(size))
        return op->emitOpError() << what << " #" << index
                                 << " must have a power of two elements, but has type " << type;
      // [tt.tensor.C3]
      if (size > kMaxTensorElements || (count *= size) > kMaxTensorElements)
        return op->emitOpError() << what << " #" << index << " has more than " << kMaxTensorElements
                                 << " elements: " << type;
    }
    return success();
  });
}

LogicalResult tessera::tt::verifyTensorLayouts(Operation *op) {
  return forEachType(op, [&](Type type, StringRef what, unsigned index) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getEncoding())
      return success();
    // [tt.tensor.C4]
    auto emitError = [&] { return op->emitOpError() << what << " #" << index << ": "; };
    const LayoutInterface *layouts = LayoutInterface::of(tensor.getEncoding(), emitError);
    return success(layouts && succeeded(layouts->verifyTensor(tensor, op, emitError)));
  });
}

/// Returns the first encoding among `types`; fails if a later one differs from it or from
/// `expected`.
static FailureOr<Attribute> commonEncoding(TypeRange types, Attribute expected,
                                           ErrorEmitter emitError) {
  for (Type type : types) {
    Attribute encoding = getEncodingOf(type);
    if (!encoding)
      continue;
    if (expected && encoding != expected)
      return emitError() << "have different encodings: " << expected << " and " << encoding;
    expected = encoding;
  }
  return expected;
}

LogicalResult tessera::tt::verifySameOperandsEncoding(Operation *op) {
  // [tt.encoding.C1]
  return commonEncoding(op->getOperandTypes(), {},
                        [&] { return op->emitOpError() << "operands "; });
}

LogicalResult tessera::tt::verifySameOperandsAndResultEncoding(Operation *op) {
  // [tt.encoding.C1]
  FailureOr<Attribute> encoding =
      commonEncoding(op->getOperandTypes(), {}, [&] { return op->emitOpError() << "operands "; });
  if (failed(encoding))
    return failure();
  // [tt.encoding.C2]
  return commonEncoding(op->getResultTypes(), *encoding,
                        [&] { return op->emitOpError() << "operands and results "; });
}

const LayoutInterface *LayoutInterface::of(Attribute encoding, ErrorEmitter emitError) {
  const auto *layouts = encoding.getDialect().getRegisteredInterface<LayoutInterface>();
  if (!layouts)
    emitError() << encoding << " is not a layout of tensors";
  return layouts;
}
