//===- LanguageTarget.h - what a target fixes for the language ------------===//
// Most of the language is the same everywhere. What is not (the fp8 types there
// are, the precisions and least sizes of tl.dot, the answers of tl.target_info)
// a target states here, as data: the frontend knows no vendor.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/DType.h"
#include <string>
#include <vector>

namespace tessera {

struct LanguageTarget {
  std::string backend = {}; // tl.target_info.is_cuda() and its like ask for it
  unsigned capability = 0;  // tl.target_info.cuda_capability_geq; 0 if it means nothing
  std::string arch = {};    // "gfx942" where architectures have names
  unsigned warpSize = 32;   // 1 where there are no warps
  unsigned numWarps = 4;    // the option, for tl.extra.cuda.num_warps()

  std::vector<DType::Kind> fp8Types = {DType::FP8E5, DType::FP8E4NV, DType::FP8E4B15};
  /// Spelled as in TTIR's `inputPrecision`; the first is the default.
  std::vector<std::string> dotPrecisions = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
  /// The least inner size of tl.dot for operands of 8 bits, and for wider ones.
  int64_t minDotInner8Bit = 32, minDotInner = 16;
  /// tl.dot's max_num_imprecise_acc for fp8 operands when the kernel does not say.
  int64_t maxImpreciseAccumulations = int64_t(1) << 30;
  /// Devices with a TMA engine take descriptors as they are.
  bool hasDescriptorReduceOfHalves = true;

  bool isDebug = false; // device_assert and the overflow checks exist
  bool checksOverflow = true;
  bool hasBreakpoints = false; // breakpoint() stops; else it is refused
};

} // namespace tessera
