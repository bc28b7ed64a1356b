//===- Sanitize.cpp - calls of the sanitizer ------------------------------===//
// See Sanitize.h.
//===----------------------------------------------------------------------===//
#include "Sanitize.h"
#include "tessera/Support/AccessSite.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Returns the location in Python of the innermost function. `callers` gets the call sites,
/// innermost first.
static SourcePlace placeOf(Location location, SmallVectorImpl<SourcePlace> *callers = nullptr) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return {place.getFilename().str(), place.getLine(), place.getColumn(), ""};
  if (auto named = dyn_cast<NameLoc>(location)) {
    SourcePlace place = placeOf(named.getChildLoc(), callers);
    place.name = named.getName().str();
    return place;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    SourcePlace place = placeOf(call.getCallee(), callers);
    SmallVector<SourcePlace> outer;
    SourcePlace caller = placeOf(call.getCaller(), &outer);
    if (callers && caller.isKnown()) {
      callers->push_back(caller);
      llvm::append_range(*callers, outer);
    }
    return place;
  }
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (SourcePlace place = placeOf(part, callers); place.isKnown())
        return place;
  return {};
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Returns a constant of the module with the record; equal records share one.
static Value makeRecord(KernelContext &context, LaneBuilder &b, const std::string &record) {
  LLVM::GlobalOp global;
  Attribute value = b.builder.getStringAttr(record);
  unsigned count = 0;
  for (auto known : context.module().getOps<LLVM::GlobalOp>()) {
    if (known.getValueOrNull() == value)
      global = known;
    ++count;
  }
  if (!global) {
    std::string name; // the dot distinguishes it from kernels' names
    do
      name = "site." + std::to_string(count++);
    while (context.module().lookupSymbol(name));
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(context.module().getBody());
    auto type = LLVM::LLVMArrayType::get(b.builder.getI8Type(), record.size());
    global = LLVM::GlobalOp::create(b.builder, context.module().getLoc(), type, /*isConstant=*/true,
                                    LLVM::Linkage::Private, name, value,
                                    /*alignment=*/8);
  }
  return LLVM::AddressOfOp::create(b.builder, b.loc, global);
}

static Value makeSite(KernelContext &context, LaneBuilder &b, ttc::CheckAccessOp op) {
  AccessSite site;
  AccessText text;
  auto pointer = cast<tt::PointerType>(getElementTypeOrSelf(op.getPtr().getType()));
  site.elementBytes = elementBytes(pointer.getPointeeType());
  site.argument = op.getArgument();
  site.flags = op.getFlags();
  for (int64_t extent : shapeOf(op.getPtr())) {
    site.elements *= extent;
    site.rowLength = extent;
    text.shape.push_back(extent);
  }
  auto kernel = op->getParentOfType<tt::FuncOp>();
  text.kernel = kernel.getName().str();
  text.operation = op.getKind().str();
  llvm::raw_string_ostream(text.type) << pointer.getPointeeType();
  SmallVector<SourcePlace> callers;
  text.place = placeOf(op.getLoc(), &callers);
  text.callers.assign(callers.begin(), callers.end());
  if (Value mask = op.getMask()) {
    text.hasMask = true;
    text.mask = placeOf(mask.getLoc());
  }
  return makeRecord(context, b, packRecord(site, text));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Value linearProgram(KernelContext &context, LaneBuilder &b) {
  Type i64 = b.builder.getI64Type();
  auto wide = [&](Value value) { return b.resizeUnsigned(value, i64); };
  Value rows =
      b.add(b.mul(wide(context.program()[2]), wide(context.grid()[1])), wide(context.program()[1]));
  return b.add(b.mul(rows, wide(context.grid()[0])), wide(context.program()[0]));
}

/// Returns the address of a tile, or of a stack slot with the scalar.
static Value addressOf(KernelContext &context, LaneBuilder &b, const TileOrScalar &operand) {
  if (!operand)
    return LLVM::ZeroOp::create(b.builder, b.loc,
                                LLVM::LLVMPointerType::get(b.builder.getContext()));
  if (operand.tile)
    return operand.tile->address;
  Value value = operand.scalar;
  if (value.getType().isInteger(1)) // an i1 is a byte in memory
    value = b.resizeUnsigned(value, b.builder.getI8Type());
  Value slot = context.reserveSlot(value.getType());
  LLVM::StoreOp::create(b.builder, b.loc, value, slot);
  return slot;
}

void tessera::cpu::emitCheckAccess(KernelContext &context, ttc::CheckAccessOp op,
                                   const TileOrScalar &pointer, const TileOrScalar &mask,
                                   const std::optional<Tile> &safe) {
  LaneBuilder b(context.builder, op.getLoc());
  Type address = LLVM::LLVMPointerType::get(b.builder.getContext());
  Type i8 = b.builder.getI8Type(), i64 = b.builder.getI64Type();
  Value result = safe ? safe->address : context.reserveSlot(i8);
  LLVM::LLVMFuncOp check =
      context.declare(kCheckAccessName, i64, {address, address, address, address, address, i64});
  Value arguments[] = {context.scalar(op.getSanitizer()),
                       makeSite(context, b, op),
                       addressOf(context, b, pointer),
                       addressOf(context, b, mask),
                       result,
                       linearProgram(context, b)};
  context.setScalar(op.getSuspect(),
                    LLVM::CallOp::create(b.builder, b.loc, check, arguments).getResult());
  if (!safe) {
    Value byte = LLVM::LoadOp::create(b.builder, b.loc, i8, result);
    context.setScalar(op.getSafe(), b.compare(LLVM::ICmpPredicate::ne, byte, 0));
  }
}

void tessera::cpu::emitExplainWrap(KernelContext &context, ttc::ExplainWrapOp op) {
  LaneBuilder b(context.builder, op.getLoc());
  auto access = op.getSuspect().getDefiningOp<ttc::CheckAccessOp>();
  WrapSite site;
  site.operation = op.getKind();
  site.bits = op.getBits();
  site.isUnsigned = op.getIsUnsigned();
  Type address = LLVM::LLVMPointerType::get(b.builder.getContext());
  Type i64 = b.builder.getI64Type(), nothing = LLVM::LLVMVoidType::get(b.builder.getContext());
  LLVM::LLVMFuncOp explain =
      context.declare(kExplainWrapName, nothing, {address, address, i64, i64, address, i64, i64});
  Value arguments[] = {context.scalar(access.getSanitizer()),
                       makeSite(context, b, access),
                       linearProgram(context, b),
                       context.scalar(op.getSuspect()),
                       makeRecord(context, b, packRecord(site, placeOf(op.getLoc()))),
                       context.scalar(op.getLeft()),
                       context.scalar(op.getRight())};
  LLVM::CallOp::create(b.builder, b.loc, explain, arguments);
}
