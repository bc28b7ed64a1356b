//===- BuildItem.h - one binary of a library ------------------------------===//
#pragma once

#include "Manifest.h"
#include "tessera/Binary/CompiledKernel.h"
#include "tessera/Driver/Session.h"

namespace tessera::build {

/// A file that a binary was made from.
struct SourceDigest {
  std::string path;   // that can be opened
  std::string sha256; // of its contents
  bool operator==(const SourceDigest &) const = default;
};

/// A kernel, for one signature and one target.
struct BuildItem {
  size_t kernel = 0, variant = 0; // positions in the manifest
  CompileRequest request;
  std::string extension; // of the binary: "cubin", "obj"
  bool isHostCode = false;
  bool isAssembly = false; // text that the device's driver compiles
  std::string chip;        // TargetDescription::chip
  std::string token;       // the target as a part of names: "cuda90"
  std::string fileName;    // "objects/add.v0.cuda90.cubin"
  std::string symbol;      // of the function, or of the data
  /// The position of the item that this one replaces in launches whose tensor maps cannot be built.
  std::optional<size_t> insteadOf = {};

  // The results of the compilation, or of an earlier build.
  bool isDone = false, isReused = false;
  std::string key;
  KernelRecord record;
  std::string binary;
  std::vector<SourceDigest> sources;
  DiagnosticEngine diagnostics;
};

/// 64 hex digits.
std::string sha256(llvm::StringRef bytes);

} // namespace tessera::build
