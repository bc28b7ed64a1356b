//===- OutlineFunctions.cpp - outline the regions of reductions and scans -===//
// The regions of tt.reduce, tt.scan and tt.map_elementwise are functions of scalars, which each
// thread applies many times. As functions they are lowered once, whatever control flow they
// contain, and LLVM inlines them.
//
//   before: %r:2 = "tt.reduce"(%x, %i) ({ ^bb0(...): compare, select, ... })
//   after:  tt.func private @k.function0(%a: f32, %i: i32, %b: f32, %j: i32) -> (f32, i32)
//           %r:2 = "tt.reduce"(%x, %i) <{ttg.commutes}> ({ ... tt.call @k.function0 ... })
//
// A region of one op (a sum, a maximum) stays, because it becomes one instruction. Whether a
// reduction's function commutes is recorded here, while its ops are still visible.
//
// Requires: runs before shared memory is planned, which depends on that record, and before scf
// becomes branches, which these regions could not contain. Ensures: every region is one op and a
// return. Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Transforms/OutlinedFunctions.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/CombineRegions.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGOUTLINEFUNCTIONS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

Commutes tessera::howItCommutes(tt::ReduceOp op) {
  if (canEmitDirectly(op.getCombineOp()))
    return Commutes::Exactly;
  return op->hasAttr(kCommutesAttr) ? Commutes::InMeaning : Commutes::No;
}

bool tessera::canEmitDirectly(Region &combine) {
  Operation *op = tt::singleOperation(combine);
  if (!op)
    return false;
  Type type = op->getResult(0).getType();
  bool isInteger = type.isInteger();
  bool isFloat = type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  return (isInteger && isa<arith::AddIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                           arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op)) ||
         (isFloat && isa<arith::AddFOp, arith::MulFOp, arith::MaxNumFOp, arith::MinNumFOp,
                         arith::MaximumFOp, arith::MinimumFOp>(op));
}

tt::CallOp tessera::findCallee(Region &region) {
  if (!region.hasOneBlock())
    return {};
  Block &block = region.front();
  auto call = dyn_cast<tt::CallOp>(block.front());
  if (!call || block.getTerminator()->getPrevNode() != call ||
      block.getTerminator()->getOperands() != call.getResults())
    return {};
  return call;
}

/// Returns the terminators at which the region's function returns.
static SmallVector<Operation *> findReturns(Region &region) {
  SmallVector<Operation *> returns;
  for (Block &block : region)
    if (isa<tt::ReduceReturnOp, tt::ScanReturnOp, tt::MapElementwiseReturnOp>(
            block.getTerminator()))
      returns.push_back(block.getTerminator());
  return returns;
}

namespace {
/// The values that a region uses from the function around it.
struct Surroundings {
  SmallVector<Value> captured; // these become arguments
  SmallVector<arith::ConstantOp> constants;
};
} // namespace

static Surroundings findSurroundings(Region &region) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(region, above);
  Surroundings around;
  for (Value value : above) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      around.constants.push_back(constant);
    else
      around.captured.push_back(value);
  }
  return around;
}

/// Moves the region's blocks into a function.
static tt::FuncOp createFunction(Operation *op, const Surroundings &around,
                                 ArrayRef<Operation *> returns) {
  Region &region = op->getRegion(0);
  auto kernel = op->getParentOfType<tt::FuncOp>();
  OpBuilder b(kernel);
  SmallVector<Type> inputs(region.getArgumentTypes());
  llvm::append_range(inputs, ValueRange(around.captured).getTypes());
  auto type = b.getFunctionType(inputs, returns.front()->getOperandTypes());
  auto function = tt::FuncOp::create(b, op->getLoc(), (kernel.getName() + ".function").str(), type);
  function.setPrivate();

  function.getBody().takeBody(region);
  Block &entry = function.getBody().front();
  for (Value value : around.captured) {
    BlockArgument argument = entry.addArgument(value.getType(), value.getLoc());
    replaceAllUsesInRegionWith(value, argument, function.getBody());
  }
  b.setInsertionPointToStart(&entry);
  for (arith::ConstantOp constant : around.constants)
    replaceAllUsesInRegionWith(constant, b.clone(*constant)->getResult(0), function.getBody());
  for (Operation *end : returns) {
    b.setInsertionPoint(end);
    tt::ReturnOp::create(b, end->getLoc(), end->getOperands());
    end->erase();
  }
  return function;
}

/// Outlines a region that is not one op; a call takes its place.
static void outline(Operation *op, SymbolTable &symbols) {
  Region &region = op->getRegion(0);
  SmallVector<Operation *> returns = findReturns(region);
  if (returns.empty())
    return; // it never returns, so there is nothing to call
  OperationState end(returns.front()->getLoc(), returns.front()->getName());
  Surroundings around = findSurroundings(region);
  unsigned numArguments = region.getNumArguments();
  tt::FuncOp function = createFunction(op, around, returns);
  symbols.insert(function); // makes its name unique

  OpBuilder b(op->getContext());
  Block *block = b.createBlock(&region);
  for (Type type : function.getArgumentTypes().take_front(numArguments))
    block->addArgument(type, op->getLoc());
  SmallVector<Value> operands(block->getArguments());
  llvm::append_range(operands, around.captured);
  end.addOperands(tt::CallOp::create(b, op->getLoc(), function, operands).getResults());
  b.create(end);
}

namespace {
struct OutlineFunctions : tessera::impl::TTGOutlineFunctionsBase<OutlineFunctions> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op))
        ops.push_back(op);
    });
    SymbolTable symbols(getOperation());
    for (Operation *op : ops) {
      Region &region = op->getRegion(0);
      if (findCallee(region))
        continue;
      if (isa<tt::ReduceOp>(op) && !canEmitDirectly(region) &&
          tt::isCommutative(region, /*ignoreNaN=*/true))
        op->setAttr(kCommutesAttr, UnitAttr::get(op->getContext()));
      if (isa<tt::MapElementwiseOp>(op) || !canEmitDirectly(region))
        outline(op, symbols);
    }
  }
};
} // namespace
