//===- Build.h - tessera build: a library of kernels from a manifest ------===//
// Compiles every kernel of a manifest for every signature and target, and writes
// into one folder (docs/shipping.md):
//
//   NAME.h, NAME.c      a typed function for each kernel (Launch/KernelLibrary.h)
//   objects/            the binaries, FUNCTION.vN.CHIP.cubin
//   libNAME.a           all of it
//   NAME.json           the index: what is in it, from which files
//   NAME.d              the files that it depends on, for make and Ninja
//
// A second build compiles what has changed, and writes only files whose contents
// are new.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Driver/Session.h"
#include <functional>
#include <string>
#include <vector>

namespace tessera {

struct BuildRequest {
  std::string manifest;
  std::string folder;
  std::string name = {};                 // of the library, instead of the manifest's, unless empty
  std::vector<std::string> targets = {}; // instead of the manifest's, unless empty
  unsigned jobs = 0;                     // compilations at once; 0: one for each processor
  std::string compiler = {};             // a C compiler, for libNAME.a; empty: no archive
  std::vector<std::string> compilerFlags = {};
  /// Called when a binary is done; never by two threads at once.
  std::function<void(size_t done, size_t all, const std::string &what)> progress = {};
};

struct BuildResult {
  std::string library; // the path of libNAME.a; of NAME.json if there is no archive
  size_t kernels = 0, binaries = 0;
  size_t compiled = 0; // the others were there already
  uint64_t bytes = 0;  // of `library`
  bool isUpToDate = false;
};

/// Nothing on failure; `diagnostics` then has the reasons, and exitStatus tells their kind.
std::optional<BuildResult> buildLibrary(const Session &session, const BuildRequest &request,
                                        DiagnosticEngine &diagnostics);

} // namespace tessera
