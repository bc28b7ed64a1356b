//===- KernelArguments.cpp - the arguments of a kernel that is given as IR -===//
// Types and names come from the function's signature. A descriptor is listed as the parts that
// tt-rewrite-tensor-descriptor-to-pointer splits it into, or as what the hardware reads.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/KernelArguments.h"
#include "tessera/TTIR/IR/DescriptorParts.h"
#include "tessera/TTIR/IR/KernelTypes.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace tessera;
using namespace tessera::tt;

llvm::SmallVector<FuncOp> tt::findKernels(mlir::ModuleOp module) {
  return llvm::to_vector(llvm::make_filter_range(
      module.getOps<FuncOp>(), [](FuncOp function) { return function.isKernel(); }));
}

/// Writes "*fp32" for !tt.ptr<f32>. IR integers have no sign and are written as signed.
static std::string signatureText(mlir::Type type) {
  if (auto pointer = llvm::dyn_cast<PointerType>(type))
    return "*" + signatureText(pointer.getPointeeType());
  for (DType::Kind kind : DType::all())
    if (DType(kind) != DType::FP8E4B15 && toIR(DType(kind), type.getContext()) == type)
      return DType(kind).name().str();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Returns the name in the source if the IR has it; all parts of one parameter share it.
static std::string nameOf(mlir::BlockArgument value) {
  auto named = llvm::dyn_cast<mlir::NameLoc>(value.getLoc());
  return named ? named.getName().str() : "arg" + std::to_string(value.getArgNumber());
}

/// Writes "tensordesc<fp16[64, 32]>", the syntax of signatures.
static std::string descriptorText(mlir::RankedTensorType block, bool padsWithNaN) {
  std::string extents = llvm::join(
      llvm::map_range(block.getShape(), [](int64_t extent) { return std::to_string(extent); }),
      ", ");
  return "tensordesc<" + signatureText(block.getElementType()) + "[" + extents + "]" +
         (padsWithNaN ? ",nan>" : ">");
}

std::vector<KernelArgument> tt::describeArguments(FuncOp kernel) {
  std::map<std::string, unsigned> uses, seen;
  for (mlir::BlockArgument value : kernel.getArguments())
    ++uses[nameOf(value)];
  std::vector<KernelArgument> result;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    mlir::Type type = kernel.getArgumentTypes()[i];
    if (kernel.getArgAttr(i, kTensorMapRecipeAttr))
      continue; // hidden: the launcher builds it
    std::string name = nameOf(kernel.getArgument(i));
    auto divisibilityOf = [&](unsigned index) {
      auto hint = kernel.getArgAttrOfType<mlir::IntegerAttr>(index, kDivisibilityAttr);
      return hint ? static_cast<unsigned>(hint.getInt()) : 1;
    };
    if (!llvm::isa<TensorDescType>(type)) {
      std::string path = uses[name] > 1 ? name + "." + std::to_string(seen[name]++) : name;
      result.push_back({path, signatureText(type), divisibilityOf(i)});
      continue;
    }
    mlir::RankedTensorType block = llvm::cast<TensorDescType>(type).getSignlessBlockType();
    if (block.getEncoding()) { // laid out for the hardware, which reads it as it is
      result.push_back({name + ".map", kTensorMapType.str(), 1});
      continue;
    }
    // tt-rewrite-tensor-descriptor-to-pointer will split it into these parts.
    bool areGiven = isFollowedByDescriptorParts(kernel, i);
    size_t first = result.size();
    for (const DescriptorPart &part :
         getDescriptorParts(block.getRank(), block.getElementTypeBitWidth()))
      result.push_back({name + "." + part.name,
                        part.bits ? part.typeName() : "*" + signatureText(block.getElementType()),
                        part.divisibility});
    auto padding = kernel.getArgAttrOfType<mlir::IntegerAttr>(i, kPaddingAttr);
    result[first].descriptor =
        descriptorText(block, padding && padding.getInt() == int64_t(PaddingOption::NaN));
    for (size_t given = 0, count = areGiven ? 2 * block.getRank() : 0; given < count; ++given) {
      unsigned &promised = result[first + 1 + given].divisibility;
      promised = std::max(promised, divisibilityOf(++i));
    }
  }
  return result;
}
