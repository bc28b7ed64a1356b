//===- IRText.h - parse IR text from untrusted files ----------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera {

class SourceFile;

enum class IRSyntax { MLIR, LLVM };

/// Returns the position at which a text is nested too deeply for MLIR's and LLVM's parsers, which
/// recurse without a bound: in brackets, or in repeated signs of affine expressions. Cost: linear.
std::optional<size_t> findTooDeep(llvm::StringRef text, IRSyntax syntax);
constexpr const char *kTooDeep = "this nests too deeply";

/// Parses the text of a file in all dialects of .ttir and .ttgir files, including those that Triton
/// writes. Returns null after an error, which goes to the context's handler. Requires: two MiB of
/// stack.
mlir::OwningOpRef<mlir::ModuleOp> parseIRText(const SourceFile &file, mlir::MLIRContext &context);

} // namespace tessera
