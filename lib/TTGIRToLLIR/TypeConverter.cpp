//===- TypeConverter.cpp - the scalars that stand for a value -------------===//
// See TypeConverter.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIRToLLIR/TypeConverter.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTIR/IR/TTTypes.h"

using namespace mlir;
using namespace tessera;

static std::optional<Type> convertPointer(tt::PointerType type) {
  if (tt::isTensorPointer(type))
    return std::nullopt; // block pointers are rewritten long before
  return LLVM::LLVMPointerType::get(type.getContext(), type.getAddressSpace());
}

TTGIRTypeConverter::TTGIRTypeConverter(MLIRContext *context) : LLVMTypeConverter(context) {
  addConversion(convertPointer);
  addConversion(
      [this](RankedTensorType type, SmallVectorImpl<Type> &result) -> std::optional<LogicalResult> {
        Type element = convertType(type.getElementType());
        if (!element || !type.getEncoding())
          return failure();
        result.append(ttg::toLinearLayout(type).inSize(Dim::reg()), element);
        return success();
      });
  addConversion([](ttg::MemDescType type, SmallVectorImpl<Type> &result) -> LogicalResult {
    MLIRContext *context = type.getContext();
    result.push_back(LLVM::LLVMPointerType::get(context, kSharedAddressSpace));
    result.push_back(IntegerType::get(context, 32));
    return success();
  });
  addConversion([](tt::TensorDescType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext()); // to what the hardware reads
  });
  addConversion([](ttg::AsyncTokenType, SmallVectorImpl<Type> &) { return success(); });
}

Type TTGIRTypeConverter::memoryType(Type element) const {
  Type type = convertType(element);
  if (!type || isa<LLVM::LLVMPointerType>(type))
    return type;
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits % 8 == 0 && llvm::isPowerOf2_32(bits) && bits <= 64 ? type : Type();
}
