//===- Notes.h - the metadata of a code object ----------------------------===//
// LLVM describes each kernel in a note of the code object, in MessagePack: registers,
// memory, arguments (AMDGPU usage guide, "Code Object Metadata"). ROCm's loader and
// HIP read it, and so do our reports.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera::amd {

/// One kernel of a code object. Numbers that the note does not have are -1.
struct KernelNote {
  std::string name;
  int vectorRegisters = -1;      // of a lane, accumulators included where they share a file
  int accumulatorRegisters = -1; // of a lane
  int scalarRegisters = -1;      // of a wave
  int spilledVectorRegisters = -1;
  int spilledScalarRegisters = -1;
  int scratchBytes = -1; // of a lane: the stack, with spilled registers
  int sharedBytes = -1;  // of a CTA, fixed
  int argumentBytes = -1;
  int maxThreads = -1; // of a CTA
  int threadsPerWarp = -1;
};

/// Reads the notes of an ELF file.
llvm::Expected<std::vector<KernelNote>> readKernelNotes(llvm::StringRef file);

} // namespace tessera::amd
