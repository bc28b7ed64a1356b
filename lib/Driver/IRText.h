//===- IRText.h - reading IR text that anybody may have written -----------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tessera {

class SourceFile;

enum class IRSyntax { MLIR, LLVM };

/// Where a text nests too deeply for the parsers of MLIR and LLVM, which recurse without a bound:
/// in brackets, or in signs of signs (affine expressions). Linear in its length.
std::optional<size_t> findTooDeep(llvm::StringRef text, IRSyntax syntax);
constexpr const char *kTooDeep = "this nests too deeply";

/// The module that the text of a file says, in all dialects of .ttir and .ttgir files, the
/// reference's included. Null where there is none; why goes to the context's handler.
/// Requires: two MiB of stack.
mlir::OwningOpRef<mlir::ModuleOp> parseIRText(const SourceFile &file, mlir::MLIRContext &context);

} // namespace tessera
