//===- DefaultSession.h - the settings of a session that nobody chose -----===//
// One set of rules for the command line, the C interface and Python: where compiled
// kernels are kept, and which tools are used. They ask environment variables, which
// the caller passes (Support/Variables.h).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Driver/Session.h"
#include "tessera/Support/Variables.h"

namespace tessera {

/// The folder of compiled kernels: TESSERA_CACHE_DIR; `tessera` in Triton's cache folder, if
/// TRITON_CACHE_DIR or TRITON_HOME says where that is, so that two compilers can share it;
/// XDG_CACHE_HOME/tessera; ~/.cache/tessera. Empty when there is no home.
std::string defaultCacheFolder(const Variables &variables);

/// The tools, the cache folder, and whose entries are read (TESSERA_CACHE_TRUST=all).
SessionOptions defaultSession(const Variables &variables);

/// The settings about where kernels are kept, by name: "pack", "pack-key", "on-compile",
/// "cache-timeout", "cache-remote", "cache-limit" (tessera.h).
bool isStoreOption(llvm::StringRef name);
llvm::Error setStoreOption(SessionOptions &options, llvm::StringRef name, llvm::StringRef value);
/// Those of the cache from TESSERA_CACHE_REMOTE, TESSERA_CACHE_TIMEOUT and TESSERA_CACHE_LIMIT.
llvm::Error setCacheOptions(SessionOptions &options, const Variables &variables);
/// "10G", "500M", "4096": bytes.
llvm::Expected<uint64_t> parseByteCount(llvm::StringRef text);
/// Returns autotune's choices for a kernel, from all packs: a JSON array.
llvm::Expected<std::string> packedChoices(const SessionOptions &options, llvm::StringRef kernel);

} // namespace tessera
