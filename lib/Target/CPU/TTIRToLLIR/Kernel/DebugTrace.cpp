//===- DebugTrace.cpp - variables and breakpoints for debuggers ----------===//
// See DebugTrace.h.
//===----------------------------------------------------------------------===//
#include "DebugTrace.h"
#include "tessera/LLIR/DebugInfo.h"
#include "tessera/Target/CPU/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static LLVM::DITypeAttr basicType(MLIRContext *context, StringRef name, uint64_t bits,
                                  unsigned encoding) {
  return LLVM::DIBasicTypeAttr::get(context, llvm::dwarf::DW_TAG_base_type, name, bits, encoding);
}

/// Returns the debug type of a scalar of the kernel: a type of C if there is one.
static LLVM::DITypeAttr describeType(Type type) {
  MLIRContext *context = type.getContext();
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    return LLVM::DIDerivedTypeAttr::get(
        context, llvm::dwarf::DW_TAG_pointer_type, /*name=*/StringAttr(),
        describeType(pointer.getPointeeType()), /*sizeInBits=*/64, /*alignInBits=*/0,
        /*offsetInBits=*/0, /*dwarfAddressSpace=*/std::nullopt, /*extraData=*/{});
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return basicType(context, "bool", 8, llvm::dwarf::DW_ATE_boolean);
  if (type.isF64() || type.isF32())
    return basicType(context, bits == 64 ? "double" : "float", bits, llvm::dwarf::DW_ATE_float);
  if (type.isF16() || type.isBF16())
    return basicType(context, type.isF16() ? "_Float16" : "__bf16", 16, llvm::dwarf::DW_ATE_float);
  if (isa<FloatType>(type))
    return basicType(context, "fp8", bits, llvm::dwarf::DW_ATE_unsigned);
  return basicType(context, "int" + std::to_string(bits) + "_t", bits, llvm::dwarf::DW_ATE_signed);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LLVM::AllocaOp DebugTrace::createSlot(Location loc, Type type) {
  OpBuilder::InsertionGuard guard(context.builder);
  context.builder.setInsertionPoint(context.entryPlace());
  LaneBuilder b(context.builder, loc);
  return LLVM::AllocaOp::create(context.builder, loc,
                                LLVM::LLVMPointerType::get(context.builder.getContext()), type,
                                b.i64(1));
}

void DebugTrace::store(Location loc, Value value, Value slot) {
  LLVM::StoreOp::create(context.builder, loc, value, slot, /*alignment=*/0, /*isVolatile=*/true);
}

/// Stores `variable`, a scalar of the kernel that is assigned at `loc`.
void DebugTrace::assign(StringAttr name, Value variable, Location loc) {
  Value value = context.scalar(variable);
  if (!value || isTensor(variable))
    return;
  LLVM::AllocaOp &slot = slots[name];
  if (!slot) {
    slot = createSlot(loc, value.getType());
    describeVariable(slot, name, describeType(variable.getType()));
  }
  if (slot.getElemType() == value.getType()) // a Python variable may change its type
    store(loc, value, slot);
}

void DebugTrace::showArray(Location loc, StringRef name, ArrayRef<Value> values) {
  OpBuilder &builder = context.builder;
  MLIRContext *mlir = builder.getContext();
  Type element = values.front().getType();
  LLVM::AllocaOp &slot = slots[name];
  if (slot) // the kernel has a parameter of that name
    return;
  slot = createSlot(loc, LLVM::LLVMArrayType::get(element, values.size()));
  auto range = LLVM::DISubrangeAttr::get(
      mlir, builder.getI64IntegerAttr(static_cast<int64_t>(values.size())), {}, {}, {});
  describeVariable(slot, name,
                   LLVM::DICompositeTypeAttr::get(
                       mlir, llvm::dwarf::DW_TAG_array_type, /*name=*/{}, /*file=*/{}, /*line=*/0,
                       /*scope=*/{}, describeType(element), LLVM::DIFlags::Zero, 32 * values.size(),
                       /*alignInBits=*/0, {}, {}, {}, {}, {range}));
  LaneBuilder b(builder, loc);
  for (auto [i, value] : llvm::enumerate(values))
    store(loc, value, b.offset(slot, static_cast<int64_t>(i) * 4));
}

//===----------------------------------------------------------------------===//
// The walk through the kernel
//===----------------------------------------------------------------------===//

void DebugTrace::enterProgram(tt::FuncOp kernel) {
  for (BlockArgument argument : kernel.getArguments()) {
    auto named = dyn_cast<NameLoc>(argument.getLoc());
    Value value = context.scalar(argument);
    if (!named || !value || slots.contains(named.getName()))
      continue;
    LLVM::AllocaOp slot = createSlot(named, value.getType());
    slots[named.getName()] = slot;
    describeVariable(slot, named.getName(), describeType(argument.getType()),
                     argument.getArgNumber() + 1);
    OpBuilder::InsertionGuard guard(context.builder);
    context.builder.setInsertionPoint(context.entryPlace());
    store(kernel.getLoc(), value, slot);
  }
  showArray(kernel.getLoc(), "program_id", context.program());
  showArray(kernel.getLoc(), "num_programs", context.grid());
}

/// Returns whether ops of the block run once per program or iteration, and not per element.
static bool isControlFlow(Block *block) {
  return isa<tt::FuncOp, scf::ForOp, scf::IfOp, scf::WhileOp>(block->getParentOp());
}

void DebugTrace::enterBlock(Block &block) {
  if (!isControlFlow(&block) || isa<tt::FuncOp>(block.getParentOp()))
    return;
  for (BlockArgument argument : block.getArguments())
    if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
      assign(named.getName(), argument, argument.getLoc());
}

/// Adds the lines of `location` without names and columns: the kernel's line first, then those of
/// the called functions.
static LocationAttr addLines(Location location, SmallVectorImpl<LocationAttr> &lines) {
  LocationAttr line;
  if (auto named = dyn_cast<NameLoc>(location))
    return addLines(named.getChildLoc(), lines);
  if (auto fused = dyn_cast<FusedLoc>(location))
    return fused.getLocations().empty() ? line : addLines(fused.getLocations().front(), lines);
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    LocationAttr caller = addLines(call.getCaller(), lines);
    SmallVector<LocationAttr> callee;
    line = addLines(call.getCallee(), callee);
    if (line && caller)
      line = CallSiteLoc::get(Location(line), Location(caller));
  } else if (auto place = dyn_cast<FileLineColLoc>(location)) {
    line = FileLineColLoc::get(place.getFilename(), place.getLine(), 0);
  }
  if (line)
    lines.push_back(line);
  return line;
}

void DebugTrace::before(Operation &op) {
  // Constants are at the start of the function, far from the lines that use them.
  if (!isControlFlow(op.getBlock()) || op.hasTrait<OpTrait::ConstantLike>() ||
      op.hasTrait<OpTrait::IsTerminator>())
    return;
  SmallVector<LocationAttr> now;
  addLines(op.getLoc(), now);
  if (block != op.getBlock())
    lines.clear();
  auto [entered, left] = std::mismatch(now.begin(), now.end(), lines.begin(), lines.end());
  for (LocationAttr line : llvm::make_range(entered, now.end()))
    LLVM::InlineAsmOp::create(context.builder, line, /*resultTypes=*/TypeRange(),
                              /*operands=*/ValueRange(), "nop", /*constraints=*/"",
                              /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                              /*operand_attrs=*/ArrayAttr());
  lines = std::move(now);
  block = op.getBlock();
}

void DebugTrace::after(Operation &op) {
  if (isControlFlow(op.getBlock()) && op.getNumResults() == 1)
    if (StringAttr name = findAssignedVariable(op))
      assign(name, op.getResult(0), op.getLoc());
}
