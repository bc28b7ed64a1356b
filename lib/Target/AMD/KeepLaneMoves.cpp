//===- KeepLaneMoves.cpp - lane moves that are parts of wider registers ---===//
// LLVM's pass gcn-dpp-combine folds a move between lanes into the instructions that use its result,
// and erases the move. If a REG_SEQUENCE builds a wider register from the result, LLVM 22 considers
// only those uses of the wider register that name this part of it. A use of the whole then reads
// what nobody wrote:
//
//   %x = V_MOV_B32_dpp %a                    (erased)
//   %y = V_MAD_U64_U32_e64 %x, 3, 1          %y = V_MAD_U64_U32_e64_dpp %a, 3, 1
//   %w = REG_SEQUENCE %x, sub0, %y, sub1     %w = REG_SEQUENCE undef, sub0, %y, sub1
//   DS_WRITE_B64 %p, %w                      DS_WRITE_B64 %p, %w
//
// Such a sequence gets a copy of the result here. A copy cannot take part in a move between lanes,
// so the move stays; the register coalescer removes the copy.
//===----------------------------------------------------------------------===//
#include "KeepLaneMoves.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

namespace {
class KeepLaneMoves : public MachineFunctionPass {
public:
  static char ID;
  KeepLaneMoves() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "keep moves between lanes"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    registers = &function.getRegInfo();
    instructions = function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block)
        if (instruction.isRegSequence())
          changed |= copyMoves(instruction);
    return changed;
  }

private:
  bool copyMoves(MachineInstr &sequence) {
    bool changed = false;
    for (unsigned at = 1; at < sequence.getNumOperands(); at += 2) {
      MachineOperand &part = sequence.getOperand(at);
      if (!part.isReg() || !part.getReg().isVirtual() || !isLaneMove(part.getReg()) ||
          !isReadOtherwise(sequence, part.getReg(), sequence.getOperand(at + 1).getImm()))
        continue;
      Register copy = registers->createVirtualRegister(registers->getRegClass(part.getReg()));
      BuildMI(*sequence.getParent(), sequence, sequence.getDebugLoc(),
              instructions->get(TargetOpcode::COPY), copy)
          .addReg(part.getReg());
      part.setReg(copy);
      part.setIsKill(false);
      changed = true;
    }
    return changed;
  }

  bool isLaneMove(Register reg) const {
    const MachineInstr *def = registers->getUniqueVRegDef(reg);
    return def && instructions->getName(def->getOpcode()) == "V_MOV_B32_dpp";
  }

  /// Returns whether the sequence or the part itself has a use that gcn-dpp-combine could fold the
  /// move into, beside a use of the sequence that does not name the part alone.
  bool isReadOtherwise(const MachineInstr &sequence, Register part, unsigned subRegister) const {
    bool named = !registers->hasOneNonDBGUse(part), whole = false;
    for (const MachineOperand &use :
         registers->use_nodbg_operands(sequence.getOperand(0).getReg())) {
      named |= use.getSubReg() == subRegister;
      whole |= use.getSubReg() != subRegister;
    }
    return named && whole;
  }

  MachineRegisterInfo *registers = nullptr;
  const TargetInstrInfo *instructions = nullptr;
};
} // namespace

char KeepLaneMoves::ID = 0;

Pass *tessera::amd::createKeepLaneMoves() { return new KeepLaneMoves(); }
