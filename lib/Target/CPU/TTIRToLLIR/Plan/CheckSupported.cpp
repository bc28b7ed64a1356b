//===- CheckSupported.cpp - reject ops that the CPU target cannot lower -===//
// See CheckSupported.h.
//===----------------------------------------------------------------------===//
#include "CheckSupported.h"
#include "DotPlan.h"
#include "TileIndex.h"
#include "WholeTileOps.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/IR/TTCOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "../Lanes/Elementwise.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

/// Returns whether the op only orders or annotates, which has no effect in one thread.
static bool isIgnored(Operation *op) {
  return llvm::is_contained({"gpu.barrier", "llvm.intr.assume"}, op->getName().getStringRef());
}

static bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, cf::BranchOp,
             cf::CondBranchOp, tt::ReturnOp>(op);
}

static bool isKnown(Operation *op) {
  return isPureTileOp(op) || isControlFlow(op) || isIgnored(op) || isWholeTileOp(op) ||
         isa<tt::LoadOp, tt::StoreOp, tt::ReduceOp, tt::ReduceReturnOp, tt::ScanReturnOp,
             tt::MapElementwiseReturnOp, tt::GetProgramIdOp, tt::GetNumProgramsOp, tt::UnsplatOp,
             ttc::ExtractOp, ttc::ExplainWrapOp>(op);
}

static LogicalResult checkTypes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool hasShape = !tensor || (tensor.hasStaticShape() && tensor.getRank() > 0);
    if (hasShape && convertElement(getElementTypeOrSelf(type)))
      return success();
    return emitUnsupported(op) << "the CPU target has no values of type " << type << " ('"
                               << op->getName() << "')";
  };
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (failed(check(type)))
      return failure();
  return success();
}

/// A branch writes the tensors of both successors before it is taken.
static LogicalResult checkControlFlow(Operation *op) {
  auto branch = dyn_cast<cf::CondBranchOp>(op);
  if (!branch || branch.getTrueDest() != branch.getFalseDest() ||
      llvm::none_of(op->getOperands(), isTensor))
    return success();
  return emitUnsupported(op) << "the CPU target cannot pass tensors both ways to one block; "
                                "arith.select can choose between them";
}

static LogicalResult checkOp(Operation *op) {
  if (std::string why = Elementwise::explainUnsupported(op); !why.empty())
    return emitUnsupported(op) << why;
  if (std::string why = explainUnsupportedDot(op); !why.empty())
    return emitUnsupported(op) << why;
  if (!isKnown(op))
    return emitUnsupported(op) << "the CPU target cannot lower '" << op->getName() << "' yet";
  if (isIgnored(op))
    return success();
  if (failed(checkTypes(op)))
    return failure();
  if (isControlFlow(op))
    return checkControlFlow(op);
  return success();
}

/// A kernel that has the name of a library function which its code calls would call itself.
static LogicalResult checkName(tt::FuncOp function) {
  StringRef name = function.getName();
  static constexpr StringLiteral ours[] = {"malloc",    "free",        "memcpy", "memset",
                                           "printf",    "fprintf",     "fflush", "stdout",
                                           "flockfile", "funlockfile", "stderr"};
  if (!Elementwise::isLibraryFunction(name) && !llvm::is_contained(ours, name))
    return success();
  return emitUnsupported(function) << "the CPU target cannot export a kernel called '" << name
                                   << "', which is a function of the C library; rename it";
}

LogicalResult tessera::cpu::checkSupported(tt::FuncOp function) {
  if (failed(checkName(function)))
    return failure();
  if (!function.getResultTypes().empty())
    return emitUnsupported(function) << "a kernel returns nothing";
  for (Type type : function.getArgumentTypes())
    if (isa<RankedTensorType>(type) || !convertElement(type))
      return emitUnsupported(function) << "the CPU target cannot pass arguments of type " << type;
  bool fine = true;
  function.getBody().walk([&](Operation *op) { fine &= succeeded(checkOp(op)); });
  return success(fine);
}
