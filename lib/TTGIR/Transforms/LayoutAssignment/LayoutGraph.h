//===- LayoutGraph.h - which layouts meet where ---------------------------===//
// What there is to decide about a program's layouts. A *node* is an op that works
// in any layout, or a value that a loop or branch carries; it has one label. An
// *edge* is a tensor on its way from the node (or the op with a layout of its own)
// that makes it to one that uses it: if the two disagree it must be moved, or
// computed again.
//
//   %v = tt.load ... #a         fixed: #a
//   %x = arith.addf %v, %v      a node
//   tt.store %p, %x ... #b      fixed: #b      edges: load - addf, addf - store
//
// Conversions that the program already has are looked through: they are what the
// choice decides about.
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
  /// Whether it is one value that `op` carries; else it is `op` as a whole.
  bool isCarried = false;
  /// What the label lays out.
  mlir::RankedTensorType type;
  /// The values whose types it decides.
  llvm::SmallVector<mlir::Value, 2> values;
  /// Edges in which it takes part.
  llvm::SmallVector<unsigned, 4> edges;
  mlir::Attribute label;
};

struct LayoutEdge {
  mlir::Value value;
  /// The node that makes the value; none if its encoding is `made`.
  int producer = -1;
  mlir::Attribute made;
  /// The use, its node, or the encoding it wants.
  mlir::OpOperand *use = nullptr;
  int consumer = -1;
  mlir::Attribute wanted;
  /// How often a conversion here runs, and what computing the value again costs at most.
  Cost weight = 1;
  Cost recompute = kImpossible;
};

class LayoutGraph {
public:
  explicit LayoutGraph(mlir::ModuleOp module);

  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;

  /// What a label of its node implies for the value, or for the use, of an edge; null if
  /// that cannot be.
  mlir::Attribute encodingMade(const LayoutEdge &edge, mlir::Attribute label);
  mlir::Attribute encodingWanted(const LayoutEdge &edge, mlir::Attribute label);
  /// And back: the label of the producer (the consumer) that gives the edge this encoding.
  mlir::Attribute producerLabel(const LayoutEdge &edge, mlir::Attribute encoding);
  mlir::Attribute consumerLabel(const LayoutEdge &edge, mlir::Attribute encoding);
  /// Whether a node can have the label: all its tensors have layouts then.
  bool canHave(const LayoutNode &node, mlir::Attribute label);

  /// The value before any conversion.
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
  /// resultEncoding and operandEncoding, remembered.
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
