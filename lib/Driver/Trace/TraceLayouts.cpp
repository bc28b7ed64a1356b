//===- TraceLayouts.cpp - the layouts of a program's tensors --------------===//
#include "PassRecorder.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/SharedAccessPlan.h"
#include "mlir/IR/AsmState.h"
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

namespace {
/// The types of a module's values, in the order of the program, with the values' names.
class TypeNames {
public:
  explicit TypeNames(mlir::ModuleOp module)
      : state(module, mlir::OpPrintingFlags().printNameLocAsPrefix()) {
    module.walk([&](mlir::Operation *op) {
      for (mlir::Value value : op->getResults())
        add(value);
      for (mlir::Region &region : op->getRegions())
        for (mlir::Block &block : region)
          for (mlir::Value value : block.getArguments())
            add(value);
    });
  }
  llvm::MapVector<mlir::Type, std::vector<std::string>> names;

private:
  void add(mlir::Value value) {
    bool hasLayout = llvm::isa<mlir::RankedTensorType, ttg::MemDescType>(value.getType());
    if (!hasLayout)
      return;
    std::string name;
    llvm::raw_string_ostream stream(name);
    value.printAsOperand(stream, state);
    names[value.getType()].push_back(std::move(name));
  }

  mlir::AsmState state;
};

/// A tensor in registers, and the buffer that it is read from or written to.
struct Transfer {
  mlir::RankedTensorType tensor;
  ttg::MemDescType buffer;
  SharedInstructions available;
};
} // namespace

/// Returns what an op moves; nothing if it does not access a buffer.
static std::optional<Transfer> transferOf(mlir::Operation *op) {
  SharedInstructions vectors{.banks = ttg::getMachine(op).banks}, matrices = vectors;
  matrices.matrix = ttg::getMachine(op).matrixLoads;
  auto tensorOf = [](mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  };
  if (auto load = llvm::dyn_cast<ttg::LocalLoadOp>(op))
    return Transfer{tensorOf(load), load.getSrc().getType(), matrices};
  if (auto store = llvm::dyn_cast<ttg::LocalStoreOp>(op))
    return Transfer{tensorOf(store.getSrc()), store.getDst().getType(), vectors};
  if (auto alloc = llvm::dyn_cast<ttg::LocalAllocOp>(op); alloc && alloc.getSrc())
    return Transfer{tensorOf(alloc.getSrc()), alloc.getType(), vectors};
  if (auto copy = llvm::dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op)) {
    ttg::MemDescType buffer = copy.getResult().getType();
    unsigned bits = buffer.getElementTypeBitWidth();
    vectors.maxVectorBits = std::min<unsigned>(128, copy.getContiguity() * bits);
    return Transfer{tensorOf(copy.getSrc()), buffer, vectors};
  }
  return std::nullopt;
}

/// The bytes that the lanes of a warp move; copies in several registers or lanes count once.
static uint64_t bytesOfWarp(const LinearLayout &offsets, unsigned elementBits) {
  llvm::SmallVector<Dim> warp = {Dim::reg(), Dim::lane()};
  unsigned bits = offsets.sublayout(warp, offsets.outDims()).matrix().rank();
  return (uint64_t(1) << bits) * elementBits / 8;
}

static std::optional<BufferAccess> describeAccess(mlir::Operation *op) {
  std::optional<Transfer> transfer = transferOf(op);
  if (!transfer)
    return std::nullopt;
  mlir::Type element = transfer->buffer.getElementType();
  LinearLayout buffer = ttg::toLinearLayout(transfer->buffer);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  if (bits < 8 || buffer.outs().size() != size_t(transfer->tensor.getRank()))
    return std::nullopt;
  std::optional<LinearLayout> offsets =
      offsetsInBuffer(ttg::toLinearLayout(transfer->tensor), buffer);
  if (!offsets)
    return std::nullopt;
  BufferAccess access;
  access.op = op->getName().getStringRef();
  SharedAccessCost cost = costOfSharedAccess(*offsets, bits, transfer->available);
  uint64_t line = transfer->available.banks.lineBytes();
  access.wavefronts = cost.wavefronts;
  access.leastWavefronts = llvm::divideCeil(bytesOfWarp(*offsets, bits), line);
  access.bits = planSharedAccess(*offsets, bits, transfer->available).width * bits;
  return access;
}

void PassRecorder::noteLayouts(mlir::ModuleOp module, llvm::StringRef level) {
  TypeNames types(module);
  std::vector<TensorLayout> layouts;
  llvm::DenseMap<mlir::Type, size_t> numbers;
  for (auto &[type, names] : types.names) {
    std::optional<TensorLayout> layout =
        layouts.size() < kMaxLayouts ? describe(type) : std::nullopt;
    if (!layout)
      continue;
    layout->level = level.str();
    layout->values = std::move(names);
    numbers[type] = layouts.size();
    layouts.push_back(std::move(*layout));
  }
  if (layouts.empty())
    return;
  trace.layouts = std::move(layouts);
  trace.accesses.clear();
  module.walk([&](mlir::Operation *op) {
    std::optional<BufferAccess> access = describeAccess(op);
    std::optional<Transfer> transfer = access ? transferOf(op) : std::nullopt;
    if (!transfer || !numbers.contains(transfer->tensor) || !numbers.contains(transfer->buffer))
      return;
    access->tensor = numbers[transfer->tensor];
    access->buffer = numbers[transfer->buffer];
    access->place = place(op->getLoc());
    trace.accesses.push_back(std::move(*access));
  });
}
