//===- PrintText.h - the output of device_print --------------------------===//
// The strings of tl.device_print and tl.device_assert, which all targets share:
//
//   pid (0, 0, 0) idx ( 3) x: 1.500000
//   pid (0, 0, 0) idx () two: (operand 1) 7
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera {

/// The format of three program ids.
inline constexpr llvm::StringLiteral kProgramFormat = "(%u, %u, %u)";

/// Escapes '%' for use in a format string.
std::string escapePercent(llvm::StringRef text);

/// Returns "(%2u, %3u)": each dimension as wide as its largest index.
std::string alignedIndexFormat(llvm::ArrayRef<int64_t> shape);

/// A conversion specifier of printf and its argument: an i32, i64, f64 or pointer.
struct PrintConversion {
  std::string format;
  mlir::Value argument;
};
/// Converts a scalar of the source type `element`; small floats may be given as bits. A float is
/// printed as the number that it represents, and hex prints the bits of any element.
PrintConversion convertToPrint(LaneBuilder &b, mlir::Value value, mlir::Type element, bool isSigned,
                               bool hex, bool hasHalfConversions);

/// A source location and its call sites, innermost first.
struct PrintedPlace {
  std::string file;
  unsigned line;
};
llvm::SmallVector<PrintedPlace> findPlaces(mlir::Location location);

/// Returns "k.py:12, main.py:3".
std::string joinPlaces(llvm::ArrayRef<PrintedPlace> places);

/// Returns "sums.py:8 (called from k.py:12): ", or an empty string if no location is known.
std::string describePlaces(mlir::Location location);

} // namespace tessera
