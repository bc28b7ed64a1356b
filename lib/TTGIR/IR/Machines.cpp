//===- Machines.cpp - the machine that a module is laid out for -----------===//
#include "tessera/TTGIR/IR/Machines.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;

namespace {
/// The targets of a context.
struct MachineTable : DialectInterface::Base<MachineTable> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MachineTable)
  explicit MachineTable(Dialect *dialect) : Base(dialect) {}
  SmallVector<ttg::FindMachine, 2> sources;
};
} // namespace

void ttg::addMachines(TTGDialect &dialect, FindMachine find) {
  auto *table = dialect.getRegisteredInterface<MachineTable>();
  if (!table)
    table = &dialect.addInterface<MachineTable>();
  if (!llvm::is_contained(table->sources, find))
    table->sources.push_back(find);
}

static MachineModel findMachine(MLIRContext &context, StringRef target) {
  auto *dialect = context.getLoadedDialect<ttg::TTGDialect>();
  auto *table = dialect ? dialect->getRegisteredInterface<MachineTable>() : nullptr;
  if (table)
    for (ttg::FindMachine find : table->sources)
      if (std::optional<MachineModel> machine = find(target))
        return *machine;
  return {};
}

MachineModel ttg::getMachine(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  MachineModel machine =
      findMachine(*op->getContext(), module ? getTargetName(module) : StringRef());
  machine.banks.laneBits = llvm::Log2_32(lookupThreadsPerWarp(op));
  return machine;
}
