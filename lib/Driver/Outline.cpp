//===- Outline.cpp - the structure of an IR module as JSON ----------------===//
// Operations are written in the order of MLIR's own walk: what is nested first,
// the module last. Values, blocks and regions become numbers.
//===----------------------------------------------------------------------===//
#include "tessera/Driver/Outline.h"
#include "DiagnosticBridge.h"
#include "IRText.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/StackSpace.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace tessera;

namespace {
class Outliner {
public:
  llvm::json::Value outline(mlir::ModuleOp module) {
    module->walk([&](mlir::Operation *op) { add(*op); });
    return llvm::json::Object{{"operations", std::move(operations)}, {"blocks", std::move(blocks)}};
  }

private:
  llvm::json::Array idsOf(mlir::ValueRange range) {
    llvm::json::Array ids;
    for (mlir::Value value : range)
      ids.push_back(values.try_emplace(value, values.size()).first->second);
    return ids;
  }

  int64_t idOf(mlir::Region &region) {
    return regions.try_emplace(&region, regions.size()).first->second;
  }

  int64_t idOf(mlir::Block &block) {
    auto [found, isNew] = blockIds.try_emplace(&block, blockIds.size());
    if (isNew)
      blocks.push_back(llvm::json::Object{{"arguments", idsOf(block.getArguments())},
                                          {"region", idOf(*block.getParent())}});
    return found->second;
  }

  /// Attributes that are a text, a number, a truth value or another function's name.
  static llvm::json::Object attributesOf(mlir::Operation &op) {
    llvm::json::Object object;
    for (mlir::NamedAttribute attribute : op.getAttrDictionary()) {
      llvm::json::Value value = nullptr;
      if (auto text = mlir::dyn_cast<mlir::StringAttr>(attribute.getValue()))
        value = llvm::json::fixUTF8(text.getValue());
      else if (auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(attribute.getValue()))
        value = llvm::json::fixUTF8(symbol.getValue());
      else if (auto truth = mlir::dyn_cast<mlir::BoolAttr>(attribute.getValue()))
        value = truth.getValue();
      else if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(attribute.getValue());
               number && number.getValue().getSignificantBits() <= 64)
        value = number.getValue().getSExtValue();
      if (!value.getAsNull())
        object[llvm::json::fixUTF8(attribute.getName().strref())] = std::move(value);
    }
    return object;
  }

  void add(mlir::Operation &op) {
    llvm::json::Array inside;
    for (mlir::Region &region : op.getRegions())
      inside.push_back(idOf(region));
    llvm::json::Value block = op.getBlock() ? llvm::json::Value(idOf(*op.getBlock())) : nullptr;
    operations.push_back(llvm::json::Object{{"name", op.getName().getStringRef()},
                                            {"operands", idsOf(op.getOperands())},
                                            {"results", idsOf(op.getResults())},
                                            {"regions", std::move(inside)},
                                            {"block", std::move(block)},
                                            {"attributes", attributesOf(op)}});
  }

  llvm::json::Array operations, blocks;
  llvm::DenseMap<mlir::Value, int64_t> values;
  llvm::DenseMap<mlir::Region *, int64_t> regions;
  llvm::DenseMap<mlir::Block *, int64_t> blockIds;
};
} // namespace

/// The stack that parsing and walking the deepest input may use.
static constexpr size_t kOutlineStack = 4 << 20;

llvm::Expected<std::string> tessera::outlineModule(llvm::StringRef text, llvm::StringRef path) {
  DiagnosticEngine diagnostics;
  std::string outline;
  callWithStack(kOutlineStack, [&] {
    std::unique_ptr<SourceFile> file = SourceFile::fromBytes(path.str(), text.str(), diagnostics);
    if (!file)
      return;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    DiagnosticBridge bridge(context, diagnostics, file.get());
    if (mlir::OwningOpRef<mlir::ModuleOp> module = parseIRText(*file, context))
      outline = llvm::formatv("{0}", Outliner().outline(*module)).str();
  });
  if (!outline.empty())
    return outline;
  if (!diagnostics.hasErrors())
    return makeError("'" + path + "' does not parse");
  return makeError(diagnostics.render());
}
