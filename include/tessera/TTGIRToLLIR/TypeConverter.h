//===- TypeConverter.h - the scalars that stand for a value ---------------===//
//   tensor<1024xf32, #blocked>   8 x f32      one per register of the layout
//   !tt.ptr<f32>                 !llvm.ptr<1>
//   f8E4M3FN                     i8
//   i1                           i1           (a byte in memory, memoryType)
//   !ttg.memdesc<...>            !llvm.ptr<3>, i32
//   !ttg.async.token             nothing
//
// A tensor becomes as many values as its layout has registers per thread, in
// the order of the register index. Never a struct: LLVM sees plain scalars.
//
// A buffer is where it starts, and the offset in elements of a view of a part of
// it. The element at `coordinates` of the view lies at
//
//   start + elementBytes * (offset ^ layout.inverse(coordinates))
//
// where the layout is that of the whole buffer: indexing one of several buffers
// moves the start, cutting out a part changes the offset (an xor, since swizzles
// mix the bits of coordinates), transposing and reshaping change neither.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace tessera {

/// LLVM's number for memory that the threads of a block share: 3 for NVIDIA and AMD.
inline constexpr unsigned kSharedAddressSpace = 3;

class TTGIRTypeConverter : public mlir::LLVMTypeConverter {
public:
  explicit TTGIRTypeConverter(mlir::MLIRContext *context);

  /// How an element lies in memory; null for types that have no whole bytes.
  mlir::Type memoryType(mlir::Type element) const;
};

} // namespace tessera
