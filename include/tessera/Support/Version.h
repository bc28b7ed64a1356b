//===- Version.h - which Tessera this is ----------------------------------===//
// The version people see, and the identity the cache uses. They differ: two
// builds of one version may generate different code, so the identity also
// holds the linker's build id of the program or library this code is in.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera {

/// "0.1.0"
llvm::StringRef getVersion();

/// "0.1.0+" and the build id in hex; without a build id, the size and time of
/// the file the code was loaded from. Found once.
const std::string &getBuildIdentity();

} // namespace tessera
