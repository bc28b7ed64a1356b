//===- Builtins.h - the functions of the language -------------------------===//
// Files in this folder hold the rows, grouped as the catalogue of docs/language.md
// is; adding a function is adding a row and a handler. Functions of Python that run
// at compile time only have their rows in Host/.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "../Emitter.h"
#include "../Values/Builtin.h"

namespace tessera {

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

/// What to write instead of a method or a function of torch, NumPy or CUDA; empty if the name is
/// not known from there.
llvm::StringRef adviceForMethod(llvm::StringRef name);
llvm::StringRef adviceForLanguageName(llvm::StringRef name);
/// A method of a tensor descriptor: the row "triton.language.tensor_descriptor.<name>".
const Builtin *lookupDescriptorMethod(llvm::StringRef name);
/// An attribute or a method of a tensor descriptor (Builtins/Descriptors.cpp).
llvm::FailureOr<Value> descriptorAttribute(Emitter &emit, const DescriptorObject &descriptor,
                                           llvm::StringRef name);
/// `!tt.tensordesc<tensor<16x32xsi32>>`: the IR type of a descriptor of such blocks.
mlir::Type descriptorType(mlir::MLIRContext *context, const KernelType &block);
/// An attribute of any value: `tl.float32`, `x.dtype`, `x.to` (Attributes.cpp).
llvm::FailureOr<Value> readAttribute(Emitter &emit, const Value &value, llvm::StringRef name);
/// A method of a compile-time value: "x".upper, [].append, (5).bit_length.
std::optional<Value> lookupHostMethod(const Value &value, llvm::StringRef name);
/// Python's own functions that mean something in a kernel: `len`, `float`, `min`.
std::optional<Value> lookupPythonBuiltin(llvm::StringRef name);
/// Python's functions beyond those that kernels have: `sorted`, `sum`, `dict`.
std::optional<Value> lookupHostBuiltin(llvm::StringRef name);
/// "triton.language" for "tessera.language": the language has two names, and the tables one.
std::string canonicalModulePath(llvm::StringRef path);
/// Returns true if all names of the module are known, so that any other name is an error.
bool isLanguageModule(llvm::StringRef path);
/// The known name that `name` is probably a misspelling of; empty if none is close.
std::string closestModuleAttribute(llvm::StringRef module, llvm::StringRef name);

/// tl.target_info.current_target() returns a ModuleObject with this path.
inline constexpr llvm::StringLiteral kTargetObject = "triton.backends.compiler.GPUTarget";
llvm::FailureOr<Value> targetAttribute(Emitter &emit, llvm::StringRef name);

// Types as compile-time objects (Builtins/TypeFunctions.cpp).
/// `tl.float32`, `tl.pi32_t`, `tl.TRITON_MAX_TENSOR_NUMEL`, `tl.PropagateNan`.
std::optional<Value> lookupLanguageConstant(llvm::StringRef name);
/// A method of types: the row "triton.language.dtype.<name>".
const Builtin *lookupTypeMethod(llvm::StringRef name);
/// An attribute of `tl.float32`, `ptr.dtype` or `x.type`; nothing if there is none.
std::optional<Value> lookupTypeAttribute(const KernelType &type, llvm::StringRef name);
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
// Python's own, for code that runs at compile time (Host/*.cpp).
llvm::ArrayRef<Builtin> hostFunctions();         // "host.sorted"
llvm::ArrayRef<Builtin> hostMethods();           // "str.upper"
llvm::ArrayRef<Builtin> mathFunctions();         // "math.gcd", beyond what kernels use most
llvm::ArrayRef<Builtin> pythonModuleFunctions(); // "os.getenv"

} // namespace tessera
