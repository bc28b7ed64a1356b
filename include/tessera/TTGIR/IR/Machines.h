//===- Machines.h - the machine that a module is laid out for -------------===//
// A target adds its machines to the context, usually by an extension of a dialect
// registry; passes and lowerings ask for the one that `ttg.target` names:
//
//   registry.addExtension(+[](MLIRContext *, ttg::TTGDialect *dialect) {
//     ttg::addMachines(*dialect, findMachine);
//   });
//   const MachineModel machine = ttg::getMachine(op);
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Layout/MachineModel.h"

namespace tessera::ttg {

/// The machine of a target by its name ("cuda:90"); nothing if it is another vendor's.
using FindMachine = std::optional<MachineModel> (*)(llvm::StringRef target);

/// Adding the same function again changes nothing. Requires: no pass runs in the context.
void addMachines(TTGDialect &dialect, FindMachine find);

/// The machine of the module around `op`. If no target knows its name, a typical one. The number
/// of lanes is always what the module says.
MachineModel getMachine(mlir::Operation *op);

} // namespace tessera::ttg
