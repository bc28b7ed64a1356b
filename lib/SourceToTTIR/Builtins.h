//===- Builtins.h - the functions of the language -------------------------===//
// One row per function: its path (`triton.language.load`), its parameters with
// their defaults, and what a call does. Files under Builtins/ hold the rows,
// grouped as the catalogue of docs/language.md is; adding a function is adding
// a row and a handler.
//===----------------------------------------------------------------------===//
#pragma once

#include "Emitter.h"
#include "Value.h"
#include "llvm/ADT/ArrayRef.h"

namespace tessera {

/// What a parameter is when a call leaves it out.
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
  /// As kernels write it: "tl.load", "len", "triton.cdiv".
  std::string spelling() const;
};

/// One argument as the call wrote it.
struct CallArgument {
  llvm::StringRef keyword; // empty for a positional one
  Value value;
  SourceRange range;
};

/// "no arguments", "2 arguments: start, end".
std::string countOfArguments(size_t count, llvm::StringRef signature);

/// Matches arguments to parameters; an error names the function and the argument.
llvm::FailureOr<llvm::SmallVector<Value>> bindArguments(Emitter &emit, const Builtin &builtin,
                                                        llvm::ArrayRef<CallArgument> arguments);

/// `name` in a module that the compiler knows: a function, a dtype, a module.
/// Nothing if there is no such attribute.
std::optional<Value> lookupModuleAttribute(llvm::StringRef module, llvm::StringRef name);
/// A method or attribute of every tensor.
const Builtin *lookupMethod(llvm::StringRef name);
/// The method of tensors that a misspelt name may mean; empty if none is near.
std::string closestMethod(llvm::StringRef name);
/// A method of a tensor descriptor: the row "triton.language.tensor_descriptor.<name>".
const Builtin *lookupDescriptorMethod(llvm::StringRef name);
/// An attribute or a method of a tensor descriptor (Builtins/Descriptors.cpp).
llvm::FailureOr<Value> descriptorAttribute(Emitter &emit, const DescriptorObject &descriptor,
                                           llvm::StringRef name);
/// `!tt.tensordesc<tensor<16x32xsi32>>`: the IR type of a descriptor of such blocks.
mlir::Type descriptorType(mlir::MLIRContext *context, const KernelType &block);
/// Python's own functions that mean something in a kernel: `len`, `float`, `min`.
std::optional<Value> lookupPythonBuiltin(llvm::StringRef name);
/// "triton.language" for "tessera.language": the language has two names, and the tables one.
std::string canonicalModulePath(llvm::StringRef path);
/// Whether the module's contents are known, so that a missing name is an error.
bool isLanguageModule(llvm::StringRef path);
/// The known name that `name` is probably a misspelling of; empty if none is close.
std::string closestModuleAttribute(llvm::StringRef module, llvm::StringRef name);

/// What tl.target_info.current_target() gives is a module of this path.
inline constexpr llvm::StringLiteral kTargetObject = "triton.backends.compiler.GPUTarget";
llvm::FailureOr<Value> targetAttribute(Emitter &emit, llvm::StringRef name);

// Types as compile-time objects (Builtins/TypeFunctions.cpp).
/// `tl.float32`, `tl.pi32_t`, `tl.TRITON_MAX_TENSOR_NUMEL`, `tl.PropagateNan`.
std::optional<Value> lookupLanguageConstant(llvm::StringRef name);
/// A method of types: the row "triton.language.dtype.<name>".
const Builtin *lookupTypeMethod(llvm::StringRef name);
/// An attribute of `tl.float32`, `ptr.dtype` or `x.type`; nothing if there is none.
std::optional<Value> lookupTypeAttribute(const KernelType &type, llvm::StringRef name);
/// What Python's str() gives: "int32", "pointer<fp32>", "<[16], fp32>".
std::string dtypeName(const KernelType &type);
/// isinstance(value, type); an error if `type` is no class.
llvm::FailureOr<bool> isInstance(Emitter &emit, const Value &value, const Value &type);

// The groups (Builtins/*.cpp).
llvm::ArrayRef<Builtin> programBuiltins();
llvm::ArrayRef<Builtin> creationBuiltins();
llvm::ArrayRef<Builtin> memoryBuiltins();
llvm::ArrayRef<Builtin> elementwiseBuiltins();
llvm::ArrayRef<Builtin> pythonBuiltins();
llvm::ArrayRef<Builtin> loopBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();
llvm::ArrayRef<Builtin> dotBuiltins();
llvm::ArrayRef<Builtin> reductionBuiltins();
llvm::ArrayRef<Builtin> atomicBuiltins();
llvm::ArrayRef<Builtin> blockPointerBuiltins();
llvm::ArrayRef<Builtin> descriptorBuiltins();
llvm::ArrayRef<Builtin> debuggingBuiltins();
llvm::ArrayRef<Builtin> inlineAssemblyBuiltins();
llvm::ArrayRef<Builtin> libdeviceBuiltins();
llvm::ArrayRef<Builtin> typeBuiltins();
llvm::ArrayRef<Builtin> typeMethodBuiltins(); // of dtypes: "triton.language.dtype.is_int"

} // namespace tessera
