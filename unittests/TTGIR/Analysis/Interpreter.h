//===- Interpreter.h - runs small TTIR functions on numbers ---------------===//
// Enough of tt, arith and scf to see the values that an analysis talks about. A lane
// that is poison (a division by zero, a shift too far) has no value.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tessera::test {

/// Elements in row-major order, read as signed; a scalar has the shape [1].
struct Tensor {
  llvm::SmallVector<int64_t> shape;
  std::vector<std::optional<int64_t>> elements;
};

class Interpreter {
public:
  /// `observe` sees each value each time it is computed.
  explicit Interpreter(std::function<void(mlir::Value, const Tensor &)> observe)
      : observe(std::move(observe)) {}

  /// Runs the body of a function. False if it holds an op that is not known here.
  bool run(mlir::Operation *function, llvm::ArrayRef<int64_t> arguments, int64_t programId);

  /// Returns whether a sum, product or left shift of non-negative numbers came out negative.
  bool sawSignedOverflow() const { return overflow; }
  /// Returns whether a non-negative number was divided by a negative one.
  bool sawNegativeDivisor() const { return negativeDivisor; }
  /// Returns whether any number came out other than on an endless line of integers.
  bool sawWrapping() const { return wrapped; }

private:
  void set(mlir::Value value, Tensor tensor);
  bool runBlock(mlir::Block &block);
  bool runOp(mlir::Operation &op);
  bool runLoop(mlir::Operation &op);
  bool runWhile(mlir::Operation &op);
  bool runIf(mlir::Operation &op);
  bool runBinary(mlir::Operation &op);
  bool runShape(mlir::Operation &op);
  bool runPointer(mlir::Operation &op);

  std::function<void(mlir::Value, const Tensor &)> observe;
  llvm::DenseMap<mlir::Value, Tensor> values;
  llvm::SmallVector<Tensor> yielded;
  int64_t programId = 0;
  bool overflow = false;
  bool wrapped = false;
  bool negativeDivisor = false;
};

} // namespace tessera::test
