//===- TypeConverter.h - the scalars that stand for a value ---------------===//
//   tensor<1024xf32, #blocked>   8 x f32      one per register of the layout
//   !tt.ptr<f32>                 !llvm.ptr<1>
//   f8E4M3FN                     i8
//   i1                           i1           (a byte in memory, memoryType)
//
// A tensor becomes as many values as its layout has registers per thread, in
// the order of the register index. Never a struct: LLVM sees plain scalars.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace tessera {

class TTGIRTypeConverter : public mlir::LLVMTypeConverter {
public:
  explicit TTGIRTypeConverter(mlir::MLIRContext *context);

  /// How an element lies in memory; null for types that have no whole bytes.
  mlir::Type memoryType(mlir::Type element) const;
};

} // namespace tessera
