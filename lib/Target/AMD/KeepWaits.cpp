//===- KeepWaits.cpp - waits for memory at barriers in loops --------------===//
// LLVM's memory legalizer puts waits for counters in front of barriers and other places of release,
// as "soft" instructions, and its pass si-insert-waitcnts erases those that have nothing to wait
// for. In LLVM 22 it does so when it first visits a block. If the block is a loop's, accesses that
// are under way at the loop's end are found later, and the wait that they need is gone:
//
//   loop:                              loop:
//     S_WAITCNT_soft lgkmcnt(0)          (erased: nothing is under way before the loop)
//     S_BARRIER                          S_BARRIER
//     ds_load                            ds_load
//     ds_store ; branch loop             ds_store ; branch loop
//
// Another wave then reads what may not have been written. In a loop's blocks the first soft wait of
// each kind becomes an ordinary one here, which stays. Later ones stay soft: they wait for accesses
// of the block itself, which LLVM sees in time.
//===----------------------------------------------------------------------===//
#include "KeepWaits.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

/// Returns the ordinary instruction of a soft one, by its name; nothing for other instructions.
/// Names are sorted in LLVM's table, so that the ordinary one is a few places before.
static std::optional<unsigned> ordinaryWait(unsigned opcode, const TargetInstrInfo &instructions) {
  StringRef name = instructions.getName(opcode);
  if (!name.consume_back("_soft"))
    return std::nullopt;
  while (opcode-- > 0)
    if (instructions.getName(opcode) == name)
      return opcode;
  return std::nullopt;
}

namespace {
class KeepWaits : public MachineFunctionPass {
public:
  static char ID;
  KeepWaits() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "keep waits in loops"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineLoopInfoWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    const MachineLoopInfo &loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
    if (loops.empty())
      return false;
    bool changed = false;
    for (MachineBasicBlock &block : function)
      if (loops.getLoopFor(&block))
        changed |= keepWaits(block, instructions);
    return changed;
  }

private:
  static bool keepWaits(MachineBasicBlock &block, const TargetInstrInfo &instructions) {
    bool changed = false;
    SmallVector<const MachineInstr *> done;
    for (MachineInstr &instruction : block) {
      std::optional<unsigned> opcode = ordinaryWait(instruction.getOpcode(), instructions);
      if (!opcode)
        continue;
      if (any_of(done, [&](const MachineInstr *earlier) {
            return earlier->getOpcode() == *opcode &&
                   all_of(zip(earlier->operands(), instruction.operands()), [](auto pair) {
                     return std::get<0>(pair).isIdenticalTo(std::get<1>(pair));
                   });
          }))
        continue;
      instruction.setDesc(instructions.get(*opcode));
      done.push_back(&instruction);
      changed = true;
    }
    return changed;
  }
};
} // namespace

char KeepWaits::ID = 0;

Pass *tessera::amd::createKeepWaits() { return new KeepWaits(); }
