//===- KernelMetadata.h - the record every launcher reads -----------------===//
// The versioned description of a compiled kernel (docs/abi.md): what it is
// called, what arguments it takes in which order, and what a launch must
// provide. The JSON file beside a binary, the cache entry, the AOT launcher,
// the JIT and foreign callers all hold this one record.
//
//   auto record = KernelMetadata::parse(jsonText);
//   record->arguments[0].type   "*fp32"
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Options.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

struct KernelFacts;

/// Changes when a launcher written for the old record would launch wrongly.
/// Added fields that old launchers may ignore do not change it.
inline constexpr unsigned kAbiVersion = 1;

/// One parameter of the Python function, in its order; tuples are flattened, and tensor
/// descriptors are their parts.
struct KernelArgument {
  std::string name;          // "x", "t.0", "d.base"
  std::string type;          // as in signatures: "*fp32", "i32", "constexpr"
  unsigned divisibility = 1; // promised factor of the value or address: 1 or 16
  /// Set when the value was fixed at compile time, as a Python literal ("64",
  /// "1.5", "True", "None"). With a run-time type it is a value the kernel was
  /// specialised for (the hint i32:1), and callers may check it.
  std::optional<std::string> constant = {};
  bool isReadOnly = false; // a pointer that the kernel only reads through
  /// "tensordesc<fp16[64, 32]>" where a descriptor starts: this is its base. Its padding,
  /// extents and strides follow.
  std::string descriptor = {};

  /// Whether a launch passes it.
  bool isPassed() const { return !constant; }
  bool isPointer() const { return llvm::StringRef(type).starts_with("*"); }
  bool operator==(const KernelArgument &) const = default;
};

/// What follows the visible arguments in a launch.
enum class HiddenArgument { GlobalScratch, ProfileScratch, Sanitizer };

/// Memory the launcher provides: bytes for each thread block.
struct ScratchSize {
  uint64_t bytes = 0;
  uint32_t align = 1;
  bool operator==(const ScratchSize &) const = default;
};

struct KernelMetadata {
  unsigned abiVersion = kAbiVersion;
  std::string tesseraVersion;
  std::string kernelName; // the Python function, and the symbol in the binary
  std::string symbol;     // the symbol, where it is not the kernel's name
  std::string target;     // "cuda:90", "cpu"
  std::vector<KernelArgument> arguments;
  std::vector<HiddenArgument> hiddenArguments; // passed after the visible ones, in order

  unsigned numWarps = 0; // as launched; 0 on the CPU
  unsigned threadsPerWarp = 0;
  unsigned numCTAs = 1;
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t sharedBytes = 0; // dynamic, per thread block
  ScratchSize globalScratch;
  ScratchSize profileScratch;
  bool cooperative = false;     // all blocks must be resident at once
  bool dependentLaunch = false; // may start before the previous kernel ends
  /// All that it writes is reached through arguments that are not read-only; false: unknown.
  bool writesOnlyArguments = false;

  int registers = -1; // per thread; -1 unknown
  int spillBytes = -1;
  std::string assembler; // "ptxas 13.0"; empty when none ran
  std::string attempts;  // which compilations were tried, in words; empty: one was enough

  std::string sourceFile;
  unsigned sourceLine = 0;                                  // of the def; 0 unknown
  std::vector<std::pair<std::string, std::string>> options; // flag and value, table order

  /// Copies what a target learned while it compiled.
  void adopt(const KernelFacts &facts);
  /// Copies every compile option, and numCTAs with the cluster it implies.
  void adopt(const CompileOptions &options);

  const std::string &symbolInBinary() const { return symbol.empty() ? kernelName : symbol; }
  /// The value of a compile option; empty when there is none.
  llvm::StringRef option(llvm::StringRef flag) const;
  /// The arguments a launch passes, in order, without the hidden ones.
  std::vector<const KernelArgument *> passedArguments() const;
  unsigned threadsPerBlock() const { return numWarps * threadsPerWarp; }

  /// JSON, indented, with a final newline: the .json output.
  std::string toText() const;
  /// Unknown fields are ignored; a missing or wrong one, or another ABI version, is named.
  static llvm::Expected<KernelMetadata> fromJSON(const llvm::json::Value &value);
  static llvm::Expected<KernelMetadata> parse(llvm::StringRef text);

  bool operator==(const KernelMetadata &) const = default;
};

} // namespace tessera
