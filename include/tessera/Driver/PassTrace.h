//===- PassTrace.h - what every pass of one compilation did ---------------===//
// Session::explain fills a trace: one step for the frontend, for each MLIR and LLVM pass, and for
// each stage without passes (an assembler), in the order in which they ran. A step refers to the
// program after it; steps that change nothing share the text of the step before.
//
//   PassTrace trace;
//   session.explain(request, diagnostics, trace);
//   for (const PassStep &step : trace.steps)
//     ... trace.texts[step.after] ...
//
// If a pass fails, its step is the last one, and `after` is the last good IR.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/Diagnostics.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera {

/// A line of a source file.
struct LinePlace {
  uint32_t file = 0; // an index of PassTrace::files
  uint32_t line = 0; // from 1; 0 for none
  bool operator==(const LinePlace &) const = default;
};

/// How often each op, instruction or mnemonic occurs.
using OpCounts = std::map<std::string, unsigned>;

enum class TextSyntax { MLIR, LLVM, Assembly };

/// The program at one moment, without locations; these are in `places`.
struct ProgramText {
  std::string level; // the extension of the stage that made it: "ttgir"; "source" for the frontend
  TextSyntax syntax = TextSyntax::MLIR;
  std::string text;
  std::vector<LinePlace> places; // one for each line of the text
  OpCounts ops;
};

enum class StepKind { Frontend, Input, Pass, LLVMPass, Stage };

struct PassStep {
  StepKind kind = StepKind::Pass;
  std::string stage;   // "make_ttgir"; "frontend" or "input" for the first step
  std::string name;    // "ttg-coalesce"
  std::string options; // "max-vector-bits=128"; may be empty
  std::string summary; // what the pass does, in its own words; may be empty
  unsigned depth = 0;  // how many pass managers for nested ops surround it
  double seconds = 0;
  bool changed = false;
  bool failed = false;
  /// Indices of PassTrace::texts, or kNoText: a binary has none.
  size_t before = 0, after = 0;
  uint64_t bytes = 0;              // of a binary
  std::vector<Diagnostic> remarks; // what it decided, and why
};

inline constexpr size_t kNoText = ~size_t(0);

/// One line for each stage that ran.
struct StageTime {
  std::string name, extension;
  double seconds = 0; // without the time that recording took
  bool failed = false;
};

/// The layout of a tensor, or of a buffer in shared memory, as a linear map over F2: the value of
/// each bit of a hardware coordinate, one number for each dimension of the tensor.
struct TensorLayout {
  struct Input {
    std::string name; // "register", "lane", "warp", "block"; "offset" for a buffer
    std::vector<std::vector<int64_t>> bases;
  };
  std::string level;    // "ttgir"
  std::string type;     // "tensor<128x64xf16, #ttg.blocked<...>>"
  std::string encoding; // "#ttg.blocked<...>"
  std::vector<int64_t> shape;
  unsigned elementBits = 0;
  bool isShared = false;           // a buffer
  std::vector<std::string> values; // that have this type, by their names in the text: "%a_12"
  std::vector<Input> inputs;
};

/// An op that moves a tensor between registers and a buffer in shared memory.
struct BufferAccess {
  std::string op; // "ttg.local_load"
  LinePlace place;
  size_t tensor = 0, buffer = 0; // indices of PassTrace::layouts
  unsigned bits = 0;             // of the widest access of a lane
  /// How often a warp uses the banks of shared memory, and how often it would without conflicts.
  unsigned wavefronts = 0, leastWavefronts = 0;
};

struct PassTrace {
  std::vector<std::string> files;   // the paths of source files
  std::vector<std::string> sources; // their texts; empty where they are not known
  std::vector<ProgramText> texts;
  std::vector<PassStep> steps;
  std::vector<StageTime> stages;
  std::vector<TensorLayout> layouts;  // of the last program that has layouts
  std::vector<BufferAccess> accesses; // of the same program
  std::string kernelName;
  unsigned kernelLine = 0; // of the def in files[0]; 0 unknown
};

} // namespace tessera
