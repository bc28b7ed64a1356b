//===- CodeFit.h - which code runs on which chip --------------------------===//
// Code for one chip may run on others: NVIDIA's CUBINs on later chips of the same generation,
// PTX on all later ones, because the driver compiles it. Without LLVM, as the library of packs
// has the same code.
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace tessera {

/// A compiled kernel, as far as it decides where it runs.
struct ChipCode {
  std::string_view target; // that it was compiled for: "cuda:80"
  bool hasBinary = false;
  std::string_view text = {}; // the code that the driver compiles; empty if it is not there
};

struct CodeFit {
  unsigned rank = 0;   // 0: it does not run; of two that run, the higher is better
  bool isText = false; // the driver compiles the text; else the binary runs
  explicit operator bool() const { return rank != 0; }
};

/// The ranks: code for this very chip is better than any other, a binary better than text, and
/// code for a later chip better than for an earlier one.
inline constexpr unsigned kFitsExactly = 3u << 16, kFitsAsBinary = 2u << 16, kFitsAsText = 1u << 16;

/// The names of the outputs that a device loads: "cubin" and "ptx". `text` is empty if the driver
/// compiles none.
struct CodeForms {
  std::string_view binary, text;
};
CodeForms codeFormsOf(std::string_view target);

/// Returns how code runs on a device of a target ("cuda:86").
CodeFit fitCode(std::string_view device, const ChipCode &code);

} // namespace tessera
