//===- DropLayouts.cpp - TTGIR without its layouts ------------------------===//
//   before: %1 = ttg.convert_layout %0 : tensor<64xf32, #a> -> tensor<64xf32, #b>
//           %2 = arith.addf %1, %1 : tensor<64xf32, #b>
//   after:  %2 = arith.addf %0, %0 : tensor<64xf32>
//===----------------------------------------------------------------------===//
#include "tessera/Driver/DropLayouts.h"
#include "DiagnosticBridge.h"
#include "IRText.h"
#include "tessera/Support/StackSpace.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Verifier.h"

using namespace tessera;

static mlir::RankedTensorType plain(mlir::RankedTensorType type) {
  return mlir::RankedTensorType::get(type.getShape(), type.getElementType());
}

/// Returns whether layout conversions are the only TTGIR ops of the module.
static bool canDrop(mlir::ModuleOp module) {
  bool isAllowed = true;
  module.walk([&](mlir::Operation *op) {
    llvm::StringRef dialect = op->getName().getDialectNamespace();
    bool isGeneric = dialect == "tt" || dialect == "arith" || dialect == "math" ||
                     dialect == "scf" || dialect == "ub" || dialect == "builtin";
    isAllowed &= isGeneric || llvm::isa<ttg::ConvertLayoutOp>(op);
  });
  return isAllowed;
}

static void drop(mlir::ModuleOp module) {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](mlir::RankedTensorType type) -> mlir::Type { return plain(type); });
  replacer.addReplacement([](mlir::DenseElementsAttr constant) -> mlir::Attribute {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(constant.getType());
    return type ? constant.reshape(plain(type)) : constant;
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  module.walk([](ttg::ConvertLayoutOp convert) {
    convert.getResult().replaceAllUsesWith(convert.getSrc());
    convert.erase();
  });
  llvm::SmallVector<mlir::NamedAttribute> kept;
  for (mlir::NamedAttribute attribute : module->getAttrs())
    if (!attribute.getName().strref().starts_with("ttg."))
      kept.push_back(attribute);
  module->setAttrs(kept);
}

/// The stack that parsing and walking the deepest input may use.
static constexpr size_t kStack = 4 << 20;

std::optional<std::string> tessera::dropLayouts(llvm::StringRef text) {
  std::optional<std::string> result;
  callWithStack(kStack, [&] {
    DiagnosticEngine diagnostics;
    std::unique_ptr<SourceFile> file =
        SourceFile::fromBytes("layouts.ttgir", text.str(), diagnostics);
    if (!file)
      return;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    DiagnosticBridge bridge(context, diagnostics, file.get());
    mlir::OwningOpRef<mlir::ModuleOp> module = parseIRText(*file, context);
    if (!module || !canDrop(*module))
      return;
    drop(*module);
    if (failed(mlir::verify(*module)))
      return;
    llvm::raw_string_ostream(result.emplace()) << *module << "\n";
  });
  return result;
}
