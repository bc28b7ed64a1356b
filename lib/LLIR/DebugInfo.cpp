//===- DebugInfo.cpp - from locations to DWARF ----------------------------===//
// See DebugInfo.h. A location is rewritten to one that names its scope:
//
//   k.py:9                      k.py:9, in the kernel's subprogram
//   sums.py:4 called at k.py:9  sums.py:4 in a subprogram of sums.py, inlined at k.py:9
//   several locations fused     the first of them: a fused location has no line
//
// Locations name the file of an inlined function but not the function, so there is one subprogram
// per file.
//===----------------------------------------------------------------------===//
#include "tessera/LLIR/DebugInfo.h"
#include "tessera/Support/Version.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tessera;

static constexpr llvm::StringLiteral kVariable = "tessera.variable";

void tessera::describeVariable(LLVM::AllocaOp slot, StringRef name, LLVM::DITypeAttr type,
                               unsigned argument) {
  Builder b(slot.getContext());
  slot->setAttr(kVariable, b.getArrayAttr({b.getStringAttr(name), type,
                                           b.getI32IntegerAttr(static_cast<int32_t>(argument))}));
}

/// Returns the innermost file location of a chain of calls.
static FileLineColLoc findPlace(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location))
    return place;
  if (auto named = dyn_cast<NameLoc>(location))
    return findPlace(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return findPlace(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc place = findPlace(part))
        return place;
  return {};
}

namespace {
/// Creates the debug info of one module.
class DebugInfoBuilder {
public:
  DebugInfoBuilder(MLIRContext *context, const DebugInfoOptions &options)
      : context(context), options(options) {}

  void describe(LLVM::LLVMFuncOp function);

private:
  LLVM::DIFileAttr fileOf(StringRef path);
  LLVM::DISubprogramAttr createSubprogram(StringRef name, FileLineColLoc place);
  LLVM::DISubprogramAttr scopeOfFile(FileLineColLoc place);
  Location rescope(Location location);
  void declareVariable(LLVM::AllocaOp slot);

  MLIRContext *context;
  const DebugInfoOptions &options;
  LLVM::DICompileUnitAttr unit;
  // The state for the current function:
  LLVM::DISubprogramAttr subprogram;
  FileLineColLoc begin;
  llvm::StringMap<LLVM::DISubprogramAttr> inlined; // the subprogram of each file
  DenseMap<Location, Location> rescoped;
};
} // namespace

LLVM::DIFileAttr DebugInfoBuilder::fileOf(StringRef path) {
  bool isRelative = llvm::sys::path::is_relative(path);
  return LLVM::DIFileAttr::get(context, path, isRelative ? StringRef(options.folder) : "");
}

LLVM::DISubprogramAttr DebugInfoBuilder::createSubprogram(StringRef name, FileLineColLoc place) {
  LLVM::DIFileAttr file = fileOf(place.getFilename());
  if (!unit)
    // Debuggers evaluate expressions in the language of the compile unit, and none evaluates
    // Python.
    unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C11, file,
        StringAttr::get(context, "Tessera " + getVersion()), /*isOptimized=*/true, options.kind);
  return LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), unit, file,
      StringAttr::get(context, name), /*linkageName=*/StringAttr(), file, place.getLine(),
      place.getLine(), LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      LLVM::DISubroutineTypeAttr::get(context, {}), {}, {});
}

LLVM::DISubprogramAttr DebugInfoBuilder::scopeOfFile(FileLineColLoc place) {
  LLVM::DISubprogramAttr &scope = inlined[place.getFilename().getValue()];
  if (!scope)
    scope = createSubprogram(llvm::sys::path::stem(place.getFilename().getValue()), place);
  return scope;
}

Location DebugInfoBuilder::rescope(Location location) {
  auto [known, isNew] = rescoped.try_emplace(location, location);
  if (!isNew)
    return known->second;
  Location result = location;
  if (auto named = dyn_cast<NameLoc>(location)) {
    result = rescope(named.getChildLoc());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    result = fused.getLocations().empty() ? Location(begin) : rescope(fused.getLocations().front());
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    FileLineColLoc place = findPlace(call.getCallee());
    Location caller = rescope(call.getCaller());
    result = place ? Location(CallSiteLoc::get(FusedLoc::get(context, {place}, scopeOfFile(place)),
                                               caller))
                   : caller;
  } else if (auto place = dyn_cast<FileLineColLoc>(location)) {
    if (place.getFilename() != begin.getFilename())
      result = CallSiteLoc::get(FusedLoc::get(context, {place}, scopeOfFile(place)), begin);
  } else {
    result = begin; // calls must have a line
  }
  rescoped.insert_or_assign(location, result);
  return result;
}

void DebugInfoBuilder::declareVariable(LLVM::AllocaOp slot) {
  auto description = slot->getAttrOfType<ArrayAttr>(kVariable);
  if (!description)
    return;
  slot->removeAttr(kVariable);
  auto type = cast<LLVM::DITypeAttr>(description[1]);
  FileLineColLoc place = findPlace(slot.getLoc());
  // Variables of an inlined function would be shown as the kernel's, so they are left out.
  if (options.kind != LLVM::DIEmissionKind::Full || !place ||
      place.getFilename() != begin.getFilename())
    return;
  auto variable = LLVM::DILocalVariableAttr::get(
      subprogram, cast<StringAttr>(description[0]), subprogram.getFile(), place.getLine(),
      static_cast<unsigned>(cast<IntegerAttr>(description[2]).getInt()), /*alignInBits=*/0, type,
      LLVM::DIFlags::Zero);
  OpBuilder builder(context);
  builder.setInsertionPointAfter(slot);
  LLVM::DbgDeclareOp::create(builder, begin, slot, variable);
}

void DebugInfoBuilder::describe(LLVM::LLVMFuncOp function) {
  begin = findPlace(function.getLoc());
  if (function.isExternal() || !begin)
    return;
  rescoped.clear();
  inlined.clear();
  subprogram = createSubprogram(function.getName(), begin);
  SmallVector<LLVM::AllocaOp> slots;
  function.walk([&](LLVM::AllocaOp slot) { slots.push_back(slot); });
  for (LLVM::AllocaOp slot : slots)
    declareVariable(slot);
  function.getBody().walk([&](Operation *op) { op->setLoc(rescope(op->getLoc())); });
  function->setLoc(FusedLoc::get(context, {begin}, subprogram));
}

void tessera::addDebugInfo(ModuleOp module, const DebugInfoOptions &options) {
  DebugInfoBuilder builder(module.getContext(), options);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    builder.describe(function);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

namespace {
/// Replaces the subprograms of a module by equal ones in which marked instructions start a
/// statement. MLIR's attributes cannot express that.
class StatementMarker {
public:
  explicit StatementMarker(llvm::function_ref<bool(const llvm::Instruction &)> begins)
      : begins(begins) {}

  void mark(llvm::Function &function) {
    function.setSubprogram(replace(function.getSubprogram()));
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        mark(instruction);
  }

private:
  llvm::DISubprogram *replace(llvm::DISubprogram *old) {
    llvm::DISubprogram *&made = subprograms[old];
    if (!made)
      made = llvm::DISubprogram::getDistinct(
          old->getContext(), old->getScope(), old->getName(), old->getLinkageName(), old->getFile(),
          old->getLine(), old->getType(), old->getScopeLine(), old->getContainingType(),
          old->getVirtualIndex(), old->getThisAdjustment(), old->getFlags(), old->getSPFlags(),
          old->getUnit(), old->getTemplateParams(), old->getDeclaration(), old->getRetainedNodes(),
          old->getThrownTypes(), old->getAnnotations(), old->getTargetFuncName(),
          /*UsesKeyInstructions=*/true);
    return made;
  }

  /// `group` is the number of the statement that starts here, or 0 within a statement.
  llvm::DILocation *replace(llvm::DILocation *old, uint64_t group) {
    llvm::DILocation *caller = old->getInlinedAt() ? replace(old->getInlinedAt(), 0) : nullptr;
    llvm::DILocalScope *scope = replace(old->getScope()->getSubprogram());
    return llvm::DILocation::get(old->getContext(), old->getLine(), old->getColumn(), scope, caller,
                                 old->isImplicitCode(), group, group ? 1 : 0);
  }

  /// LLVM starts a statement at every call that has a line.
  static bool isCall(const llvm::Instruction &instruction) {
    return llvm::isa<llvm::CallBase>(instruction) &&
           (!llvm::isa<llvm::IntrinsicInst>(instruction) ||
            llvm::isa<llvm::MemIntrinsic>(instruction));
  }

  void mark(llvm::Instruction &instruction) {
    llvm::DILocation *old = instruction.getDebugLoc();
    if (old && begins(instruction))
      instruction.setDebugLoc(replace(old, ++statements));
    else if (old && isCall(instruction))
      instruction.setDebugLoc(llvm::DILocation::get(old->getContext(), 0, 0,
                                                    instruction.getFunction()->getSubprogram()));
    else if (old)
      instruction.setDebugLoc(replace(old, 0));
    for (llvm::DbgVariableRecord &record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      llvm::DILocalVariable *old = record.getVariable();
      record.setVariable(llvm::DILocalVariable::get(
          old->getContext(), replace(old->getScope()->getSubprogram()), old->getName(),
          old->getFile(), old->getLine(), old->getType(), old->getArg(), old->getFlags(),
          old->getAlignInBits(), old->getAnnotations()));
      record.setDebugLoc(replace(record.getDebugLoc(), 0));
    }
  }

  llvm::function_ref<bool(const llvm::Instruction &)> begins;
  llvm::DenseMap<llvm::DISubprogram *, llvm::DISubprogram *> subprograms;
  uint64_t statements = 0;
};
} // namespace

void tessera::markStatements(llvm::Module &module,
                             llvm::function_ref<bool(const llvm::Instruction &)> begins) {
  StatementMarker marker(begins);
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.getSubprogram())
      marker.mark(function);
}
