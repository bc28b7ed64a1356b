//===- PipelinedLoop.h - runs loops with asynchronous copies --------------===//
// Executes a function of tt, ttg, arith and scf on numbers: a tensor is one number (all
// its elements are alike), memory at an address holds a number that depends on the
// address alone. Copies land when they are waited for, and not a moment earlier; a tile
// that is being copied or was not filled must not be read.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace tessera::test {

class LoopInterpreter {
public:
  /// Runs a function's body. Empty, or what went wrong.
  std::string run(mlir::Operation *function, llvm::ArrayRef<int64_t> arguments);

  /// The addresses and values of stores, in order.
  std::vector<std::pair<int64_t, int64_t>> stored;
  /// Addresses that loads and copies read.
  std::multimap<int64_t, int64_t> loaded;
  /// Copies into a tile that was read since the last wait: each would need a barrier more.
  unsigned extraBarriers = 0;
  unsigned waits = 0;

private:
  struct Tile {
    int64_t value = 0;
    bool isFilled = false, isRead = false;
    unsigned underWay = 0;
  };
  struct Copy {
    int64_t tile;
    int64_t value;
  };
  void runBlock(mlir::Block &block);
  void runOp(mlir::Operation &op);
  void runArith(mlir::Operation &op);
  void runAsync(mlir::Operation &op);
  int64_t load(int64_t address, bool isMasked, int64_t other);
  int64_t get(mlir::Value value) { return values.lookup(value); }
  void fail(const std::string &text) { error = error.empty() ? text : error; }

  llvm::DenseMap<mlir::Value, int64_t> values;
  std::map<int64_t, Tile> tiles;
  std::vector<Copy> started;            // since the last commit
  std::deque<std::vector<Copy>> groups; // oldest first
  std::vector<int64_t> yielded;
  int64_t nextBuffer = 1;
  std::string error;
};

} // namespace tessera::test
