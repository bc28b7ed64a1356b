//===- Grid.cpp - how many programs a launch runs -------------------------===//
#include "tessera/Launch/Grid.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera {

std::string Grid::toString() const {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

llvm::Expected<Grid> parseGrid(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  if (text.trim().empty() || parts.size() > 3)
    return makeError("--grid: '" + text + "' is not one to three numbers such as 1024 or 1024,8,1");
  Grid grid;
  uint32_t *extents[] = {&grid.x, &grid.y, &grid.z};
  for (auto [index, part] : llvm::enumerate(parts)) {
    llvm::StringRef digits = part.trim();
    bool isNumber = !digits.empty() && llvm::all_of(digits, llvm::isDigit);
    if (!isNumber)
      return makeError("--grid: '" + digits + "' is not a number of programs");
    if (digits.getAsInteger(10, *extents[index]) || *extents[index] > INT32_MAX)
      return makeError("--grid: " + digits + " programs along " +
                       llvm::StringRef("xyz").substr(index, 1) +
                       " are too many: the limit is 2147483647");
  }
  return grid;
}

llvm::Error checkGrid(const Grid &grid, const GridLimits &limits, uint32_t blocksPerProgram) {
  auto tooMany = [](uint64_t extent, const char *axis, uint32_t limit) {
    return makeError("the grid has " + llvm::Twine(extent) + " blocks along " + axis +
                     ", and the device takes at most " + llvm::Twine(limit));
  };
  if (uint64_t blocks = uint64_t(grid.x) * blocksPerProgram; blocks > limits.x)
    return tooMany(blocks, "x", limits.x);
  if (grid.y > limits.y)
    return tooMany(grid.y, "y", limits.y);
  if (grid.z > limits.z)
    return tooMany(grid.z, "z", limits.z);
  return llvm::Error::success();
}

} // namespace tessera
