//===- PrintAssert.cpp - the driver's printf and assertion ----------------===//
// The CUDA driver provides two functions to device code (CUDA C++ Programming
// Guide, "Formatted Output" and "Assertion"; NVIDIA's "PTX Interoperability",
// system calls):
//
//   vprintf(format, arguments)       arguments lie in memory as C would pass them
//   __assertfail(message, file, line, function, bytes per character)
//
// Texts are constants in global memory; both functions take generic pointers.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/TargetInfo.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

static constexpr unsigned kGlobalMemory = 1;

static ModuleOp moduleOf(OpBuilder &b) {
  return b.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
}

/// The generic address of a constant that holds `text` and a zero; equal texts share one.
static Value emitText(OpBuilder &b, Location loc, StringRef text) {
  ModuleOp module = moduleOf(b);
  std::string value = text.str() + '\0';
  LLVM::GlobalOp found;
  unsigned count = 0;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto known = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
    if (known && known.getValue() == value)
      found = global;
    ++count;
  }
  if (!found) {
    std::string name; // the dot keeps it apart from kernels
    do
      name = "text." + std::to_string(count++);
    while (module.lookupSymbol(name));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), value.size());
    found = LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                                   LLVM::Linkage::Private, name, b.getStringAttr(value),
                                   /*alignment=*/1, kGlobalMemory);
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kGlobalMemory);
  Value address = LLVM::AddressOfOp::create(b, loc, pointer, found.getSymName());
  return LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

static LLVM::LLVMFuncOp declare(OpBuilder &b, StringRef name, Type result, ArrayRef<Type> inputs) {
  ModuleOp module = moduleOf(b);
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), name,
                                  LLVM::LLVMFunctionType::get(result, inputs));
}

/// Memory of this thread. In the entry block, so that a loop does not take more and more.
static Value emitBuffer(OpBuilder &b, Location loc, Type type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&b.getInsertionBlock()->getParent()->front());
  Value one = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 1);
  return LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, one,
                                /*alignment=*/8);
}

void NvidiaTargetInfo::print(OpBuilder &b, Location loc, StringRef format,
                             ValueRange arguments) const {
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  Value buffer = LLVM::ZeroOp::create(b, loc, generic);
  if (!arguments.empty()) {
    auto type =
        LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(arguments.getTypes()));
    buffer = emitBuffer(b, loc, type);
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      Value place = LLVM::GEPOp::create(b, loc, generic, type, buffer,
                                        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, loc, argument, place);
    }
  }
  auto function = declare(b, "vprintf", b.getI32Type(), {generic, generic});
  LLVM::CallOp::create(b, loc, function, ValueRange{emitText(b, loc, format), buffer});
}

void NvidiaTargetInfo::failAssertion(OpBuilder &b, Location loc, StringRef message, StringRef file,
                                     unsigned line, StringRef function) const {
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  auto callee = declare(b, "__assertfail", LLVM::LLVMVoidType::get(b.getContext()),
                        {generic, generic, b.getI32Type(), generic, b.getI64Type()});
  Value lineNumber = LLVM::ConstantOp::create(b, loc, b.getI32Type(), line);
  Value characterBytes = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  LLVM::CallOp::create(b, loc, callee,
                       ValueRange{emitText(b, loc, message), emitText(b, loc, file), lineNumber,
                                  emitText(b, loc, function), characterBytes});
}

Type NvidiaTargetInfo::asmRegisterType(OpBuilder &b, char constraint) const {
  switch (constraint) {
  case 'b':
    return b.getI1Type();
  case 'h':
    return b.getI16Type();
  case 'r':
    return b.getI32Type();
  case 'l':
    return b.getI64Type();
  case 'f':
    return b.getF32Type();
  case 'd':
    return b.getF64Type();
  default:
    return {};
  }
}
