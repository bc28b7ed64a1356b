//===- PackRecord.h - the part of a record that the library of packs needs ===//
// Reads the JSON of docs/abi.md without LLVM; strings are views into the text.
//===----------------------------------------------------------------------===//
#pragma once

#include "PackList.h"
#include "tessera/Kernel/LaunchArithmetic.h"
#include "../GPU/LaunchPlan.h"
#include <cstdint>
#include <string_view>

namespace tessera {

struct PackParameter {
  std::string_view name, type; // "*fp32", "i32", "constexpr"
  std::string_view constant;
  bool hasConstant = false;
  uint32_t divisibility = 1;
};

/// A recipe of a tensor map; arguments are numbers of parameters.
struct PackMap {
  struct Expression { // a part of PackRecord::terms
    uint32_t first = 0, count = 0;
  };
  uint32_t base = 0, rank = 0;
  Expression offset, extents[TensorMapRecipe::kMaxRank], strides[TensorMapRecipe::kMaxRank];
  uint32_t box[TensorMapRecipe::kMaxRank] = {};
  TensorMapCodes codes = {};
};

struct PackRecord {
  static constexpr uint32_t kMaxParameters = 256, kMaxMaps = 16, kMaxHidden = 8;
  enum class Hidden : uint8_t { GlobalScratch, ProfileScratch };

  std::string_view symbol;
  PackList<PackParameter> parameters;
  PackList<PackMap> maps;
  PackList<LaunchExpression::Term> terms; // of the maps
  Hidden hidden[kMaxHidden] = {};         // after the maps
  uint32_t hiddenCount = 0;
  gpu::LaunchNeeds needs;
  uint64_t scratchBytes = 0; // for each CTA

  /// False if the text is no record, or has more than the library can launch.
  bool read(std::string_view text);
};

/// The bytes of a signature's type that is an integer or a pointer, and whether it is signed; 0 for
/// other types.
unsigned integerBytes(std::string_view type, bool &isSigned);

} // namespace tessera
