//===- IRText.cpp - reading IR text that anybody may have written ---------===//
// What nests deeper than anybody's kernel is refused before it is parsed, or a file of brackets
// would end the process.
//===----------------------------------------------------------------------===//
#include "IRText.h"
#include "tessera/Source/SourceFile.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"

using namespace tessera;

/// Brackets in brackets; a kernel has a few dozens. Four times as many fit into 6 MiB of stack.
static constexpr unsigned kDeepest = 1000;

static mlir::DialectRegistry readableDialects() {
  mlir::DialectRegistry registry;
  registry.insert<tt::TTDialect, ttg::TTGDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect,
                  mlir::ub::UBDialect, mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect>();
  registerTargetDialects(registry);
  return registry;
}

/// Behind the string or the comment that starts at `at`; `at` itself if none does.
static size_t skipQuoted(llvm::StringRef text, size_t at, IRSyntax syntax) {
  bool isMLIR = syntax == IRSyntax::MLIR; // with \" in strings; LLVM's have \22 and go over lines
  if (text.substr(at).starts_with(isMLIR ? "//" : ";"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (++at; at < text.size() && text[at] != '"' && !(isMLIR && text[at] == '\n'); ++at)
    if (isMLIR && text[at] == '\\')
      ++at;
  return std::min(at + 1, text.size());
}

std::optional<size_t> tessera::findTooDeep(llvm::StringRef text, IRSyntax syntax) {
  unsigned depth = 0, signs = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (size_t behind = skipQuoted(text, at, syntax); behind != at) {
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
  if (std::optional<size_t> place = findTooDeep(file.text(), IRSyntax::MLIR)) {
    SourceLoc found = file.locate(*place);
    mlir::emitError(mlir::FileLineColLoc::get(&context, file.path(), found.line, found.column + 1))
        << kTooDeep;
    return nullptr;
  }
  context.appendDialectRegistry(readableDialects());
  mlir::ParserConfig config(&context);
  return mlir::parseSourceString<mlir::ModuleOp>(file.text(), config, file.path());
}
