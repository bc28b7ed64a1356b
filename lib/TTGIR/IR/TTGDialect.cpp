//===- TTGDialect.cpp - registration, aliases, module attributes ----------===//
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/IR/TileCopies.h"

#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

#include "tessera/TTGIR/IR/TTGDialect.cpp.inc"

namespace {
/// Encodings are long and occur repeatedly, so they get aliases: `#blocked`, `#mma1`. Slices and
/// dot operands print in place, with their parents' aliases.
struct TTGAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    StringRef alias = llvm::TypeSwitch<Attribute, StringRef>(attr)
                          .Case([](BlockedEncodingAttr) { return "blocked"; })
                          .Case([](LinearEncodingAttr) { return "linear"; })
                          .Case<NvidiaMmaEncodingAttr, AmdMfmaEncodingAttr, AmdWmmaEncodingAttr>(
                              [](auto) { return "mma"; })
                          .Case([](SharedEncodingAttr) { return "shared"; })
                          .Case([](SharedMemorySpaceAttr) { return "smem"; })
                          .Default([](Attribute) { return ""; });
    os << alias;
    return alias.empty() ? AliasResult::NoAlias : AliasResult::FinalAlias;
  }
};

struct TTGInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TTGDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
  registerInterfaces();
  addInterfaces<TTGAliases, TTGInliner>();
}

//===----------------------------------------------------------------------===//
// What a module says
//===----------------------------------------------------------------------===//

static std::optional<unsigned> getNumber(Operation *op, StringRef name) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? std::optional<unsigned>(attr.getInt()) : std::nullopt;
}

static void setNumber(ModuleOp module, StringRef name, unsigned value) {
  module->setAttr(name, IntegerAttr::get(IntegerType::get(module.getContext(), 32), value));
}

unsigned ttg::getNumWarps(ModuleOp module) { return getNumber(module, kNumWarpsAttr).value_or(4); }
unsigned ttg::getNumCTAs(ModuleOp module) { return getNumber(module, kNumCTAsAttr).value_or(1); }
unsigned ttg::getThreadsPerWarp(ModuleOp module) {
  return getNumber(module, kThreadsPerWarpAttr).value_or(32);
}
StringRef ttg::getTargetName(ModuleOp module) {
  auto attr = module->getAttrOfType<StringAttr>(kTargetAttr);
  return attr ? attr.getValue() : StringRef();
}
std::optional<unsigned> ttg::getMaxRegisters(ModuleOp module) {
  return getNumber(module, kMaxRegistersAttr);
}
unsigned ttg::getSharedBytes(ModuleOp module) {
  return getNumber(module, kSharedBytesAttr).value_or(0);
}
unsigned ttg::getTotalNumWarps(ModuleOp module) {
  return getNumber(module, kTotalNumWarpsAttr).value_or(getNumWarps(module));
}
unsigned ttg::getGlobalScratchBytes(ModuleOp module) {
  return getNumber(module, kGlobalScratchBytesAttr).value_or(0);
}
unsigned ttg::getGlobalScratchAlign(ModuleOp module) {
  return getNumber(module, kGlobalScratchAlignAttr).value_or(1);
}

void ttg::setNumWarps(ModuleOp module, unsigned value) { setNumber(module, kNumWarpsAttr, value); }
void ttg::setNumCTAs(ModuleOp module, unsigned value) { setNumber(module, kNumCTAsAttr, value); }
void ttg::setThreadsPerWarp(ModuleOp module, unsigned value) {
  setNumber(module, kThreadsPerWarpAttr, value);
}
void ttg::setTargetName(ModuleOp module, StringRef value) {
  module->setAttr(kTargetAttr, StringAttr::get(module.getContext(), value));
}
void ttg::setMaxRegisters(ModuleOp module, unsigned value) {
  setNumber(module, kMaxRegistersAttr, value);
}
void ttg::setSharedBytes(ModuleOp module, unsigned value) {
  setNumber(module, kSharedBytesAttr, value);
}
void ttg::setTotalNumWarps(ModuleOp module, unsigned value) {
  setNumber(module, kTotalNumWarpsAttr, value);
}
void ttg::setGlobalScratch(ModuleOp module, unsigned bytes, unsigned alignment) {
  setNumber(module, kGlobalScratchBytesAttr, bytes);
  setNumber(module, kGlobalScratchAlignAttr, alignment);
}

/// Returns the warps of a partition from the op around it, which may not have been verified yet.
static std::optional<unsigned> getPartitionWarps(Region *region) {
  auto partitions = dyn_cast<WarpSpecializePartitionsOp>(region->getParentOp());
  auto specialize =
      partitions ? dyn_cast_or_null<WarpSpecializeOp>(partitions->getParentOp()) : nullptr;
  if (!specialize || !specialize.getPartitionNumWarpsAttr())
    return std::nullopt;
  ArrayRef<int32_t> numWarps = specialize.getPartitionNumWarps();
  unsigned index = region->getRegionNumber();
  return index < numWarps.size() ? std::optional<unsigned>(numWarps[index]) : std::nullopt;
}

std::optional<unsigned> ttg::lookupNumWarps(Region *region) {
  for (; region && region->getParentOp(); region = region->getParentRegion()) {
    if (auto number = getPartitionWarps(region))
      return number;
    if (auto number = getNumber(region->getParentOp(), kNumWarpsAttr))
      return number;
  }
  return std::nullopt;
}

std::optional<unsigned> ttg::lookupNumWarps(Operation *op) {
  if (auto number = getNumber(op, kNumWarpsAttr))
    return number;
  return lookupNumWarps(op->getParentRegion());
}

static ModuleOp getModule(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

unsigned ttg::lookupNumCTAs(Operation *op) {
  ModuleOp module = getModule(op);
  return module ? getNumCTAs(module) : 1;
}

unsigned ttg::lookupThreadsPerWarp(Operation *op) {
  ModuleOp module = getModule(op);
  return module ? getThreadsPerWarp(module) : 32;
}

LogicalResult TTGDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  StringRef name = attr.getName();
  bool isPower = llvm::is_contained(
      {kNumWarpsAttr, kNumCTAsAttr, kThreadsPerWarpAttr, kGlobalScratchAlignAttr}, name);
  bool isNumber = isPower || llvm::is_contained({kMaxRegistersAttr, kSharedBytesAttr,
                                                 kTotalNumWarpsAttr, kGlobalScratchBytesAttr},
                                                name);
  // [ttg.module.C1] numbers are non-negative and 32 bits wide
  auto number = dyn_cast<IntegerAttr>(attr.getValue());
  if (isNumber && (!number || !number.getType().isInteger(32) || number.getInt() < 0))
    return op->emitError() << "'" << name << "' must be a non-negative i32, but is "
                           << attr.getValue();
  // [ttg.module.C2] layouts are linear maps: what they count is a power of two
  if (isPower && !llvm::isPowerOf2_64(number.getInt()))
    return op->emitError() << "'" << name << "' must be a power of two, but is " << number.getInt();
  // [ttg.module.C3] a target is a name
  if (name == kTargetAttr && !isa<StringAttr>(attr.getValue()))
    return op->emitError() << "'" << name << "' must be a string, but is " << attr.getValue();
  return success();
}

const ttg::TileCopies *ttg::TileCopies::of(mlir::MLIRContext *context) {
  for (mlir::Dialect *dialect : context->getLoadedDialects())
    if (const auto *copies = dialect->getRegisteredInterface<TileCopies>())
      return copies;
  return nullptr;
}
