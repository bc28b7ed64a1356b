//===- TraceLayouts.cpp - the layouts of a program's tensors --------------===//
#include "PassRecorder.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "llvm/ADT/MapVector.h"

using namespace tessera;

/// A kernel has a few dozens; a program that was made to have thousands need not be drawn.
static constexpr size_t kMaxLayouts = 256;

template <typename T> static std::string printed(T value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return text;
}

static std::vector<TensorLayout::Input> basesOf(const LinearLayout &layout) {
  std::vector<TensorLayout::Input> inputs;
  for (const DimBits &in : layout.ins()) {
    TensorLayout::Input &input = inputs.emplace_back();
    input.name = in.dim.name();
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      std::vector<int64_t> &basis = input.bases.emplace_back();
      // The dimensions in their order, whatever the layout's is.
      for (unsigned axis = 0; axis < layout.outs().size(); ++axis)
        basis.push_back(layout.basis(in.dim, bit, Dim::axis(axis)));
    }
  }
  return inputs;
}

static std::optional<TensorLayout> describe(mlir::Type type) {
  TensorLayout layout;
  LinearLayout map;
  mlir::Type element;
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    if (!tensor.getEncoding())
      return std::nullopt;
    map = ttg::toLinearLayout(tensor);
    layout.encoding = printed(tensor.getEncoding());
    layout.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    element = tensor.getElementType();
  } else if (auto buffer = llvm::dyn_cast<ttg::MemDescType>(type)) {
    map = ttg::toLinearLayout(buffer);
    layout.encoding = printed(buffer.getEncoding());
    llvm::ArrayRef<int64_t> shape = buffer.getLayoutShape();
    layout.shape.assign(shape.begin(), shape.end());
    layout.isShared = true;
    element = buffer.getElementType();
  }
  if (map.ins().empty() || map.outs().empty())
    return std::nullopt;
  layout.type = printed(type);
  layout.elementBits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  layout.inputs = basesOf(map);
  return layout;
}

void PassRecorder::noteLayouts(mlir::ModuleOp module, llvm::StringRef level) {
  llvm::MapVector<mlir::Type, unsigned> uses;
  module.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      ++uses[type];
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Type type : block.getArgumentTypes())
          ++uses[type];
  });
  std::vector<TensorLayout> layouts;
  for (auto [type, count] : uses) {
    std::optional<TensorLayout> layout =
        layouts.size() < kMaxLayouts ? describe(type) : std::nullopt;
    if (!layout)
      continue;
    layout->level = level.str();
    layout->uses = count;
    layouts.push_back(std::move(*layout));
  }
  if (!layouts.empty())
    trace.layouts = std::move(layouts);
}
