//===- LinkVariant.h - what a header says about a compiled kernel ---------===//
// Headers have lines for linkers. The first is Triton's, the second adds whose hints
// they are, the third also serves CPU kernels and several chips:
//
//   // tt-linker: add_3a1b2c4d_0d1:CUdeviceptr x, int32_t n:1024_warps4xstages3
//   // tessera-linker: add_3a1b2c4d_0d1:x=16
//   // tessera-variant: add_3a1b2c4d_0d1 add cuda:90 1024_warps4xstages3 : x=16 : T x, int32_t n
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Launch/AotLink.h"
#include <vector>

namespace tessera::aot {

struct LinkParameter {
  std::string type, name;
  unsigned hint =
      0; // 16: divisible by 16; 1: equal to 1, and no parameter of the variant's function
};

struct LinkVariant {
  std::string kernel, function;
  std::string algo;   // constants and options
  std::string target; // "cpu"; empty if the header does not say
  std::vector<LinkParameter> parameters;

  size_t hintCount() const;
  /// The chip as a number (LibraryDriver::Chip); 0 if the target has none.
  unsigned chip() const;
};

/// The line of a header for the third form.
std::string linkerLine(const LinkVariant &variant);

/// The variants that a header declares.
llvm::Expected<std::vector<LinkVariant>> readLinkHeader(const LinkHeader &header);

/// What functions for one kind of device look like in C.
struct LinkStyle {
  std::string includes;               // of the header
  std::string result;                 // "int32_t"
  std::string firstType, firstName;   // the parameter before the kernel's own; may be empty
  std::string invalidValue, noBinary; // what is returned if no variant fits
  std::string addressType;            // of arrays, where it is not an integer
  std::string findChip;               // the function that is called to know the chip
  bool servesGeneration = false;      // code for a chip runs on later ones of its generation
  bool loads = false;                 // there are load_F and unload_F
  std::vector<std::string> forms;     // suffixes of the functions: "", "_parallel"
  std::string extraType, extraName;   // one more parameter of the forms after the first
};
LinkStyle hostLinkStyle();

} // namespace tessera::aot
