//===- TTGWarpSpecialize.cpp - ttg.warp_specialize ------------------------===//
// Textual form, rules and canonicalization of the op whose regions run on different warps.
//
//   %r = ttg.warp_specialize(%i) attributes {requestedRegisters = array<i32: 24>}
//   default {
//     ttg.warp_yield %y : i32
//   }
//   partition0(%a: i32) num_warps(4) {
//     ttg.warp_return
//   } : (i32) -> i32
//
// Canonical form: no unused results, and no unused or repeated captures.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGOps.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

/// A warpgroup consists of four warps (PTX ISA, setmaxnreg and wgmma).
static constexpr unsigned kWarpsPerGroup = 4;

WarpSpecializePartitionsOp WarpSpecializeOp::getPartitionOp() {
  return cast<WarpSpecializePartitionsOp>(getPartitionOpHolder().front().front());
}

MutableArrayRef<Region> WarpSpecializeOp::getPartitionRegions() {
  return getPartitionOp().getPartitionRegions();
}

void WarpSpecializeOp::getSuccessorRegions(RegionBranchPoint point,
                                           SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent()) {
    successors.emplace_back(&getDefaultRegion());
    successors.emplace_back(&getPartitionOpHolder());
    return;
  }
  // The default region returns the results; partitions return nothing.
  successors.emplace_back(getOperation(), getResults());
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `partition<index>(args) num_warps(n) { ... }`, if there is one.
static OptionalParseResult parsePartition(OpAsmParser &parser, unsigned index,
                                          SmallVectorImpl<int32_t> &numWarps,
                                          SmallVectorImpl<std::unique_ptr<Region>> &regions) {
  std::string keyword = ("partition" + Twine(index)).str();
  if (failed(parser.parseOptionalKeyword(keyword)))
    return std::nullopt;
  SmallVector<OpAsmParser::Argument> arguments;
  int32_t warps = 0;
  auto region = std::make_unique<Region>();
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("num_warps") || parser.parseLParen() || parser.parseInteger(warps) ||
      parser.parseRParen() || parser.parseRegion(*region, arguments))
    return failure();
  numWarps.push_back(warps);
  regions.push_back(std::move(region));
  return success();
}

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> captures;
  SMLoc capturesLoc = parser.getCurrentLocation();
  if (parser.parseOperandList(captures, AsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseKeyword("default") || parser.parseRegion(*result.addRegion()))
    return failure();

  OperationState partitions(result.location, WarpSpecializePartitionsOp::getOperationName());
  SmallVector<int32_t> numWarps;
  SmallVector<std::unique_ptr<Region>> regions;
  while (true) {
    OptionalParseResult partition = parsePartition(parser, regions.size(), numWarps, regions);
    if (!partition.has_value())
      break;
    if (failed(*partition))
      return failure();
  }
  partitions.addRegions(regions);

  FunctionType type;
  if (parser.parseColonType(type) ||
      parser.resolveOperands(captures, type.getInputs(), capturesLoc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.addAttribute(getPartitionNumWarpsAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr(numWarps));
  Block &holder = result.addRegion()->emplaceBlock();
  holder.push_back(Operation::create(partitions));
  return success();
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  printer << '(' << getOperands() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           getPartitionNumWarpsAttrName().getValue());
  printer.printNewline();
  printer << "default ";
  printer.printRegion(getDefaultRegion(), /*printEntryBlockArgs=*/false);
  for (auto [index, region] : llvm::enumerate(getPartitionRegions())) {
    printer.printNewline();
    printer << "partition" << index << '(';
    llvm::interleaveComma(region.getArguments(), printer,
                          [&](BlockArgument argument) { printer.printRegionArgument(argument); });
    printer << ") num_warps(" << getPartitionNumWarps()[index] << ") ";
    printer.printRegion(region, /*printEntryBlockArgs=*/false);
  }
  printer << " : ";
  printer.printFunctionalType(*this);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult WarpSpecializeOp::verify() {
  // [ttg.warp_specialize.C1] the second region holds the partitions and nothing else
  Block &holder = getPartitionOpHolder().front();
  if (!llvm::hasSingleElement(holder) || !isa<WarpSpecializePartitionsOp>(holder.front()))
    return emitOpError() << "expects one ttg.warp_specialize.partitions in its second region";
  MutableArrayRef<Region> partitions = getPartitionRegions();
  // [ttg.warp_specialize.C2] each partition has its warps
  if (getPartitionNumWarps().size() != partitions.size())
    return emitOpError() << "has " << partitions.size() << " partitions, but partitionNumWarps has "
                         << getPartitionNumWarps().size();
  // [ttg.warp_specialize.C3] layouts are linear maps: what they count is a power of two
  for (auto [index, warps] : llvm::enumerate(getPartitionNumWarps()))
    if (warps < 1 || !llvm::isPowerOf2_32(warps))
      return emitOpError() << "partition " << index << " has " << warps
                           << " warps, which is not a power of two";
  // [ttg.warp_specialize.C4] further lists have an entry for each partition
  std::pair<StringRef, std::optional<ArrayRef<int32_t>>> lists[] = {
      {"warpGroupStartIds", getWarpGroupStartIds()},
      {"requestedRegisters", getRequestedRegisters()}};
  for (auto [name, list] : lists)
    if (list && list->size() != partitions.size())
      return emitOpError() << "has " << partitions.size() << " partitions, but " << name << " has "
                           << list->size();
  if (getActualRegisters() && getActualRegisters()->size() != partitions.size() + 1)
    return emitOpError() << "has " << partitions.size()
                         << " partitions and a default, but actualRegisters has "
                         << getActualRegisters()->size();
  // [ttg.warp_specialize.C5] registers are shared out by warpgroups
  std::optional<unsigned> numWarps = lookupNumWarps((*this)->getParentRegion());
  if (numWarps && *numWarps % kWarpsPerGroup != 0)
    return emitOpError() << "needs a multiple of " << kWarpsPerGroup << " warps around it, but has "
                         << *numWarps;
  // [ttg.warp_specialize.C6] once
  if ((*this)->getParentOfType<WarpSpecializeOp>() ||
      (*this)->getParentOfType<WarpSpecializePartitionsOp>())
    return emitOpError() << "cannot be nested in another";
  // [ttg.warp_specialize.C7] partitions take what is captured
  for (auto [index, region] : llvm::enumerate(partitions))
    if (TypeRange(region.getArgumentTypes()) != TypeRange(getOperandTypes()))
      return emitOpError() << "captures (" << getOperandTypes() << "), but partition " << index
                           << " takes (" << region.getArgumentTypes() << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

namespace {
struct RemoveUnusedResults : OpRewritePattern<WarpSpecializeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WarpSpecializeOp op, PatternRewriter &rewriter) const final {
    llvm::BitVector unused(op.getNumResults());
    for (OpResult result : op.getResults())
      unused[result.getResultNumber()] = result.use_empty();
    if (unused.none())
      return failure();
    for (Block &block : op.getDefaultRegion())
      if (auto yield = dyn_cast<WarpYieldOp>(block.getTerminator()))
        rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unused); });

    SmallVector<Type> types;
    SmallVector<Value> kept;
    for (OpResult result : op.getResults())
      if (!unused[result.getResultNumber()])
        types.push_back(result.getType()), kept.push_back(result);
    OperationState state(op.getLoc(), op->getName(), op->getOperands(), types, op->getAttrs());
    state.addRegion();
    state.addRegion();
    auto replacement = cast<WarpSpecializeOp>(rewriter.create(state));
    for (auto [before, after] : llvm::zip(op->getRegions(), replacement->getRegions()))
      rewriter.inlineRegionBefore(before, after, after.end());
    for (auto [before, after] : llvm::zip(kept, replacement.getResults()))
      rewriter.replaceAllUsesWith(before, after);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Removes captures that no partition reads, and merges repeated ones.
struct RemoveRedundantCaptures : OpRewritePattern<WarpSpecializeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WarpSpecializeOp op, PatternRewriter &rewriter) const final {
    MutableArrayRef<Region> partitions = op.getPartitionRegions();
    llvm::BitVector redundant(op.getNumOperands());
    llvm::SmallDenseMap<Value, unsigned> first;
    for (auto [index, capture] : llvm::enumerate(op.getOperands())) {
      auto [known, isNew] = first.try_emplace(capture, index);
      if (!isNew)
        for (Region &region : partitions)
          rewriter.replaceAllUsesWith(region.getArgument(index), region.getArgument(known->second));
      redundant[index] = llvm::all_of(
          partitions, [&](Region &region) { return region.getArgument(index).use_empty(); });
    }
    if (redundant.none())
      return failure();
    for (Region &region : partitions)
      rewriter.modifyOpInPlace(op, [&] { region.front().eraseArguments(redundant); });
    rewriter.modifyOpInPlace(op, [&] { op->eraseOperands(redundant); });
    return success();
  }
};
} // namespace

void WarpSpecializeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<RemoveUnusedResults, RemoveRedundantCaptures>(context);
}
