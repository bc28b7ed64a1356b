//===- TargetInfo.cpp - null's answers: grid, lanes, kernels --------------===//
// See TargetInfo.h; memory is in Memory.cpp.
//===----------------------------------------------------------------------===//
#include "null/TargetInfo.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::null;

/// "f32", "i64", "v4f32", "ptr".
static std::string nameOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return "v" + std::to_string(vector.getNumElements()) + nameOf(vector.getElementType());
  if (isa<LLVM::LLVMPointerType>(type))
    return "ptr";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Value null::emitCall(OpBuilder &b, Location loc, StringRef name, Type result, ValueRange operands,
                     Type about) {
  auto module = b.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
  std::string symbol = (name + (about ? "." + nameOf(about) : "")).str();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  Type type = result ? result : LLVM::LLVMVoidType::get(b.getContext());
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        b, module.getLoc(), symbol,
        LLVM::LLVMFunctionType::get(type, SmallVector<Type>(operands.getTypes())));
  }
  auto call = LLVM::CallOp::create(b, loc, function, operands);
  return result ? call.getResult() : Value();
}

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
}

//===----------------------------------------------------------------------===//
// Where this thread is
//===----------------------------------------------------------------------===//

/// A special register is a word of memory, which is read where somebody uses it.
static Value readRegister(OpBuilder &b, Location loc, const Twine &name) {
  auto module = b.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
  std::string symbol = ("null." + name).str();
  if (!module.lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, module.getLoc(), b.getI32Type(), /*isConstant=*/true,
                           LLVM::Linkage::External, symbol, Attribute());
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value place = LLVM::AddressOfOp::create(b, loc, pointer, symbol);
  return LLVM::LoadOp::create(b, loc, b.getI32Type(), place);
}

Value NullTargetInfo::programId(OpBuilder &b, Location loc, int axis) const {
  return readRegister(b, loc, "program_id." + Twine(axis));
}

Value NullTargetInfo::numPrograms(OpBuilder &b, Location loc, int axis) const {
  return readRegister(b, loc, "num_programs." + Twine(axis));
}

Value NullTargetInfo::threadId(OpBuilder &b, Location loc, unsigned) const {
  return readRegister(b, loc, "thread_id");
}

void NullTargetInfo::markKernel(LLVM::LLVMFuncOp kernel, unsigned numThreads, unsigned,
                                unsigned maxRegisters) const {
  Builder b(kernel.getContext());
  SmallVector<Attribute> words = {b.getStrArrayAttr({"null-threads", std::to_string(numThreads)})};
  if (maxRegisters != 0)
    words.push_back(b.getStrArrayAttr({"null-registers", std::to_string(maxRegisters)}));
  kernel.setPassthroughAttr(b.getArrayAttr(words));
  kernel.setNoUnwind(true);
}

//===----------------------------------------------------------------------===//
// Between lanes
//===----------------------------------------------------------------------===//

void NullTargetInfo::barrier(OpBuilder &b, Location loc) const {
  emitCall(b, loc, "null.barrier", {}, {});
}

void NullTargetInfo::warpBarrier(OpBuilder &b, Location loc) const {
  emitCall(b, loc, "null.warp_barrier", {}, {});
}

Value NullTargetInfo::shuffleXor(OpBuilder &b, Location loc, Value value, unsigned mask) const {
  Type type = value.getType();
  return emitCall(b, loc, "null.shuffle_xor", type, {value, constant(b, loc, mask)}, type);
}

Value NullTargetInfo::shuffleFrom(OpBuilder &b, Location loc, Value value, Value lane) const {
  Type type = value.getType();
  return emitCall(b, loc, "null.shuffle_from", type, {value, lane}, type);
}

//===----------------------------------------------------------------------===//
// Arithmetic, assembly, prints
//===----------------------------------------------------------------------===//

/// Functions of one or two floats are calls by their name: `null.exp.f32`.
Value NullTargetInfo::element(OpBuilder &b, Operation *op, ValueRange operands) const {
  Type type = operands[0].getType();
  bool isMath = op->getDialect() && op->getDialect()->getNamespace() == "math";
  if (!isMath || !isa<FloatType>(type))
    return {};
  StringRef name = op->getName().stripDialect();
  return emitCall(b, op->getLoc(), ("null." + name).str(), type, operands, type);
}

Type NullTargetInfo::asmRegisterType(OpBuilder &b, char constraint) const {
  switch (constraint) {
  case 'r':
    return b.getI32Type();
  case 'l':
    return b.getI64Type();
  case 'f':
    return b.getF32Type();
  default:
    return {};
  }
}

/// The address of a constant that holds `text` and a zero; equal texts share one.
static Value emitText(OpBuilder &b, Location loc, StringRef text) {
  auto module = b.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
  std::string value = text.str() + '\0', name;
  unsigned count = 0;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto known = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
    if (known && known.getValue() == value)
      name = global.getSymName().str();
    ++count;
  }
  if (name.empty()) {
    name = "null.text." + std::to_string(count);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(
        b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), value.size()),
        /*isConstant=*/true, LLVM::Linkage::Private, name, b.getStringAttr(value));
  }
  return LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
}

void NullTargetInfo::print(OpBuilder &b, Location loc, StringRef format,
                           ValueRange arguments) const {
  emitCall(b, loc, "null.print", {}, {emitText(b, loc, format)});
  for (Value argument : arguments)
    emitCall(b, loc, "null.print", {}, {argument}, argument.getType());
}

void NullTargetInfo::failAssertion(OpBuilder &b, Location loc, StringRef message, StringRef file,
                                   unsigned line, StringRef) const {
  emitCall(b, loc, "null.fail_assertion", {},
           {emitText(b, loc, message), emitText(b, loc, file), constant(b, loc, line)});
}
