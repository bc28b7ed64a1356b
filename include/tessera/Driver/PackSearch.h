//===- PackSearch.h - the kernel of a pack that runs on a chip ------------===//
// The key of a kernel in a pack has the target. Where a pack has nothing for a chip, code for an
// earlier one may run there (Launch/CodeFit.h): first the kernel for the chip itself, then a binary
// for an earlier chip of its generation, then text that the driver compiles.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/PackFile.h"
#include "tessera/Binary/PackKey.h"
#include "tessera/Target/Target.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera {

struct PackHit {
  CompiledKernel kernel; // without a binary that does not run on the chip
  /// The code that serves in the place of one for this very chip: "cubin for cuda:80"; empty if
  /// there was no need.
  std::string substitute;
};

/// The keys of the kernel for a target.
using PackKeysFor = llvm::function_ref<llvm::Expected<PackKeys>(llvm::StringRef target)>;

/// Finds the kernel for `target`, whose own key is `key`; nothing if the pack has no code that runs
/// there. `chip` says what fits on it; null if nothing is known of it. A damaged entry is passed
/// over, and `problem` says so. With `isForLaunch`, only what a launch needs is read.
std::optional<PackHit> findInPack(const PackFile &pack, const PackHash &key, llvm::StringRef target,
                                  const Target *chip, PackKeysFor keysFor, std::string &problem,
                                  bool isForLaunch = false);

/// How devices of a target load the kernels of an entry; 0 if they cannot.
struct CodeFit;
CodeFit fitOfEntry(const PackView &pack, const PackEntry &entry, llvm::StringRef target);

} // namespace tessera
