//===- Value.h - what an expression of a kernel evaluates to --------------===//
// Kernel code is interpreted symbolically: compile-time values (numbers,
// strings, dtypes, functions, modules) are computed on the spot, run-time ones
// (scalars and blocks) are IR values with a KernelType.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonInt.h"
#include "tessera/TTIR/IR/KernelTypes.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

class Emitter;
struct Builtin;
struct Diagnostic;
struct ClassDefinition;
struct JitFunction;
struct PythonFunction;
class Environment;
class LiveObject;
class Value;

/// A run-time scalar or block.
struct Tensor {
  mlir::Value handle;
  KernelType type;
};

struct NoneObject {};
struct EllipsisObject {};

/// A module that the compiler knows ("triton.language"), one read from a file beside
/// the kernel's (`scope` is set), or one of the host's ("torch"; `live` is set if the
/// host says what is in it).
struct ModuleObject {
  std::string path;
  Environment *scope = nullptr;
  LiveObject *live = nullptr;
};

/// A function or class of the language: `tl.load`, Python's `len`.
struct BuiltinObject {
  const Builtin *builtin;
};

/// A function decorated with @triton.jit or @triton.constexpr_function.
struct JitObject {
  const JitFunction *function;
};

/// Something only Python could evaluate. Naming it is allowed, using it is an error.
struct HostObject {
  std::string name;
  std::string why; // "assigned at line 12 from an expression that only Python can evaluate"
  /// The errors of another file if they are the reason: the module does not parse.
  std::shared_ptr<const std::vector<Diagnostic>> causes = nullptr;
  /// Its attributes, if the host says what they are.
  LiveObject *live = nullptr;
  /// A name that identifies the object, if it is known: "m.Mode.FAST".
  std::string identity = {};
};

/// `tl.float32`, and the types of `ptr.dtype`.
struct TypeObject {
  KernelType type;
};

/// The type of a compile-time value, which is the value: `C.type`, `tl.constexpr_type(3)`.
struct ConstexprTypeObject {
  std::shared_ptr<const Value> value;
};

/// A method read off a value: `x.to`, `desc.load`, `x.sum`, called with the value as
/// the first argument.
struct MethodObject {
  std::shared_ptr<const Value> self;
  const Builtin *builtin = nullptr;      // either this
  const JitFunction *function = nullptr; // or that
};

/// A tuple or a list; with the class's field names if it is a named tuple.
struct TupleObject {
  std::shared_ptr<const std::vector<Value>> elements;
  const ClassDefinition *type = nullptr;
};

/// An instance of a class made by @tl.core._aggregate: one value per field.
struct AggregateObject {
  const ClassDefinition *type;
  std::shared_ptr<const std::vector<Value>> fields;
};

/// A class of the kernel's module that kernel code may construct.
struct ClassObject {
  const ClassDefinition *type;
};

/// A compile-time dict: keys and values in the order written. Compile-time code changes it in
/// place.
struct DictObject {
  std::shared_ptr<std::vector<std::pair<Value, Value>>> items;
};

/// A Python list, which compile-time code changes in place. Kernels see a tuple instead.
struct ListObject {
  std::shared_ptr<std::vector<Value>> elements;
};

/// A Python set: distinct values, in the order they came.
struct SetObject {
  std::shared_ptr<std::vector<Value>> elements;
};

/// A plain Python function or a lambda, for compile-time code to call.
struct FunctionObject {
  std::shared_ptr<const PythonFunction> function;
};

/// A member of an enumeration of the language: `tl.PropagateNan.ALL`.
struct EnumObject {
  llvm::StringLiteral type, member;
};

/// A tensor descriptor. In the IR it is the descriptor with its shape (i32) and
/// strides (i64), which travel with it through calls and control flow.
struct DescriptorObject {
  mlir::Value handle;
  KernelType block;                                         // the element and the block's shape
  std::shared_ptr<const std::vector<Value>> shape, strides; // tensors
};

/// The result of a statement that failed. Using it fails without a second message.
struct ErrorObject {};

/// A loop index after its loop: it has a type and no value (`ub.poison` when read).
struct UndefinedObject {
  KernelType type;
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
                            MethodObject, TupleObject, SliceObject, AggregateObject, ClassObject,
                            DictObject, EnumObject, DescriptorObject, ErrorObject, UndefinedObject,
                            ListObject, SetObject, FunctionObject, ConstexprTypeObject, Tensor>;

  Value() = default;
  template <typename T> Value(T value) : data(std::move(value)) {
    if constexpr (kIsContainer<T>)
      measure();
  }

  template <typename T> const T *get() const { return std::get_if<T>(&data); }
  template <typename T> bool is() const { return std::holds_alternative<T>(data); }
  const Data &get() const { return data; }

  bool isTensor() const { return is<Tensor>(); }
  bool isNone() const { return is<NoneObject>(); }
  /// A Python number: what weak typing applies to.
  bool isNumber() const { return is<bool>() || is<PythonInt>() || is<double>(); }
  /// A value that tl.constexpr wraps: a number, a string, None, a dtype.
  bool isPlainConstant() const {
    return isNumber() || isNone() || is<std::string>() || is<TypeObject>();
  }

  /// A compile-time integer; a bool counts as one, as in Python.
  std::optional<PythonInt> asInt() const;
  /// A compile-time number as a double.
  std::optional<double> asDouble() const;
  /// Made by tl.constexpr(...) at a module's top level, or computed from such a value:
  /// what kernels may read of the globals.
  bool isConstexpr() const { return constexprFlag; }
  Value asConstexpr(bool flag = true) const {
    Value copy = *this;
    copy.constexprFlag = flag;
    return copy;
  }

  /// How deep containers nest in this one, and how many values they hold in the end; a
  /// list or dict that changed later counts as it was. Containers share their parts, so
  /// a short program makes huge ones: whoever evaluates checks, and walks may recurse.
  unsigned nesting() const { return depth; }
  size_t leafCount() const { return leaves; }
  static constexpr unsigned kMaxNesting = 100;

  /// For messages: "the int 5", "a tensor fp32[64]", "the module torch".
  std::string describe() const;

private:
  template <typename T>
  static constexpr bool kIsContainer =
      std::is_same_v<T, TupleObject> || std::is_same_v<T, AggregateObject> ||
      std::is_same_v<T, ListObject> || std::is_same_v<T, SetObject> ||
      std::is_same_v<T, DictObject> || std::is_same_v<T, FunctionObject>;
  void measure();

  Data data = NoneObject{};
  bool constexprFlag = false;
  uint16_t depth = 0;
  uint32_t leaves = 1;
};

inline Value makeTuple(std::vector<Value> elements, const ClassDefinition *type = nullptr) {
  return Value(TupleObject{std::make_shared<const std::vector<Value>>(std::move(elements)), type});
}
inline Value makeList(std::vector<Value> elements) {
  return Value(ListObject{std::make_shared<std::vector<Value>>(std::move(elements))});
}
inline Value makeConstexprType(Value value) {
  return Value(ConstexprTypeObject{std::make_shared<const Value>(std::move(value))});
}
inline Value makeMethod(Value self, const Builtin *builtin, const JitFunction *function = nullptr) {
  return Value(MethodObject{std::make_shared<const Value>(std::move(self)), builtin, function});
}

// A value's run-time parts (ValueParts.cpp): what crosses a call, a branch or a loop.

/// Appends the IR values that `value` is made of: one for a tensor, several for a
/// tuple, none for a compile-time value.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &handles);
/// The same structure over other IR values; takes them off the front.
Value rebuild(const Value &model, llvm::ArrayRef<mlir::Value> &handles);
/// Returns true if the values have the same structure, equal types of run-time parts and equal
/// compile-time parts, so that one can replace the other in a branch or a loop.
bool haveSameType(const Value &lhs, const Value &rhs);
/// Python's str() and repr() of a compile-time value.
std::string pythonStr(const Value &value);
std::string pythonRepr(const Value &value);
/// Python's str() of a type: "int32", "pointer<fp32>", "<[16], fp32>".
std::string dtypeName(const KernelType &type);
/// Distinguishes values as far as a specialisation does: a tensor by its type, a
/// compile-time value by its kind and value.
std::string specializationKey(const Value &value);
/// The name of the type in messages: "fp32[64]", "(i32, 4)", "Point<i32, 'x'>".
std::string typeText(const Value &value);

} // namespace tessera
