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

/// Returns the ordinary instruction for each soft one, by their names.
static DenseMap<unsigned, unsigned> ordinaryWaits(const TargetInstrInfo &instructions) {
  StringMap<unsigned> soft;
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode) {
    StringRef name = instructions.getName(opcode);
    if (name.consume_back("_soft"))
      soft[name] = opcode;
  }
  DenseMap<unsigned, unsigned> ordinary;
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
    if (auto found = soft.find(instructions.getName(opcode)); found != soft.end())
      ordinary[found->second] = opcode;
  return ordinary;
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
    DenseMap<unsigned, unsigned> ordinary = ordinaryWaits(instructions);
    bool changed = false;
    for (MachineBasicBlock &block : function)
      if (loops.getLoopFor(&block))
        changed |= keepWaits(block, instructions, ordinary);
    return changed;
  }

private:
  static bool keepWaits(MachineBasicBlock &block, const TargetInstrInfo &instructions,
                        const DenseMap<unsigned, unsigned> &ordinary) {
    bool changed = false;
    SmallVector<const MachineInstr *> done;
    for (MachineInstr &instruction : block) {
      auto found = ordinary.find(instruction.getOpcode());
      if (found == ordinary.end())
        continue;
      unsigned opcode = found->second;
      if (any_of(done, [&](const MachineInstr *earlier) {
            return earlier->getOpcode() == opcode &&
                   all_of(zip(earlier->operands(), instruction.operands()), [](auto pair) {
                     return std::get<0>(pair).isIdenticalTo(std::get<1>(pair));
                   });
          }))
        continue;
      instruction.setDesc(instructions.get(opcode));
      done.push_back(&instruction);
      changed = true;
    }
    return changed;
  }
};
} // namespace

char KeepWaits::ID = 0;

Pass *tessera::amd::createKeepWaits() { return new KeepWaits(); }
