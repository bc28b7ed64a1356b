//===- Dim.cpp - the names of a layout's inputs and outputs ---------------===//
#include "tessera/TTGIR/Layout/Dim.h"

using namespace tessera;

static constexpr llvm::StringLiteral hardwareNames[] = {"register", "lane", "warp", "block",
                                                        "offset"};

std::string Dim::name() const {
  if (isAxis())
    return "dim" + std::to_string(axisIndex());
  return hardwareNames[code].str();
}

std::optional<Dim> Dim::parse(llvm::StringRef name) {
  for (uint32_t code = 0; code < firstAxis; ++code)
    if (name == hardwareNames[code])
      return Dim(code);
  unsigned index = 0;
  if (!name.consume_front("dim") || name.getAsInteger(10, index) || index >= maxRank)
    return std::nullopt;
  return axis(index);
}
