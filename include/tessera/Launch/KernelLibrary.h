//===- KernelLibrary.h - several kernels as one C library -----------------===//
// Writes NAME.h and NAME.c for compiled kernels: one typed function for each
// kernel, which chooses among its variants by the arguments, and among a
// variant's binaries by the chip that it finds (docs/shipping.md).
//
//   int32_t softmax(tessera_stream stream, float *y, const float *x, int32_t rows);
//
// The binaries themselves are data of other objects of the library; the source
// refers to them by symbols.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A variant, compiled for one target.
struct LibraryBinary {
  KernelRecord record;
  bool isHostCode = false; // an object that is linked in; else data for a device's driver
  std::string symbol;      // of the object's function, or of the data
  std::string chip;        // TargetDescription::chip
  bool isAssembly = false; // text that the device's driver compiles
  /// For a kernel with tensor maps: the binary that launches without them take; one or none.
  std::vector<LibraryBinary> withoutMaps = {};
};

/// A specialisation of a kernel: its binaries are for the same types.
struct LibraryVariant {
  std::string when; // a condition over the parameters; empty: none
  std::vector<LibraryBinary> binaries;
};

struct LibraryKernel {
  std::string function;
  std::vector<std::string> grid; // three expressions; empty: the caller passes the grid
  std::vector<LibraryVariant> variants;
};

struct KernelLibrary {
  std::string name;
  std::string origin; // the manifest's name, for comments
  std::vector<LibraryKernel> kernels;
};

/// The C interface of a kernel.
struct LibraryInterface {
  struct Parameter {
    std::string name, type;   // in C: "x", "const float *"
    std::string nameInPython; // which may be no name in C
  };
  struct Fact {
    std::string parameter, text; // "x", "aligned to 16 bytes"; without a parameter a condition
  };
  struct Choice {
    size_t variant;                      // its position in LibraryKernel
    std::vector<std::string> conditions; // in C; all must hold
    std::vector<Fact> facts;             // the same in words
    std::vector<std::string> passed;     // the names whose addresses a launch gets, in order
    std::string x, y, z;                 // the grid, in C
  };
  std::vector<Parameter> parameters; // without the stream
  std::vector<Choice> choices;       // the most specialised first
  bool passesGrid = false;           // gridX, gridY and gridZ come first
};

/// Why variants do not fit together; `variant` is the one to blame.
struct InterfaceProblem {
  size_t variant = 0;
  bool isAboutGrid = false, isAboutCondition = false;
  std::string message;
};

/// Nothing if the variants do not fit together; then `problem` says why.
std::optional<LibraryInterface> planInterface(const LibraryKernel &kernel,
                                              InterfaceProblem &problem);

/// Returns whether a driver can compile assembly for this chip for later ones.
bool servesLaterChips(llvm::StringRef target, llvm::StringRef chip);

/// Why a function of the library NAME, or the library itself, cannot be called so; empty if it can.
std::string whyNoLibraryFunction(llvm::StringRef function, llvm::StringRef library);

std::string writeLibraryHeader(const KernelLibrary &library,
                               llvm::ArrayRef<LibraryInterface> interfaces);
std::string writeLibrarySource(const KernelLibrary &library,
                               llvm::ArrayRef<LibraryInterface> interfaces);

} // namespace tessera
