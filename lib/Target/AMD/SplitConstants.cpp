//===- SplitConstants.cpp - 64-bit constants in scalar registers ----------===//
// An instruction of these chips holds a constant of at most 32 bits. For wider ones LLVM has
// S_MOV_B64_IMM_PSEUDO, which its pass postrapseudos replaces by two moves of 32 bits. But if such
// a constant is copied, LLVM 22's pass peephole-opt turns the copy into an ordinary move, and the
// assembler refuses what the back end then prints:
//
//   %a = S_MOV_B64_IMM_PSEUDO 0xc060000000000000
//   %b = COPY %a                                  %b = S_MOV_B64 0xc060000000000000
//
// Here such a move becomes the pseudo instruction again.
//===----------------------------------------------------------------------===//
#include "SplitConstants.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

static bool isWideMove(const MachineInstr &instruction, const TargetInstrInfo &instructions) {
  if (!instruction.isMoveImmediate() || !instruction.getOperand(1).isImm())
    return false;
  int64_t constant = instruction.getOperand(1).getImm();
  return !isInt<32>(constant) && !isUInt<32>(constant) &&
         instructions.getName(instruction.getOpcode()) == "S_MOV_B64";
}

/// Returns the opcode of the move that is split later; nothing if LLVM has none. Names are sorted
/// in LLVM's table, so that it is a few places behind `move`.
static std::optional<unsigned> splitMove(unsigned move, const TargetInstrInfo &instructions) {
  for (unsigned opcode = move + 1; opcode < instructions.getNumOpcodes(); ++opcode)
    if (instructions.getName(opcode) == "S_MOV_B64_IMM_PSEUDO")
      return opcode;
  return std::nullopt;
}

namespace {
class SplitConstants : public MachineFunctionPass {
public:
  static char ID;
  SplitConstants() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "split 64-bit constants"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override {
    const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block)
        if (isWideMove(instruction, instructions))
          if (std::optional<unsigned> opcode = splitMove(instruction.getOpcode(), instructions)) {
            instruction.setDesc(instructions.get(*opcode));
            changed = true;
          }
    return changed;
  }
};
} // namespace

char SplitConstants::ID = 0;

Pass *tessera::amd::createSplitConstants() { return new SplitConstants(); }
