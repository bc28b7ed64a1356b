//===- KernelRecord.h - all that is known about a kernel ------------------===//
// The versioned description of a kernel (docs/abi.md): its name, its arguments in
// order, and what a launch must provide. The frontend begins it, each stage of a
// target fills in what it learns (StageState::record), and the JSON file beside a
// binary, the cache entry, the AOT launcher, the JIT and foreign callers hold it.
//
//   auto record = KernelRecord::parse(jsonText);
//   record->arguments[0].type   "*fp32"
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelArgument.h"
#include "tessera/Kernel/TensorMapRecipe.h"
#include "tessera/Support/Options.h"
#include "llvm/ADT/ArrayRef.h"
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

/// Changes when a launcher written for the old record would launch wrongly.
/// Added fields that old launchers may ignore do not change it. A record has the first version that
/// describes it: 2 if the launcher builds tensor maps, else 1.
inline constexpr unsigned kAbiVersion = 2, kFirstAbiVersion = 1;

/// The arguments that follow the visible ones in a launch. The n-th TensorMap is built from the
/// n-th recipe.
enum class HiddenArgument { GlobalScratch, ProfileScratch, Sanitizer, TensorMap };

/// Memory the launcher provides: bytes for each thread block.
struct ScratchSize {
  uint64_t bytes = 0;
  uint32_t align = 1;
  bool operator==(const ScratchSize &) const = default;
};

struct KernelRecord {
  unsigned abiVersion = kFirstAbiVersion;
  std::string tesseraVersion;
  /// The Python function, and the symbol in the binary. This is the one home of the kernel's name;
  /// a request only says which kernel of a file is wanted.
  std::string kernelName;
  std::string symbol; // the symbol, where it is not the kernel's name
  std::string target; // "cuda:90", "cpu"
  std::vector<KernelArgument> arguments;
  std::vector<HiddenArgument> hiddenArguments; // passed after the visible ones, in order
  std::vector<TensorMapRecipe> tensorMaps;     // that the launcher builds

  unsigned numWarps = 0; // as launched; 0 on the CPU
  unsigned threadsPerWarp = 0;
  unsigned numCTAs = 1;
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t sharedBytes = 0; // per thread block
  /// The binary reserves the shared memory itself; otherwise the launch asks for it.
  bool sharedIsStatic = false;
  ScratchSize globalScratch;
  ScratchSize profileScratch;
  bool cooperative = false;     // all blocks must be resident at once
  bool dependentLaunch = false; // may start before the previous kernel ends
  /// All that it writes is reached through arguments that are not read-only; false: unknown.
  bool writesOnlyArguments = false;

  int registers = -1; // per thread; -1 unknown
  int spillBytes = -1;
  /// Registers of other kinds, on targets that have them: accumulators of matrix instructions per
  /// thread, and registers that a warp shares.
  int accumulatorRegisters = -1, scalarRegisters = -1;
  int stackBytes = -1;   // per thread, with spilled registers; -1 unknown
  std::string assembler; // "ptxas 13.0"; empty when none ran
  /// The assembler's advice about slow instructions, with its codes; empty if there is none.
  std::string assemblerAdvice;
  std::string attempts; // which compilations were tried, in words; empty: one was enough

  std::string sourceFile;
  unsigned sourceLine = 0;                                  // of the def; 0 unknown
  std::vector<std::pair<std::string, std::string>> options; // flag and value, table order

  /// Notes which of the passed arguments are pointers that the kernel only reads through, and
  /// whether it writes through arguments alone. A list of another length says nothing.
  void setWrites(llvm::ArrayRef<bool> readOnlyArguments, bool throughArgumentsOnly);
  /// Any argument may be written through, and more.
  void forgetWrites();
  /// Sets the tensor maps, and the hidden arguments: the maps, then `others`.
  void setHidden(std::vector<TensorMapRecipe> maps, llvm::ArrayRef<HiddenArgument> others);
  /// Copies every compile option, and numCTAs with the cluster it implies.
  void adopt(const CompileOptions &options);

  const std::string &symbolInBinary() const { return symbol.empty() ? kernelName : symbol; }
  /// The value of a compile option; empty when there is none.
  llvm::StringRef option(llvm::StringRef flag) const;
  /// The arguments a launch passes, in order, without the hidden ones.
  std::vector<const KernelArgument *> passedArguments() const;
  /// The shared memory that a launch asks for.
  uint32_t dynamicSharedBytes() const { return sharedIsStatic ? 0 : sharedBytes; }
  unsigned threadsPerBlock() const { return numWarps * threadsPerWarp; }

  /// JSON, indented, with a final newline: the .json output.
  std::string toText() const;
  /// Unknown fields are ignored; a missing or wrong one, or another ABI version, is named.
  static llvm::Expected<KernelRecord> parse(llvm::StringRef text);

  bool operator==(const KernelRecord &) const = default;
};

} // namespace tessera
