//===- AotLaunchers.h - the writers of C launchers, one for each device ---===//
// What each writes is in include/tessera/Launch/AotLauncher.h and docs/abi.md.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/AotLauncher.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera {
struct LibraryBinary;
} // namespace tessera

namespace tessera::aot {
struct LinkStyle;

/// For a GPU's driver, with the binary in the source.
llvm::Expected<AotSources> writeGPUSources(const CompiledKernel &kernel, const AotRequest &request,
                                           llvm::StringRef headerName);

/// Typed functions around the one function of a CPU object (docs/abi.md, "From C"): all programs
/// on the caller, a range of them, all of them on several threads. They need the object and the C
/// library, nothing of ours.
llvm::Expected<AotSources> writeHostSources(const KernelRecord &record, const AotRequest &request,
                                            llvm::StringRef headerName);

/// The row of a table for a GPU's binary in a library of kernels. `declared` gets what the row
/// refers to.
std::string writeGPUBinary(const LibraryBinary &binary, std::string &declared);
/// A vendor's driver in libraries of kernels and linked variants.
struct LibraryDriver {
  /// A chip as a number, by which code is chosen at run time.
  struct Chip {
    unsigned number = 0;  // 0: the vendor has no such chip
    bool isExact = false; // code for it runs on no later chip
  };
  llvm::StringLiteral kind; // of targets: "cuda"
  llvm::StringLiteral text; // the runtime's part that opens the driver; it declares tessera_rt_KIND
  bool servesLaterChips;    // the driver compiles assembly for later chips
  Chip (*readChip)(llvm::StringRef chip); // TargetDescription::chip, or what follows "KIND:"
  LinkStyle (*linkStyle)();
};

/// All of them, in the order in which a library looks for a GPU.
llvm::ArrayRef<LibraryDriver> listLibraryDrivers();
/// The driver of "cuda:90". Null for the CPU.
const LibraryDriver *findLibraryDriver(llvm::StringRef target);

/// The part of a library that opens the GPU's driver and launches.
/// `mostMaps` is the largest number of tensor maps of a kernel.
std::string writeGPURuntime(size_t mostMaps, llvm::ArrayRef<const LibraryDriver *> drivers);

/// A text that CMake embeds; LIBRARY in it becomes `library`.
std::string runtimeText(llvm::StringRef name, llvm::StringRef library = "");

/// The option that the kernel was compiled with.
unsigned numStagesOf(const KernelRecord &record);

} // namespace tessera::aot
