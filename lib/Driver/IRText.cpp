//===- IRText.cpp - reading .ttir and .ttgir files ------------------------===//
// MLIR's parser recurses as deeply as its input nests, without a bound: what nests deeper than
// anybody's kernel is refused before, or a file of brackets ends the process.
//===----------------------------------------------------------------------===//
#include "IRText.h"
#include "tessera/Source/SourceFile.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"

using namespace tessera;

/// Brackets in brackets; a kernel has a few dozens. They take less than a MiB.
static constexpr unsigned kDeepest = 1000;

static mlir::DialectRegistry readableDialects() {
  mlir::DialectRegistry registry;
  registry
      .insert<tt::TTDialect, ttg::TTGDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
              mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::ub::UBDialect,
              mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  return registry;
}

/// Behind the string or the comment that starts at `at`; `at` itself if none does.
static size_t skipQuoted(llvm::StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
  return std::min(at + 1, text.size());
}

/// Where the text nests too deeply: in brackets, or in signs of signs (affine expressions).
static std::optional<size_t> findTooDeep(llvm::StringRef text) {
  unsigned depth = 0, signs = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (size_t behind = skipQuoted(text, at); behind != at) {
      at = behind - 1;
      continue;
    }
    char c = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (llvm::StringRef("([{<").contains(c))
      ++depth;
    bool isArrow = c == '>' && (next == '=' || (at > 0 && text[at - 1] == '-'));
    if (depth > 0 && llvm::StringRef(")]}>").contains(c) && !isArrow)
      --depth;
    signs = c == '-' ? signs + 1 : llvm::isSpace(c) ? signs : 0;
    if (depth > kDeepest || signs > kDeepest)
      return at;
  }
  return std::nullopt;
}

mlir::OwningOpRef<mlir::ModuleOp> tessera::parseIRText(const SourceFile &file,
                                                       mlir::MLIRContext &context) {
  if (std::optional<size_t> place = findTooDeep(file.text())) {
    llvm::StringRef before = llvm::StringRef(file.text()).take_front(*place);
    auto location = mlir::FileLineColLoc::get(&context, file.path(), before.count('\n') + 1,
                                              before.size() - (before.rfind('\n') + 1) + 1);
    mlir::emitError(location) << "this nests too deeply";
    return nullptr;
  }
  context.appendDialectRegistry(readableDialects());
  mlir::ParserConfig config(&context);
  return mlir::parseSourceString<mlir::ModuleOp>(file.text(), config, file.path());
}
