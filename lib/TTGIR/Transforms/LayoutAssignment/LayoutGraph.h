//===- LayoutGraph.h - the graph of layout decisions ---------------------===//
// The layout decisions of a program. A *node* is an op that works in any layout, or a value that a
// loop or branch carries; it has one label. An *edge* is a tensor between the node (or the op with
// a fixed layout) that produces it and one that uses it: if their layouts differ, the tensor must
// be converted or recomputed.
//
//   %v = tt.load ... #a         fixed: #a
//   %x = arith.addf %v, %v      a node
//   tt.store %p, %x ... #b      fixed: #b      edges: load - addf, addf - store
//
// Existing conversions are ignored: the assignment decides anew where conversions are.
//===----------------------------------------------------------------------===//
#pragma once

#include "LayoutCosts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace tessera {

struct LayoutNode {
  /// The op, or the loop or branch that carries a value.
  mlir::Operation *op = nullptr;
  /// True if the node is one value that `op` carries; otherwise it is `op` as a whole.
  bool isCarried = false;
  /// The tensor to whose layout the label refers.
  mlir::RankedTensorType type;
  /// The values whose types it determines.
  llvm::SmallVector<mlir::Value, 2> values;
  /// The edges of the node.
  llvm::SmallVector<unsigned, 4> edges;
  mlir::Attribute label;
};

struct LayoutEdge {
  mlir::Value value;
  /// The node that produces the value; none if its encoding is fixed to `made`.
  int producer = -1;
  mlir::Attribute made;
  /// The use, and its node or the encoding that it requires.
  mlir::OpOperand *use = nullptr;
  int consumer = -1;
  mlir::Attribute wanted;
  /// How often a conversion here runs, and an upper bound for the cost of recomputing the value.
  Cost weight = 1;
  Cost recompute = kImpossible;
};

class LayoutGraph {
public:
  explicit LayoutGraph(mlir::ModuleOp module);

  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;

  /// Returns the encoding that a node's label implies for the value, or for the use, of an edge;
  /// null if there is none.
  mlir::Attribute encodingMade(const LayoutEdge &edge, mlir::Attribute label);
  mlir::Attribute encodingWanted(const LayoutEdge &edge, mlir::Attribute label);
  /// The inverse: returns the producer's (consumer's) label that gives the edge this encoding.
  mlir::Attribute producerLabel(const LayoutEdge &edge, mlir::Attribute encoding);
  mlir::Attribute consumerLabel(const LayoutEdge &edge, mlir::Attribute encoding);
  /// Returns whether a node can have the label, i.e. whether all its tensors then have layouts.
  bool canHave(const LayoutNode &node, mlir::Attribute label);

  /// Returns the value before any conversion.
  static mlir::Value lookThrough(mlir::Value value);

private:
  void addNodes(mlir::Operation *op);
  int addNode(mlir::Operation *op, bool isCarried, mlir::RankedTensorType type,
              mlir::ValueRange values);
  void addEdges(mlir::Operation *op);
  void addEdge(mlir::OpOperand &use, int consumer);
  void shareConversions();
  void addLoopEdges(mlir::scf::ForOp loop);
  void addWhileEdges(mlir::scf::WhileOp loop);
  void addBranchEdges(mlir::scf::IfOp branch);
  Cost recomputeCost(mlir::Value value);
  /// resultEncoding and operandEncoding, cached.
  mlir::Attribute resultIn(mlir::Operation *op, unsigned index, mlir::Attribute label);
  mlir::Attribute operandIn(mlir::Operation *op, unsigned index, mlir::Attribute label);
  mlir::Attribute remember(mlir::Operation *op, unsigned question, mlir::Attribute label,
                           llvm::function_ref<mlir::Attribute()> compute);

  llvm::DenseMap<mlir::Value, int> nodeOf;
  llvm::DenseMap<mlir::Operation *, int> nodeOfOp;
  llvm::DenseMap<mlir::Value, Cost> recomputeCosts;
  llvm::DenseMap<std::pair<mlir::Operation *, std::pair<unsigned, mlir::Attribute>>,
                 mlir::Attribute>
      answers;
};

} // namespace tessera
