//===- Grid.h - how many programs a launch runs ---------------------------===//
// One to three extents, as in `--grid 1024` or `--grid 1024,8,1`. A zero
// extent launches nothing, on every device.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace tessera {

struct Grid {
  uint32_t x = 1, y = 1, z = 1;

  bool empty() const { return x == 0 || y == 0 || z == 0; }
  /// Exact for every grid within a device's limits.
  uint64_t count() const { return uint64_t(x) * y * z; }
  std::string toString() const; // "(1024, 8, 1)"
};

/// The largest extents of a device.
struct GridLimits {
  uint32_t x = 0x7fffffff, y = 65535, z = 65535;
};

/// Text of one to three comma-separated numbers. The error begins with "--grid: ".
llvm::Expected<Grid> parseGrid(llvm::StringRef text);

/// Fails with the extent and the limit that it exceeds. `blocksPerProgram` multiplies x.
llvm::Error checkGrid(const Grid &grid, const GridLimits &limits, uint32_t blocksPerProgram = 1);

} // namespace tessera
