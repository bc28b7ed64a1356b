//===- LowerPrintAssert.cpp - lower prints and assertions -----------------===//
// tt.print prints a line per element, by one thread that owns the element (PrintText.h defines the
// lines); a scalar is printed once per program. With `printEveryThread` each thread prints all its
// values instead: every thread prints a scalar, and each thread with a copy an element of a tensor.
//
//   before: tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<64xi32, #l>
//   after:  if (this thread owns its elements) printf("pid (%u, ... x: %i\\n", ...)
//
// tt.assert ends the kernel if an element is false. It reports the message, the line of Python and
// the lines that called it; the device reports the program.
//===----------------------------------------------------------------------===//
#include "LayoutIndices.h"
#include "Lowering.h"
#include "tessera/LLIR/PrintText.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "tessera/TTGIRToLLIR/Branch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tessera;

namespace {

struct PrintLowering : Lowering<tt::PrintOp> {
  PrintLowering(const TTGIRTypeConverter &types, const TargetInfo &target, bool everyThread)
      : Lowering(types, target), everyThread(everyThread) {}

  LogicalResult matchAndRewrite(tt::PrintOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Location loc = op.getLoc();
    if (!target.hasPrint())
      return emitUnsupported(op) << "tl.device_print on " << target.name()
                                 << "; store the values and print them on the host, or run the "
                                    "kernel with --target cpu";
    SmallVector<Value> program;
    for (int axis = 0; axis < 3; ++axis)
      program.push_back(target.programId(b, loc, axis));
    std::string head = ("pid " + kProgramFormat).str(), prefix = escapePercent(op.getPrefix());
    if (op.getArgs().empty()) {
      Block *after = enterFirstThread(b, op);
      target.print(b, loc, head + prefix + "\n", program);
      leaveIf(b, loc, after);
    }
    for (auto [number, values] : llvm::enumerate(operands.getArgs())) {
      std::string which =
          op.getArgs().size() > 1 ? "(operand " + std::to_string(number) + ") " : std::string();
      printOperand(b, op, number, values, program, head, prefix + which);
    }
    b.eraseOp(op);
    return success();
  }

private:
  const bool everyThread;

  /// Enters a branch of the first thread, which prints a scalar that all threads hold. Returns null
  /// if all threads print.
  Block *enterFirstThread(ConversionPatternRewriter &b, tt::PrintOp op) const {
    if (everyThread)
      return nullptr;
    auto module = op->getParentOfType<ModuleOp>();
    unsigned numThreads =
        ttg::lookupNumWarps(op).value_or(ttg::getNumWarps(module)) * ttg::getThreadsPerWarp(module);
    Value isFirst = emitIsRepresentative(b, op.getLoc(), target, numThreads, numThreads - 1,
                                         ttg::getNumCTAs(module) - 1);
    return enterIf(b, op.getLoc(), isFirst);
  }

  /// Enters a branch of the threads that own their elements of a tensor. Returns null if all do.
  Block *enterOwner(ConversionPatternRewriter &b, Location loc, const LinearLayout &layout) const {
    Value isOwner = emitIsRepresentative(b, loc, target, threadCount(layout),
                                         replicatedThreadBits(layout), replicatedBlockBits(layout));
    return isOwner ? enterIf(b, loc, isOwner) : nullptr;
  }

  void printElement(OpBuilder &b, tt::PrintOp op, unsigned number, Value value,
                    ArrayRef<Value> program, ArrayRef<Value> indices, const std::string &head,
                    const std::string &tail) const {
    LaneBuilder lanes(b, op.getLoc());
    Type element = getElementTypeOrSelf(op.getArgs()[number]);
    PrintConversion last =
        convertToPrint(lanes, value, element, op.getIsSigned()[number] != 0, op.getHex(),
                       /*hasHalfConversions=*/true);
    SmallVector<Value> arguments(program);
    llvm::append_range(arguments, indices);
    arguments.push_back(last.argument);
    target.print(b, op.getLoc(), head + tail + last.format + "\n", arguments);
  }

  void printOperand(ConversionPatternRewriter &b, tt::PrintOp op, unsigned number,
                    ValueRange values, ArrayRef<Value> program, const std::string &head,
                    const std::string &tail) const {
    Location loc = op.getLoc();
    auto tensor = dyn_cast<RankedTensorType>(op.getArgs()[number].getType());
    if (!tensor) {
      Block *after = enterFirstThread(b, op);
      printElement(b, op, number, values[0], program, {}, head + " idx ()", tail);
      return leaveIf(b, loc, after);
    }
    LinearLayout layout = ttg::toLinearLayout(tensor);
    SmallVector<SmallVector<Value>> indices; // per dimension, per register
    for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
      indices.push_back(emitIndices(b, loc, target, layout, Dim::axis(dim)));
    Block *after = everyThread ? nullptr : enterOwner(b, loc, layout);
    uint64_t copies = everyThread ? 0 : ownerMasks(layout).registers;
    std::string place = head + " idx " + alignedIndexFormat(tensor.getShape());
    for (auto [reg, value] : llvm::enumerate(values)) {
      if ((reg & copies) != 0)
        continue;
      auto own = llvm::map_to_vector(indices, [reg = reg](auto &list) { return list[reg]; });
      printElement(b, op, number, value, program, own, place, tail);
    }
    leaveIf(b, loc, after);
  }
};

struct AssertLowering : Lowering<tt::AssertOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::AssertOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Location loc = op.getLoc();
    LaneBuilder lanes(b, loc);
    Value holds;
    for (Value condition :
         llvm::SetVector<Value>(operands.getCondition().begin(), operands.getCondition().end()))
      holds = holds ? lanes.bitAnd(holds, condition) : condition;
    Block *after = enterIf(b, loc, lanes.logicalNot(holds));
    SmallVector<PrintedPlace> places = findPlaces(loc);
    std::string message = op.getMessage().str();
    if (places.size() > 1)
      message += (message.empty() ? "(called from " : " (called from ") +
                 joinPlaces(ArrayRef(places).drop_front()) + ")";
    PrintedPlace place = places.empty() ? PrintedPlace{"unknown", 0} : places.front();
    target.failAssertion(b, loc, message, place.file, place.line, kernelName(op));
    leaveIf(b, loc, after);
    b.eraseOp(op);
    return success();
  }

  /// Returns the kernel's name; its function may have been converted already.
  static std::string kernelName(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
      if (auto name = parent->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
        return name.str();
    return "unknown";
  }
};

} // namespace

void tessera::populatePrintAssertPatterns(RewritePatternSet &patterns,
                                          const TTGIRTypeConverter &types, const TargetInfo &target,
                                          bool printEveryThread) {
  patterns.add<PrintLowering>(types, target, printEveryThread);
  patterns.add<AssertLowering>(types, target);
}
