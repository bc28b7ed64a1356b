//===- Builtin.h - one function of the language ---------------------------===//
// A row of the tables in Builtins/: its path (`triton.language.load`), its parameters
// with their defaults, and what a call does.
//===----------------------------------------------------------------------===//
#pragma once

#include "Value.h"
#include "tessera/Source/SourceFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"

namespace tessera {

/// The default value of a parameter.
enum class Default {
  Required,
  None,
  False,
  True,
  Zero,
  One,
  EmptyString,
  EmptyTuple,
  Float32,      // tl.float32
  PropagateNan, // tl.PropagateNan.NONE
  Variadic,     // takes the remaining positional arguments, as a tuple
};

struct Parameter {
  llvm::StringLiteral name;
  Default value = Default::Required;
};

/// Arguments in the order of the parameters, defaults filled in.
using BoundArguments = llvm::ArrayRef<Value>;
using BuiltinHandler = llvm::FailureOr<Value> (*)(Emitter &, BoundArguments);

struct Builtin {
  llvm::StringLiteral path;
  llvm::ArrayRef<Parameter> parameters;
  BuiltinHandler handler;
  /// Also written x.name(...), with x as the first argument.
  bool isMethod = false;
  /// Emits no IR, so it may also stand at a module's top level.
  bool isCompileTime = false;
  /// A call whose result is dropped is a mistake (`tl.advance`).
  bool mustUseResult = false;

  /// "load": the last part of the path.
  llvm::StringRef name() const { return llvm::StringRef(path).rsplit('.').second; }
  /// The name that kernels use: "tl.load", "len", "triton.cdiv".
  std::string spelling() const;
};

/// One argument as the call wrote it.
struct CallArgument {
  llvm::StringRef keyword; // empty for a positional one
  Value value;
  SourceRange range;
};

} // namespace tessera
