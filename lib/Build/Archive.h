//===- Archive.h - libNAME.a ----------------------------------------------===//
#pragma once

#include "BuildItem.h"
#include "tessera/Build/Build.h"

namespace tessera::build {

/// An object file that defines `symbol` as read-only data, aligned to 16 bytes. The symbol is
/// hidden: a shared library of the archive does not export it.
std::string writeDataObject(llvm::StringRef symbol, llvm::StringRef data);

/// Compiles the library's C source, FOLDER/NAME.c, to FOLDER/objects/NAME.o.
llvm::Error compileSource(const BuildRequest &request, const std::string &name);

/// The archive's bytes: the compiled source and every binary.
llvm::Expected<std::string> makeArchive(const BuildRequest &request, const std::string &name,
                                        llvm::ArrayRef<BuildItem> items);

} // namespace tessera::build
