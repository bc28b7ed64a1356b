//===- Binary.h - from AMDGCN assembly to a code object -------------------===//
// The stage make_hsaco: the assembly is assembled and linked in this process, and the
// code object's notes tell what the kernel needs. No program or library of ROCm takes
// part.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/AMD/Spec.h"
#include "tessera/Target/Target.h"

namespace tessera::amd {

/// Makes StageState::binary from StageState::assembly, and fills in the record: registers, memory,
/// and for a file of assembly also the kernel's name and threads.
mlir::LogicalResult makeHSACO(StageState &state, const AmdSpec &spec);

} // namespace tessera::amd
