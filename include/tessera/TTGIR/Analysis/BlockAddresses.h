//===- BlockAddresses.h - addresses of a tile as polynomials --------------===//
// Expresses the elements of a tensor of integers or pointers as one polynomial in the indices of
// the element and in values that are equal for the whole tile:
//
//   %m = tt.splat (%pid * 128) + tt.make_range {0, 128}
//   %p = %a + %m[:, None] * %stride + %k[None, :]       a + 128 pid stride + i0 stride + i1
//
// Pointers count elements. A value that a loop increases by the same amount in each iteration is
// its initial value plus the iteration's number times that amount, and so is the loop's index.
// Additions and multiplications are assumed not to overflow, as AxisInfo does. All that is not a
// sum or product becomes a symbol if it is a scalar, and has no polynomial if it is a tensor.
// Indices that are changed beyond a bound, as by `(start + i) % bound`, `min(start + i, bound - 1)`
// and `where(start + i < bound, start + i, 0)`, are a symbol of their own, with start and bound.
//
// Cost: linear in the ops that compute the value, for each order in which dimensions reach them.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Polynomial.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <vector>

namespace tessera {

/// What a symbol of the polynomials stands for.
struct AddressSymbol {
  enum Kind {
    Uniform,   ///< a scalar
    Index,     ///< the index along a dimension of the tile
    Bounded,   ///< start + index along a dimension where that is less than bound, else anything
    Iteration, ///< the number of a loop's iteration, from 0
  };
  Kind kind;
  mlir::Value value;                 // of Uniform
  unsigned dim = 0;                  // of Index and Bounded
  mlir::scf::ForOp loop;             // of Iteration
  Polynomial start = {}, bound = {}; // of Bounded
};

class BlockAddresses {
public:
  using Symbol = Polynomial::Symbol;

  using Dims = llvm::ArrayRef<unsigned>;

  /// Returns the polynomial of a scalar or tensor.
  std::optional<Polynomial> expand(mlir::Value value);
  /// The same for a tensor whose dimensions are these of the tile.
  std::optional<Polynomial> expand(mlir::Value value, Dims dims);

  /// Returns the only dimension whose index is multiplied by 1 in the addresses of a tensor of
  /// pointers.
  std::optional<unsigned> unitDimension(mlir::Value pointer);

  const AddressSymbol &operator[](Symbol symbol) const { return symbols[symbol]; }
  size_t numSymbols() const { return symbols.size(); }
  /// Returns the symbol of the index along a dimension.
  Symbol indexAlong(unsigned dim);
  /// Returns whether the polynomial is the same for all elements of a tile.
  bool isUniform(const Polynomial &polynomial) const;

private:
  std::optional<Polynomial> visit(mlir::Value value, Dims dims);
  std::optional<Polynomial> expandTensor(mlir::Operation *op, Dims dims);
  std::optional<Polynomial> expandSum(mlir::Operation *op, Dims dims);
  std::optional<Polynomial> expandBounded(mlir::Operation *op, Dims dims);
  std::optional<Polynomial> expandArgument(mlir::BlockArgument argument, Dims dims);
  std::optional<Polynomial> expandCarried(mlir::BlockArgument argument, mlir::scf::ForOp loop,
                                          Dims dims);
  std::optional<Polynomial> unknown(mlir::Value value);
  bool isFixedIn(const Polynomial &polynomial, mlir::scf::ForOp loop) const;
  Symbol uniform(mlir::Value value);
  Symbol iteration(mlir::scf::ForOp loop);
  Symbol bounded(unsigned dim, const Polynomial &start, const Polynomial &bound);

  std::vector<AddressSymbol> symbols;
  llvm::DenseMap<mlir::Value, Symbol> uniforms;
  llvm::DenseMap<mlir::Operation *, Symbol> iterations;
  llvm::DenseMap<unsigned, Symbol> indices;
  /// Carried values whose step is being computed.
  llvm::DenseSet<mlir::Value> pending;
  /// Ops visited: an expression with many shared parts is given up.
  unsigned visits = 0;
};

} // namespace tessera
