//===- TensorMapRecipe.h - tensor maps that a launcher builds -------------===//
// A kernel may take tensor maps (descriptors that the hardware reads) as hidden arguments. The
// launcher builds each of them from a recipe in the kernel's record: the base, the extents and the
// strides of a tensor as expressions over the launch's arguments, and the box that a copy moves
// (docs/abi.md, "Tensor maps").
//
//   base a_ptr, extents [K, M], strides [stride_am * 2], box [64, 128], swizzle 128, type f16
//
// Dimensions are counted from the innermost, as the driver's API does. An expression is evaluated
// in 64-bit integers; where it overflows, or a value is one that the hardware cannot take, the
// launch needs the variant of the kernel without tensor maps.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/JsonTree.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm::json {
class Value;
} // namespace llvm::json

namespace tessera {

struct KernelRecord;

/// An integer expression over the passed arguments of a launch, in postfix order.
struct LaunchExpression {
  enum class Kind : uint32_t {
    Argument, // the value of the passed argument with this number
    Number,
    Add,
    Subtract,
    Multiply,
    Divide, // rounds towards zero, as C's
    FloorDivide,
    CeilDivide,
    Remainder, // of Divide
    Min,
    Max,
    Narrow,   // of one operand: fails unless it is a signed 32-bit number
    Unsigned, // of one operand: its low 32 bits as an unsigned number
  };
  static constexpr Kind kLastKind = Kind::Unsigned;
  struct Term {
    Kind kind = Kind::Number;
    int64_t value = 0; // of Argument and Number
    bool operator==(const Term &) const = default;
  };
  std::vector<Term> terms = {};

  static LaunchExpression argument(unsigned number) { return {{{Kind::Argument, number}}}; }
  static LaunchExpression number(int64_t value) { return {{{Kind::Number, value}}}; }
  /// Folds constants where the result is known.
  static LaunchExpression combine(Kind kind, LaunchExpression a, const LaunchExpression &b);
  static LaunchExpression convert(Kind kind, LaunchExpression a);

  std::optional<int64_t> constant() const;
  /// Returns whether the terms form one expression over `argumentCount` arguments.
  bool isWellFormed(size_t argumentCount) const;
  /// Nothing if a step overflows, divides by zero, or does not fit.
  std::optional<int64_t> evaluate(llvm::ArrayRef<int64_t> arguments) const;

  bool operator==(const LaunchExpression &) const = default;
};

/// "*" for Multiply; empty for Argument and Number.
llvm::StringRef spellingOf(LaunchExpression::Kind kind);
/// The operation that is spelled so.
std::optional<LaunchExpression::Kind> parseOperation(llvm::StringRef spelling);
/// 0 for Argument and Number.
unsigned operandCount(LaunchExpression::Kind kind);

struct TensorMapRecipe {
  static constexpr unsigned kMaxRank = 5;

  uint32_t base = 0;            // the number of a passed argument, a pointer
  LaunchExpression offset = {}; // in bytes, added to the base
  std::string type = {};        // of an element: u8 u16 u32 s32 u64 s64 f16 bf16 f32 f64
  std::vector<LaunchExpression> extents = {}; // in elements, innermost first
  std::vector<LaunchExpression> strides = {}; // in bytes, without the innermost
  std::vector<uint32_t> box = {};             // in elements, innermost first
  uint32_t swizzle = 0;                       // in bytes: 0, 32, 64 or 128
  bool fillsWithNaN = false;                  // what loads outside of the tensor give; else zero
  uint32_t l2Bytes = 128; // what a miss brings into the L2 cache: 0, 64, 128 or 256

  unsigned rank() const { return unsigned(extents.size()); }
  /// What is wrong with the recipe for a kernel of this many passed arguments; empty if nothing is.
  std::string whyInvalid(size_t argumentCount) const;
  bool operator==(const TensorMapRecipe &) const = default;
};

/// The size of an element of this type; 0 if there is no such type.
unsigned tensorMapElementBytes(llvm::StringRef type);

/// The values of a recipe for one launch.
struct TensorMapValues {
  uint64_t base = 0;
  std::array<uint64_t, TensorMapRecipe::kMaxRank> extents = {};
  std::array<uint64_t, TensorMapRecipe::kMaxRank - 1> strides = {};
};

/// The recipes of a kernel, prepared for its launches: reads the arguments that recipes mention,
/// each once, and evaluates. A launcher that keeps what it read knows whether maps have changed.
class TensorMapEvaluator {
public:
  TensorMapEvaluator() = default;
  /// Fails for recipes that do not fit the record's arguments.
  static llvm::Expected<TensorMapEvaluator> create(const KernelRecord &record);

  size_t size() const { return recipes.size(); }
  const TensorMapRecipe &recipe(size_t map) const { return recipes[map]; }
  /// An argument that recipes read; they name it by its position in the list.
  struct Input {
    uint32_t argument = 0; // its number among the passed ones
    uint8_t bytes = 8;
    bool isSigned = true;
    int64_t read(const void *from) const;
  };
  llvm::ArrayRef<Input> listInputs() const { return inputs; }
  size_t inputCount() const { return inputs.size(); }
  /// Reads the inputs of a launch; `args[i]` points to the value of the i-th passed argument.
  void read(llvm::ArrayRef<void *> args, llvm::MutableArrayRef<int64_t> values) const {
    for (size_t i = 0; i < inputs.size(); ++i)
      values[i] = inputs[i].read(args[inputs[i].argument]);
  }
  /// Evaluates a recipe. Returns why the hardware cannot take the values; empty if it can.
  std::string evaluate(size_t map, llvm::ArrayRef<int64_t> values, TensorMapValues &result) const;

private:
  std::vector<TensorMapRecipe> recipes; // with numbers of inputs instead of arguments
  std::vector<Input> inputs;
};

/// A recipe as an object of the record, with the arguments' names; and back.
llvm::json::Value toJSON(const TensorMapRecipe &recipe, const KernelRecord &record);
llvm::Expected<TensorMapRecipe> parseTensorMapRecipe(const JsonValue &value,
                                                     const KernelRecord &record);

} // namespace tessera
