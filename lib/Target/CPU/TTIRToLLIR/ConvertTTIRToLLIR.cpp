//===- ConvertTTIRToLLIR.cpp - lower kernels to loops over programs ------===//
// Lowers each kernel to one LLVM function that runs a range of programs:
//
//   before: tt.func public @k(%x: !tt.ptr<f32>, %n: i32) { ... tt.return }
//   after:  llvm.func @k(args, grid, begin, end) -> i32 {
//             load the arguments once
//             for id = begin .. end { body; program ids count up, x fastest }
//             return 0
//           }
//
// Scalars and control flow are translated one to one; tensor accesses become loop nests at the
// places that FusionPlan chooses, and tensor values exist only inside these nests.
//
// Requires: calls inlined. Ensures: LLVM dialect only. Cost: linear.
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"
#include "tessera/Target/CPU/CPUTarget.h"
#include "tessera/Target/CPU/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "Kernel/DebugTrace.h"
#include "Kernel/KernelContext.h"
#include "Lanes/Elementwise.h"
#include "Lanes/MemoryAccess.h"
#include "Nest/LoopNest.h"
#include "Plan/CheckSupported.h"
#include "Plan/FusionPlan.h"
#include "Tiles/Sanitize.h"
#include "Tiles/TileOps.h"

namespace tessera::cpu {
#define GEN_PASS_DEF_CPUCONVERTTTIRTOLLIR
#include "tessera/Target/CPU/Passes.h.inc"
} // namespace tessera::cpu

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

/// Tiles up to this total size are on the stack of the thread that runs programs.
static constexpr int64_t kMaxStackBytes = 64 * 1024;

Block *KernelLowering::newBlock(TypeRange types) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(types.size(), loc);
  return builder.createBlock(&function.getBody(), function.getBody().end(), types, locations);
}

SmallVector<Type> KernelLowering::convertTypes(TypeRange types) {
  return llvm::map_to_vector(types, convertElement);
}

SmallVector<Value> KernelLowering::scalarsOf(ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values)
    if (!isTensor(value))
      scalars.push_back(context.scalar(value));
  return scalars;
}

//===----------------------------------------------------------------------===//
// The function around the kernel
//===----------------------------------------------------------------------===//

void KernelLowering::createFunction() {
  MLIRContext *mlir = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(mlir), i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer, pointer, i64, i64});
  function = LLVM::LLVMFuncOp::create(builder, loc, source.getName(), type);
  function.setNoUnwind(true);
  auto attribute = [&](StringRef name, StringRef value) -> Attribute {
    return builder.getStrArrayAttr({name, value});
  };
  // The code generator must use the vector width that the lowering chose; by default LLVM splits
  // 512-bit vectors.
  std::string width = std::to_string(context.spec.vectorBits);
  function.setPassthroughAttr(builder.getArrayAttr(
      {attribute("prefer-vector-width", width), attribute("min-legal-vector-width", width)}));
  // The argument block and the grid do not change while the kernel runs.
  for (unsigned arg : {0u, 1u}) {
    function.setArgAttr(arg, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    function.setArgAttr(arg, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
  }
  builder.setInsertionPointToEnd(function.addEntryBlock(builder));
}

/// Creates entry, loop head, latch and exit. Leaves the builder at the end of the loop head, which
/// branches to the kernel's first block.
void KernelLowering::createProgramLoop() {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value args = function.getArgument(0), sizes = function.getArgument(1);
  Value begin = function.getArgument(2), end = function.getArgument(3);

  for (auto [i, argument] : llvm::enumerate(source.getArguments())) {
    Value slot = LLVM::LoadOp::create(builder, loc, pointer, b.offset(args, int64_t(i) * 8));
    MemoryAccess access{argument.getType(), slot, {}};
    context.setScalar(argument, emitLoad(b, access, {}));
  }
  Value grid[3], wide[3]; // wide: at least one, because no division may trap in an empty grid
  for (int axis = 0; axis < 3; ++axis) {
    grid[axis] = LLVM::LoadOp::create(builder, loc, i32, b.offset(sizes, int64_t(axis) * 4));
    wide[axis] = b.resizeUnsigned(b.make<LLVM::UMaxOp>(grid[axis], 1), i64);
  }
  context.setGrid(grid, b.mul(b.mul(wide[0], wide[1]), wide[2]));
  Value rows = b.make<LLVM::UDivOp>(begin, wide[0]);
  Value first[3] = {b.make<LLVM::URemOp>(begin, wide[0]), b.make<LLVM::URemOp>(rows, wide[1]),
                    b.make<LLVM::UDivOp>(rows, wide[1])};

  auto base = LLVM::PoisonOp::create(builder, loc, pointer); // finishArena replaces it
  context.arena().setBase(base);
  context.setEntryPlace(base);
  Block *head = newBlock({i64, i32, i32, i32}), *body = newBlock();
  latch = newBlock();
  leave = newBlock({i32});
  Block *outOfMemory = newBlock();
  Block *assertionFailed = newBlock();
  context.setExits(outOfMemory, assertionFailed);
  SmallVector<Value> start = {begin};
  for (Value id : first)
    start.push_back(b.resizeSigned(id, i32));
  jump(head, start);

  builder.setInsertionPointToEnd(head);
  Value id = head->getArgument(0);
  Value program[3] = {head->getArgument(1), head->getArgument(2), head->getArgument(3)};
  context.setProgram(program);
  Value done = b.integer(i32, int64_t(KernelStatus::Done));
  branch(b.compare(Int::ult, id, end), body, {}, leave, done);

  builder.setInsertionPointToEnd(latch);
  Value zero = b.integer(i32, int64_t(0));
  Value x = b.add(program[0], 1), wrapX = b.compare(Int::eq, x, grid[0]);
  Value y = b.select(wrapX, b.add(program[1], 1), program[1]);
  Value wrapY = b.compare(Int::eq, y, grid[1]);
  Value z = b.select(wrapY, b.add(program[2], 1), program[2]);
  jump(head, {b.add(id, 1), b.select(wrapX, zero, x), b.select(wrapY, zero, y), z});

  builder.setInsertionPointToEnd(outOfMemory);
  jump(leave, b.integer(i32, int64_t(KernelStatus::OutOfMemory)));
  builder.setInsertionPointToEnd(assertionFailed);
  jump(leave, b.integer(i32, int64_t(KernelStatus::AssertionFailed)));
  builder.setInsertionPointToEnd(body);
}

/// Allocates the memory for the reserved tiles, and frees it before the return.
void KernelLowering::finishArena() {
  auto bytes = static_cast<int64_t>(context.arena().place());
  bool heap = bytes > kMaxStackBytes;
  Value base = context.arena().base();
  Operation *place = context.entryPlace();
  builder.setInsertionPoint(place);
  if (bytes == 0) {
    base.replaceAllUsesWith(LLVM::ZeroOp::create(builder, loc, base.getType()));
    place->erase();
  } else if (!heap) {
    Value memory = LLVM::AllocaOp::create(builder, loc, base.getType(), builder.getI8Type(),
                                          b.i64(bytes), /*alignment=*/64);
    base.replaceAllUsesWith(memory);
    place->erase();
  } else {
    Value memory = context.callMalloc(b, b.i64(bytes + 64));
    // malloc aligns to 16 bytes; tiles are aligned to a cache line.
    Value toLine = b.bitAnd(b.sub(b.zero(builder.getI64Type()), b.addressOf(memory)), 63);
    base.replaceAllUsesWith(b.offset(memory, toLine));
    // The entry block is split: without the memory no program can run.
    Block *entry = place->getBlock();
    Block *enough = entry->splitBlock(place);
    place->erase();
    builder.setInsertionPointToEnd(entry);
    Block *none = newBlock();
    branch(b.compare(Int::eq, b.addressOf(memory), 0), none, {}, enough, {});
    builder.setInsertionPointToEnd(none);
    LLVM::ReturnOp::create(builder, loc,
                           b.integer(builder.getI32Type(), int64_t(KernelStatus::OutOfMemory)));
    builder.setInsertionPointToEnd(leave);
    context.callFree(b, memory);
  }
  // The exit block is moved to the end, for readability.
  leave->moveBefore(&function.getBody(), function.getBody().end());
  builder.setInsertionPointToEnd(leave);
  // Non-temporal stores are not ordered with the stores by which the caller is notified.
  if (context.hasStreamingStores())
    LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr("llvm.x86.sse.sfence"),
                                  ValueRange{});
  LLVM::ReturnOp::create(builder, loc, leave->getArgument(0));
}

void KernelLowering::run() {
  createFunction();
  createProgramLoop();
  if (trace)
    trace->enterProgram(source);
  Region &body = source.getBody();
  if (!body.hasOneBlock())
    context.arena().shareNothing();
  auto order = getBlocksSortedByDominance(body);
  for (Block *block : order)
    createBlock(*block);
  jump(blocks[&body.front()]);
  for (Block *block : order) {
    builder.setInsertionPointToEnd(blocks[block]);
    KernelContext::TileMap tiles = context.saveTiles();
    receiveTensors(*block);
    lowerBlock(*block);
    context.restoreTilesExceptOf(block, std::move(tiles));
  }
  finishArena();
}

//===----------------------------------------------------------------------===//
// The kernel's own ops
//===----------------------------------------------------------------------===//

void KernelLowering::lowerBlock(Block &block) {
  if (trace)
    trace->enterBlock(block);
  for (Operation &op : block) {
    loc = op.getLoc();
    b.loc = loc;
    if (trace)
      trace->before(op);
    if (auto groups = plan.before.find(&op); groups != plan.before.end())
      emitGroups(op, groups->second);
    lowerOp(op);
    if (trace)
      trace->after(op);
  }
}

void KernelLowering::lowerScalarBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    lowerOp(op);
}

void KernelLowering::lowerOp(Operation &op) {
  if (isWholeTileOp(&op))
    return emitTileOp(context, *this, &op);
  bool tensor = op.getNumResults() >= 1 && isTensor(op.getResult(0));
  auto result = [&](Value value) { context.setScalar(op.getResult(0), value); };
  TypeSwitch<Operation *>(&op)
      .Case([&](tt::LoadOp load) { lowerLoad(load); })
      .Case([&](tt::StoreOp store) { lowerStore(store); })
      .Case(
          [&](tt::GetProgramIdOp id) { result(context.program()[static_cast<int>(id.getAxis())]); })
      .Case([&](tt::GetNumProgramsOp count) {
        result(context.grid()[static_cast<int>(count.getAxis())]);
      })
      .Case([&](tt::UnsplatOp op) { result(emitElementAt(context, op.getSrc())); })
      .Case([&](ttc::ExtractOp op) {
        result(emitElementAt(context, op.getTensor(), scalarsOf(op.getIndices())));
      })
      .Case([&](ttc::ExplainWrapOp op) { emitExplainWrap(context, op); })
      .Case([&](tt::ReturnOp) { jump(latch); })
      .Case([&](scf::ForOp loop) { lowerFor(loop); })
      .Case([&](scf::IfOp conditional) { lowerIf(conditional); })
      .Case([&](scf::WhileOp loop) { lowerWhile(loop); })
      .Case([&](cf::BranchOp br) { jump(blocks[br.getDest()], scalarsOf(br.getDestOperands())); })
      .Case([&](cf::CondBranchOp br) {
        branch(context.scalar(br.getCondition()), blocks[br.getTrueDest()],
               scalarsOf(br.getTrueDestOperands()), blocks[br.getFalseDest()],
               scalarsOf(br.getFalseDestOperands()));
      })
      .Case([&](arith::ConstantOp constant) {
        if (isTable(constant))
          context.setTile(constant, lowerTable(constant));
        else if (!tensor)
          result(context.constant(b, constant.getValue()));
      })
      .Case([&](ub::PoisonOp poison) {
        if (!tensor)
          result(b.zero(convertElement(poison.getType())));
      })
      .Default([&](Operation *other) {
        // Tensors are computed in the nests that use them; the terminator of a region is lowered by
        // the op that owns the region.
        if (!tensor && Elementwise::handles(other))
          result(context.elementwise.lower(b, other, scalarsOf(other->getOperands())));
      });
}

/// A constant with different elements becomes a global of the object, laid out as a tile.
Value KernelLowering::lowerTable(arith::ConstantOp op) {
  auto values = cast<DenseElementsAttr>(op.getValue());
  unsigned bytes = elementBytes(values.getElementType());
  SmallVector<uint8_t> data;
  auto append = [&](const APInt &bits) {
    for (unsigned i = 0; i < bytes; ++i)
      data.push_back(static_cast<uint8_t>(bits.zextOrTrunc(64).getZExtValue() >> (8 * i)));
  };
  if (isa<FloatType>(values.getElementType()))
    llvm::for_each(values.getValues<APFloat>(), [&](APFloat x) { append(x.bitcastToAPInt()); });
  else
    llvm::for_each(values.getValues<APInt>(), append);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(context.module().getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), data.size());
  auto text = builder.getStringAttr(StringRef(reinterpret_cast<char *>(data.data()), data.size()));
  std::string name = (source.getName() + "_table" + Twine(tables++)).str();
  auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, text, /*alignment=*/64);
  builder.setInsertionPoint(context.entryPlace());
  return LLVM::AddressOfOp::create(builder, loc, global);
}

void KernelLowering::lowerLoad(tt::LoadOp op) {
  if (isTensor(op.getPtr()))
    return;
  MemoryAccess access{op.getType(), context.scalar(op.getPtr()), {}};
  access.mask = op.getMask() ? context.scalar(op.getMask()) : Value();
  access.isVolatile = op.getIsVolatile() || op.getCache() == tt::CacheModifier::CV;
  Value other = op.getOther() ? context.scalar(op.getOther()) : Value();
  context.setScalar(op.getResult(), emitLoad(b, access, other));
}

void KernelLowering::lowerStore(tt::StoreOp op) {
  if (isTensor(op.getPtr()))
    return;
  MemoryAccess access{op.getValue().getType(), context.scalar(op.getPtr()), {}};
  access.mask = op.getMask() ? context.scalar(op.getMask()) : Value();
  emitStore(b, access, context.scalar(op.getValue()));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertTTIRToLLIR : tessera::cpu::impl::CPUConvertTTIRToLLIRBase<ConvertTTIRToLLIR> {
  using CPUConvertTTIRToLLIRBase::CPUConvertTTIRToLLIRBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<CPUSpec> spec = CPUSpec::find(cpu);
    if (!spec) {
      emitError(module.getLoc()) << llvm::toString(spec.takeError());
      return signalPassFailure();
    }
    SmallVector<tt::FuncOp> functions(module.getOps<tt::FuncOp>());
    for (tt::FuncOp kernel : functions)
      if (kernel.isKernel() && failed(checkSupported(kernel)))
        return signalPassFailure();
    for (tt::FuncOp kernel : functions)
      if (kernel.isKernel() && !kernel.isExternal())
        lower(kernel, *spec);
    for (tt::FuncOp function : functions)
      function.erase();
  }

  void lower(tt::FuncOp kernel, const CPUSpec &spec) {
    OpBuilder builder(kernel);
    Elementwise elementwise(spec, fpFusion, getOperation());
    FusionPlan plan = planFusion(kernel);
    KernelContext context(builder, spec, elementwise, getOperation(), plan.columnMajor);
    context.printRows = printRows;
    DebugTrace trace(context);
    KernelLowering(kernel, context, plan, debugInfo ? &trace : nullptr).run();
  }
};
} // namespace
