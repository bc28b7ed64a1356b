//===- PrintText.h - what kernels say while they run ----------------------===//
// The texts of tl.device_print and tl.device_assert, which all targets share:
//
//   pid (0, 0, 0) idx ( 3) x: 1.500000
//   pid (0, 0, 0) idx () two: (operand 1) 7
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera {

/// For three program ids.
inline constexpr llvm::StringLiteral kProgramFormat = "(%u, %u, %u)";

/// For use inside a format.
std::string escapePercent(llvm::StringRef text);

/// "(%2u, %3u)": each dimension as wide as its largest index.
std::string alignedIndexFormat(llvm::ArrayRef<int64_t> shape);

/// A conversion of printf and what it takes: an i32, i64, f64 or pointer.
struct PrintConversion {
  std::string format;
  mlir::Value argument;
};
/// Of a scalar of the source type `element`; small floats may be given as bits. A float
/// prints as the number it is, and hex prints the bits of any element.
PrintConversion convertToPrint(LaneBuilder &b, mlir::Value value, mlir::Type element, bool isSigned,
                               bool hex, bool hasHalfConversions);

/// Where something was written, then where that function was called, and so on.
struct PrintedPlace {
  std::string file;
  unsigned line;
};
llvm::SmallVector<PrintedPlace> findPlaces(mlir::Location location);

/// "k.py:12, main.py:3"
std::string joinPlaces(llvm::ArrayRef<PrintedPlace> places);

/// "sums.py:8 (called from k.py:12): ", or nothing if no place is known.
std::string describePlaces(mlir::Location location);

} // namespace tessera
