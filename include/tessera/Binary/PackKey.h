//===- PackKey.h - how kernels are found in a pack ------------------------===//
// A program (docs/program.md) that runs from a pack does not know which tools and which
// build of Tessera made the pack, and may lie in another folder. So the key of a kernel in
// a pack differs from its cache key: it has the target, the options that are not the
// defaults, and the program as far as it decides the code. Paths, line numbers, the order
// of keys and the symbol are left out, and so is the build of the compiler: a pack serves
// later versions, until their records have another ABI version.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/PackView.h"
#include "tessera/Support/Options.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A kernel as a row of a manifest names it, and its keys.
struct PackKeys {
  PackHash key = {};
  PackHash source = {};        // of the program without its arguments
  std::string kernelName = {}; // of the Python function
  std::string signature =
      {};                  // as `tessera compile` takes it; the arguments as JSON if none says them
  bool isSignature = true; // false: `signature` is JSON
  std::string options = {}; // "num-warps=8,num-stages=4"; empty for the defaults
  std::string origin = {};  // "serve.py:7"
};

/// Remembers the hashes of programs without their arguments. The variants of a kernel share that
/// part, so only the arguments of another variant are hashed. Threads: any number.
class KnownSources {
public:
  struct Source {
    PackHash hash = {};
    std::string kernelName = {}, origin = {};
  };
  /// `rest` is the program's text behind the arguments.
  std::optional<Source> find(llvm::StringRef rest) const;
  void add(llvm::StringRef rest, Source source);

private:
  static constexpr size_t kMostBytes = 4 << 20;
  mutable std::mutex lock;
  std::vector<std::pair<std::string, Source>> sources;
  size_t bytes = 0; // of the texts
};

/// The keys of a program for a target; an error if the text is no program.
llvm::Expected<PackKeys> computePackKeys(llvm::StringRef program, const CompileOptions &options,
                                         llvm::StringRef target, KnownSources *known = nullptr);

/// The program without the promises that its tensors are small (`*fp32:16S`), whose code serves
/// tensors of any size; nothing if it has no such promise.
std::optional<std::string> withoutSmallTensors(llvm::StringRef program);

/// The key of what autotune chose for the kernels of a name.
PackHash choicesKey(llvm::StringRef kernel);

/// The options that differ from the defaults: "num-warps=8,num-stages=4".
std::string changedOptions(const CompileOptions &options);

/// The ARGUMENTs of docs/program.md for a signature that recorded rows have; an error names the
/// entry that is none.
llvm::Expected<llvm::json::Array> argumentsOfSignature(llvm::StringRef signature);

/// The row of a manifest that asks for the kernel, as in
///   { signature = "*fp32:16,i32", options = { num-warps = 8 }, targets = ["cpu"] },
std::string manifestRow(const PackKeys &keys, const CompileOptions &options,
                        llvm::StringRef target);

} // namespace tessera
