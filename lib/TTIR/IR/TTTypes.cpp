//===- TTTypes.cpp - pointers, descriptors, and types derived from them ---===//
#include "tessera/TTIR/IR/TTTypes.h"
#include "tessera/TTIR/IR/TTDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::tt;

#define GET_TYPEDEF_CLASSES
#include "tessera/TTIR/IR/TTTypes.cpp.inc"

void TTDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/TTIR/IR/TTTypes.cpp.inc"
      >();
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee,
                                  int32_t addressSpace) {
  // [tt.ptr.C1] something that has a size is pointed to
  if (!isa<IntegerType, FloatType, PointerType, TensorDescType, RankedTensorType>(pointee))
    return emitError() << "a pointer cannot point to " << pointee
                       << "; expected an integer, a float, a pointer or a ranked tensor";
  // [tt.ptr.C2] address spaces are numbered from zero
  if (addressSpace < 0)
    return emitError() << "address space " << addressSpace << " is negative";
  return success();
}

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                     RankedTensorType block) {
  // [tt.tensordesc.C1] blocks have a static shape of at least one dimension
  if (!block.hasStaticShape() || block.getRank() == 0)
    return emitError() << "a descriptor's block needs a static shape of rank 1 or more, but got "
                       << block;
  // [tt.tensordesc.C2] blocks hold numbers
  if (!isa<IntegerType, FloatType>(block.getElementType()))
    return emitError() << "a descriptor's block holds integers or floats, but got " << block;
  return success();
}

RankedTensorType TensorDescType::getSignlessBlockType() const {
  RankedTensorType block = getBlockType();
  auto integer = dyn_cast<IntegerType>(block.getElementType());
  if (!integer || integer.isSignless())
    return block;
  return block.clone(IntegerType::get(getContext(), integer.getWidth()));
}

//===----------------------------------------------------------------------===//
// Types derived from others
//===----------------------------------------------------------------------===//

bool tessera::tt::isTensorPointer(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

RankedTensorType tessera::tt::getTensorOf(Type type) {
  if (auto pointer = dyn_cast<PointerType>(type))
    type = pointer.getPointeeType();
  return dyn_cast<RankedTensorType>(type);
}

Attribute tessera::tt::getEncodingOf(Type type) {
  RankedTensorType tensor = getTensorOf(type);
  return tensor ? tensor.getEncoding() : Attribute();
}

Type tessera::tt::getPointeeLike(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(cast<PointerType>(tensor.getElementType()).getPointeeType());
  return cast<PointerType>(type).getPointeeType();
}

Type tessera::tt::getPointerLike(Type type, int32_t addressSpace) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(PointerType::get(tensor.getElementType(), addressSpace));
  return PointerType::get(type, addressSpace);
}

Type tessera::tt::getElementPointerType(Type type) {
  auto pointer = cast<PointerType>(type);
  return PointerType::get(getElementTypeOrSelf(pointer.getPointeeType()),
                          pointer.getAddressSpace());
}

Type tessera::tt::getTypeOfShape(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

Type tessera::tt::getMaskType(Type type) {
  return getTypeOfShape(getPointeeLike(type), IntegerType::get(type.getContext(), 1));
}

unsigned tessera::tt::getElementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : kPointerBits;
}

unsigned tessera::tt::getPointeeBits(Type type) { return getElementBits(getPointeeLike(type)); }
