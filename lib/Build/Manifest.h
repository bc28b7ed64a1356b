//===- Manifest.h - the kernels that a library is made of -----------------===//
// A manifest (docs/shipping.md) says which kernels, for which types and which
// targets. Everything that can be wrong in it is found here, before anything is
// compiled, and reported with its line and column.
//===----------------------------------------------------------------------===//
#pragma once

#include "Toml.h"
#include "tessera/Driver/Session.h"
#include "tessera/Support/Options.h"
#include "tessera/Target/Target.h"
#include <memory>

namespace tessera::build {

/// An option of a compilation as the manifest has it: `num-warps = 8`.
struct ManifestOption {
  std::string flag, value;
  std::string target; // empty: of all targets
};

/// One specialisation of a kernel.
struct ManifestVariant {
  std::string signature;
  std::string arguments;            // of a recorded kernel, as JSON, if no signature says them
  std::vector<std::string> targets; // empty: the kernel's
  uint64_t launches = 0;            // of the recorded program
  bool isTuned = false;             // autotune chose it
  bool isOptional = false;          // other values may need it: `because`
  std::string when;                 // a condition over the parameters; empty: none
  std::vector<ManifestOption> options;
  SourceRange range, whenRange;
};

struct ManifestKernel {
  std::string file;     // a path that can be opened; a .py, or a .program that was recorded
  std::string fileName; // as the manifest has it
  std::string name;     // of the Python function
  std::string function; // of the C function
  std::vector<std::string> grid; // three expressions; empty: the caller passes the grid
  std::vector<std::string> targets;
  bool servesLaterChips = false; // with assembly that a driver compiles for them
  std::vector<ManifestVariant> variants;
  SourceRange range, gridRange, laterRange;

  bool isRecorded() const { return llvm::StringRef(file).ends_with(".program"); }
  const std::vector<std::string> &targetsOf(size_t variant) const {
    return variants[variant].targets.empty() ? targets : variants[variant].targets;
  }
};

/// What autotune chose for calls of a kernel: a [[tuned]] table.
struct ManifestChoices {
  std::string kernel;
  std::vector<std::string> choices; // JSON objects, one for each tuning key
};

struct Manifest {
  std::string path;
  std::string folder; // of the manifest, absolute
  std::string name;   // of the library: libNAME.a, NAME.h
  std::vector<ManifestKernel> kernels;
  std::vector<ManifestChoices> tuned;
  std::unique_ptr<SourceFile> file;
};

/// What the manifest is read for. Names in a pack need not be names in C.
enum class ManifestUse { Library, Pack };

/// The options of a variant for a target. They are known to be right.
CompileOptions optionsFor(const ManifestVariant &variant, llvm::StringRef target);

/// The compilation of a variant for a target; an error if the recorded program cannot be read.
llvm::Expected<CompileRequest> requestFor(const ManifestKernel &kernel, size_t variant,
                                          llvm::StringRef target);

/// Code for the host runs on other machines than this one, unless the manifest says which.
void makePortable(CompileRequest &request, const ManifestVariant &variant);

/// Reads and checks a manifest. `name` and `targets` replace those of the file, unless they are
/// empty. Nothing after an error, which `diagnostics` has.
std::optional<Manifest> readManifest(const std::string &path, const std::string &name,
                                     llvm::ArrayRef<std::string> targets, const ToolPaths &tools,
                                     DiagnosticEngine &diagnostics,
                                     ManifestUse use = ManifestUse::Library);

} // namespace tessera::build
