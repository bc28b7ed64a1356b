//===- Value.h - what an expression of a kernel evaluates to --------------===//
// Kernel code is interpreted symbolically: compile-time values (numbers,
// strings, dtypes, functions, modules) are computed on the spot, run-time ones
// (scalars and blocks) are IR values with a KernelType.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonInt.h"
#include "tessera/SourceToTTIR/Types.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

class Emitter;
struct Builtin;
struct JitFunction;
class Value;

/// A run-time scalar or block.
struct Tensor {
  mlir::Value handle;
  KernelType type;
};

struct NoneObject {};
struct EllipsisObject {};

/// A module that the compiler knows ("triton.language"), or one of the host's ("torch").
struct ModuleObject {
  std::string path;
};

/// A function or class of the language: `tl.load`, Python's `len`.
struct BuiltinObject {
  const Builtin *builtin;
};

/// A function decorated with @triton.jit.
struct JitObject {
  const JitFunction *function;
};

/// Something only Python could evaluate. Naming it is allowed, using it is an error.
struct HostObject {
  std::string name;
  std::string why; // "assigned at line 12 from an expression that only Python can evaluate"
};

/// `tl.float32`, and the types of `ptr.dtype`.
struct TypeObject {
  KernelType type;
};

/// A method read off a tensor: `x.to`, called with x as the first argument.
struct MethodObject {
  Tensor self;
  const Builtin *builtin;
};

struct TupleObject {
  std::shared_ptr<const std::vector<Value>> elements;
};

/// `a:b:c` in a subscript: compile-time ints or nothing. Only the bare `:` has a
/// meaning on tensors.
struct SliceObject {
  std::optional<PythonInt> start = std::nullopt, stop = std::nullopt, step = std::nullopt;
  bool isBare() const { return !start && !stop && !step; }
};

class Value {
public:
  using Data = std::variant<NoneObject, EllipsisObject, bool, PythonInt, double, std::string,
                            TypeObject, ModuleObject, BuiltinObject, JitObject, HostObject,
                            MethodObject, TupleObject, SliceObject, Tensor>;

  Value() = default;
  template <typename T> Value(T value) : data(std::move(value)) {}

  template <typename T> const T *get() const { return std::get_if<T>(&data); }
  template <typename T> bool is() const { return std::holds_alternative<T>(data); }
  const Data &get() const { return data; }

  bool isTensor() const { return is<Tensor>(); }
  bool isNone() const { return is<NoneObject>(); }
  /// A Python number: what weak typing applies to.
  bool isNumber() const { return is<bool>() || is<PythonInt>() || is<double>(); }

  /// A compile-time integer; a bool counts as one, as in Python.
  std::optional<PythonInt> asInt() const;
  /// A compile-time number as a double.
  std::optional<double> asDouble() const;
  /// For messages: "the int 5", "a tensor fp32[64]", "the module torch".
  std::string describe() const;

private:
  Data data = NoneObject{};
};

inline Value makeTuple(std::vector<Value> elements) {
  return Value(TupleObject{std::make_shared<const std::vector<Value>>(std::move(elements))});
}

} // namespace tessera
