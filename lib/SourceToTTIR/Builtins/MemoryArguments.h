//===- MemoryArguments.h - arguments that memory functions share ----------===//
// Loads, stores, atomics, block pointers and descriptors take the same kinds of
// arguments: a pointer, a mask, words that choose among options, and lists of
// sizes or offsets. Each function reports its own error and then fails.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "../Operators/Semantics.h"

namespace tessera {

/// One word of an option, and what it means.
template <typename T> struct Choice {
  llvm::StringLiteral word;
  T meaning;
};

/// "sem is one of \"relaxed\", \"acquire\", not the string 'weak'".
LogicalResult refuseChoice(Emitter &emit, llvm::StringRef parameter, const Value &value,
                           llvm::ArrayRef<llvm::StringRef> words);

/// Returns the choice that `value` names, or `fallback` for None and the empty string.
template <typename T, size_t N>
FailureOr<T> choose(Emitter &emit, llvm::StringRef parameter, const Value &value,
                    const Choice<T> (&choices)[N], T fallback) {
  const std::string *text = value.get<std::string>();
  if (value.isNone() || (text && text->empty()))
    return fallback;
  llvm::SmallVector<llvm::StringRef> words;
  for (const Choice<T> &choice : choices) {
    if (text && *text == choice.word)
      return choice.meaning;
    words.push_back(choice.word);
  }
  return refuseChoice(emit, parameter, value, words);
}

/// `padding_option`: "zero", "nan", or nothing. Only floats have a NaN.
FailureOr<std::optional<tt::PaddingOption>> paddingOption(Emitter &emit, const Value &value,
                                                          DType element);

/// A pointer, a block of pointers or a block pointer; an error says what else it was.
FailureOr<Tensor> pointerArgument(Emitter &emit, llvm::StringRef function, const Value &value);

/// A mask as a bool tensor; a null handle for None.
FailureOr<Tensor> maskArgument(Emitter &emit, const Value &value);

/// A bool in memory is a byte: *u1 becomes *i8, any other pointer stays.
FailureOr<Tensor> bytePointer(Emitter &emit, Tensor pointer);

/// One size, stride or offset as a scalar of type i32 or i64; run-time integers are
/// extended by their own sign. A wider one is cut only where `mayNarrow` says so.
FailureOr<Tensor> indexArgument(Emitter &emit, llvm::StringRef parameter, const Value &value,
                                DType type, bool mayNarrow = false);

/// "axis 0", "axes 0 to 2": the axes of a block, for messages.
std::string axesOf(size_t rank);

/// The values of a tuple; any other value counts as a list of one.
llvm::ArrayRef<Value> listElements(const Value &value);

/// A list of them, as IR values.
FailureOr<llvm::SmallVector<mlir::Value>> indexList(Emitter &emit, llvm::StringRef parameter,
                                                    const Value &list, DType type);

} // namespace tessera
