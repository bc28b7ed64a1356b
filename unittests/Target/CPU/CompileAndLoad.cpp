//===- CompileAndLoad.cpp - TTIR text to a function that can be called ----===//
// See CompileAndLoad.h.
//===----------------------------------------------------------------------===//
#include "CompileAndLoad.h"
#include "tessera/TTIR/IR/KernelArguments.h"
#include "tessera/TTIR/IR/TTDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

static llvm::Error load(std::unique_ptr<llvm::orc::LLJIT> &jit, StringRef object, StringRef name,
                        KernelFunction &function) {
  auto made = llvm::orc::LLJITBuilder().create();
  if (!made)
    return made.takeError();
  jit = std::move(*made);
  char prefix = jit->getDataLayout().getGlobalPrefix();
  for (const char *library : {"libm.so.6", "libmvec.so.1", "libc.so.6"}) {
    auto symbols = llvm::orc::DynamicLibrarySearchGenerator::Load(library, prefix);
    if (!symbols)
      return symbols.takeError();
    jit->getMainJITDylib().addGenerator(std::move(*symbols));
  }
  if (llvm::Error error = jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object)))
    return error;
  auto symbol = jit->lookup(name);
  if (!symbol)
    return symbol.takeError();
  function = symbol->toPtr<KernelFunction>();
  return llvm::Error::success();
}

Kernel Kernel::compile(StringRef ttir, const CompileOptions &options) {
  Kernel kernel;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tt::TTDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    kernel.messages += diagnostic.str() + "\n";
    return success();
  });
  StageState state{context, options};
  state.module = parseSourceString<ModuleOp>(ttir, &context);
  if (!state.module)
    return kernel;
  for (tt::FuncOp function : tt::findKernels(*state.module))
    state.record.kernelName = function.getName().str();
  for (const Stage &stage : createCPUTarget()->stages()) {
    if (stage.onDemand)
      continue;
    if (failed(stage.run(state)))
      return kernel;
    if (stage.extension == "llir") {
      kernel.instructionCount = state.llvmModule->getInstructionCount();
      llvm::raw_string_ostream(kernel.ir) << *state.llvmModule;
    }
  }
  kernel.objectFile = state.binary;
  if (llvm::Error error = load(kernel.jit, state.binary, state.record.kernelName, kernel.function))
    kernel.messages = llvm::toString(std::move(error));
  return kernel;
}

std::vector<std::string> Kernel::needs() const {
  std::vector<std::string> names;
  auto object =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(objectFile, "kernel"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return {"unreadable"};
  }
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      names.push_back(name->str());
  }
  return names;
}

std::string tessera::cpu::fill(std::string text,
                               std::vector<std::pair<std::string, std::string>> values) {
  for (const auto &[name, value] : values)
    for (size_t at; (at = text.find("$" + name)) != std::string::npos;)
      text.replace(at, name.size() + 1, value);
  return text;
}

std::string tessera::cpu::elementwiseKernel(const std::string &in, const std::string &out,
                                            int block, const std::string &body) {
  std::string n = std::to_string(block);
  return fill(R"(
    tt.func public @k(%xp: !tt.ptr<$IN>, %yp: !tt.ptr<$IN>, %op: !tt.ptr<$OUT>, %n: i32) {
      %pid = tt.get_program_id x : i32
      %size = arith.constant $B : i32
      %start = arith.muli %pid, %size : i32
      %range = tt.make_range {end = $B : i32, start = 0 : i32} : tensor<$Bxi32>
      %s = tt.splat %start : i32 -> tensor<$Bxi32>
      %offs = arith.addi %s, %range : tensor<$Bxi32>
      %ns = tt.splat %n : i32 -> tensor<$Bxi32>
      %mask = arith.cmpi slt, %offs, %ns : tensor<$Bxi32>
      %xs = tt.splat %xp : !tt.ptr<$IN> -> tensor<$Bx!tt.ptr<$IN>>
      %xa = tt.addptr %xs, %offs : tensor<$Bx!tt.ptr<$IN>>, tensor<$Bxi32>
      %x = tt.load %xa, %mask : tensor<$Bx!tt.ptr<$IN>>
      %ys = tt.splat %yp : !tt.ptr<$IN> -> tensor<$Bx!tt.ptr<$IN>>
      %ya = tt.addptr %ys, %offs : tensor<$Bx!tt.ptr<$IN>>, tensor<$Bxi32>
      %y = tt.load %ya, %mask : tensor<$Bx!tt.ptr<$IN>>
      $BODY
      %os = tt.splat %op : !tt.ptr<$OUT> -> tensor<$Bx!tt.ptr<$OUT>>
      %oa = tt.addptr %os, %offs : tensor<$Bx!tt.ptr<$OUT>>, tensor<$Bxi32>
      tt.store %oa, %r, %mask : tensor<$Bx!tt.ptr<$OUT>>
      tt.return
    })",
              {{"BODY", body},
               {"IN", in},
               {"OUT", out},
               {"T", "tensor<" + n + "x" + in + ">"},
               {"O", "tensor<" + n + "x" + out + ">"},
               {"B", n}});
}
