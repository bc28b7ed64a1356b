//===- TTGAttrs.cpp - the encodings of tensors over threads ---------------===//
// Textual form, rules and sizes of each encoding. TTGSharedAttrs.cpp contains those of shared
// memory; TTGLayouts.cpp returns the linear maps that they denote.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "EncodingFields.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

#include "tessera/TTGIR/IR/TTGInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tessera/TTGIR/IR/TTGAttrs.cpp.inc"

void TTGDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/TTGIR/IR/TTGAttrs.cpp.inc"
      >();
}

static unsigned product(ArrayRef<unsigned> values) { return llvm::product_of(values); }

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

CGALayoutAttr CGALayoutAttr::get(MLIRContext *context, unsigned rank, const CgaBases &bases) {
  SmallVector<unsigned> flat;
  for (const BasisVector &basis : bases)
    flat.append(basis.begin(), basis.end());
  return get(context, rank, flat);
}

CGALayoutAttr CGALayoutAttr::getChecked(function_ref<InFlightDiagnostic()> emitError,
                                        MLIRContext *context, unsigned rank,
                                        const CgaBases &bases) {
  SmallVector<unsigned> flat;
  for (const BasisVector &basis : bases)
    flat.append(basis.begin(), basis.end());
  return getChecked(emitError, context, rank, flat);
}

CGALayoutAttr CGALayoutAttr::getTrivial(MLIRContext *context, unsigned rank) {
  return get(context, rank, ArrayRef<unsigned>());
}

unsigned CGALayoutAttr::getNumBlocks() const {
  return isTrivial() ? 1 : 1u << getFlatBases().size() / getRank();
}

CgaBases CGALayoutAttr::getBases() const {
  CgaBases bases;
  for (ArrayRef<unsigned> rest = getFlatBases(); !rest.empty(); rest = rest.drop_front(getRank()))
    bases.emplace_back(rest.begin(), rest.begin() + getRank());
  return bases;
}

LogicalResult CGALayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned rank,
                                    ArrayRef<unsigned> flatBases) {
  if (flatBases.empty())
    return success();
  if (rank == 0 || flatBases.size() % rank != 0)
    return emitError() << "CGALayout bases need " << rank << " numbers each";
  // [ttg.cga_layout.C2] the CTAs' parts cover the whole tensor, and are not too many. A blocked
  // layout of single elements has no other rules than those of its CTAs.
  SmallVector<unsigned> ones(rank, 1), order = llvm::to_vector(llvm::seq(0u, rank));
  BlockedParams params{ones, ones, ones, order, {}};
  for (; !flatBases.empty(); flatBases = flatBases.drop_front(rank))
    params.cga.emplace_back(flatBases.begin(), flatBases.begin() + rank);
  return report(whyInvalid(params), emitError);
}

Attribute CGALayoutAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned rank = fields.number("rank");
  CGALayoutAttr layout = fields.cgaLayout(rank);
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return layout;
}

void CGALayoutAttr::print(AsmPrinter &printer) const {
  FieldWriter(printer).number("rank", getRank()).cgaLayout(*this);
}

CGALayoutAttr ttg::getCGALayoutOf(MLIRContext *context, const LinearLayout &layout) {
  // The size of one CTA's part: the range of all inputs except the block.
  SmallVector<uint64_t> part(layout.outs().size(), 1);
  for (const DimBits &in : layout.ins())
    for (unsigned bit = 0; in.dim != Dim::block() && bit < in.bits; ++bit)
      for (auto [size, component] : llvm::zip(part, layout.basis(in.dim, bit)))
        size = std::max(size, llvm::NextPowerOf2(component));
  CgaBases bases;
  for (unsigned bit = 0; bit < layout.inBits(Dim::block()); ++bit) {
    BasisVector &basis = bases.emplace_back(layout.basis(Dim::block(), bit));
    for (auto [size, component] : llvm::zip(part, basis))
      component /= size;
  }
  return CGALayoutAttr::get(context, part.size(), bases);
}

//===----------------------------------------------------------------------===//
// Blocked
//===----------------------------------------------------------------------===//

static BlockedParams blockedParams(ArrayRef<unsigned> sizePerThread,
                                   ArrayRef<unsigned> threadsPerWarp,
                                   ArrayRef<unsigned> warpsPerCTA, ArrayRef<unsigned> order,
                                   CGALayoutAttr cga) {
  return {SmallVector<unsigned>(sizePerThread), SmallVector<unsigned>(threadsPerWarp),
          SmallVector<unsigned>(warpsPerCTA), SmallVector<unsigned>(order), cga.getBases()};
}

BlockedParams BlockedEncodingAttr::getParams() const {
  return blockedParams(getSizePerThread(), getThreadsPerWarp(), getWarpsPerCTA(), getOrder(),
                       getCGALayout());
}

unsigned BlockedEncodingAttr::getRank() const { return getOrder().size(); }
unsigned BlockedEncodingAttr::getNumLanes() const { return product(getThreadsPerWarp()); }
unsigned BlockedEncodingAttr::getNumWarps() const { return product(getWarpsPerCTA()); }

LogicalResult BlockedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                          ArrayRef<unsigned> sizePerThread,
                                          ArrayRef<unsigned> threadsPerWarp,
                                          ArrayRef<unsigned> warpsPerCTA, ArrayRef<unsigned> order,
                                          CGALayoutAttr cga) {
  // [ttg.blocked.C1] sizes are powers of two, one per dimension; order is a permutation
  return report(whyInvalid(blockedParams(sizePerThread, threadsPerWarp, warpsPerCTA, order, cga)),
                emitError);
}

Attribute BlockedEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  SmallVector<unsigned> sizePerThread = fields.numbers("sizePerThread");
  SmallVector<unsigned> threadsPerWarp = fields.numbers("threadsPerWarp");
  SmallVector<unsigned> warpsPerCTA = fields.numbers("warpsPerCTA");
  SmallVector<unsigned> order = fields.numbers("order");
  CGALayoutAttr cga = fields.cgaLayout(order.size());
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<BlockedEncodingAttr>(parser, fields, sizePerThread, threadsPerWarp, warpsPerCTA,
                                    order, cga);
}

void BlockedEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter(printer)
      .numbers("sizePerThread", getSizePerThread())
      .numbers("threadsPerWarp", getThreadsPerWarp())
      .numbers("warpsPerCTA", getWarpsPerCTA())
      .numbers("order", getOrder())
      .cgaLayout(getCGALayout());
}

BlockedEncodingAttr BlockedEncodingAttr::get(MLIRContext *context, const BlockedParams &params) {
  return get(context, params.sizePerThread, params.threadsPerWarp, params.warpsPerCTA, params.order,
             CGALayoutAttr::get(context, params.order.size(), params.cga));
}

BlockedEncodingAttr BlockedEncodingAttr::getDefault(MLIRContext *context, ArrayRef<int64_t> shape,
                                                    unsigned numWarps, unsigned threadsPerWarp,
                                                    unsigned numCTAs) {
  return get(context, defaultBlocked(shape, {numWarps, threadsPerWarp}, numCTAs));
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

unsigned SliceEncodingAttr::getRank() const { return getParent().getRank() - 1; }
unsigned SliceEncodingAttr::getNumLanes() const { return getParent().getNumLanes(); }
unsigned SliceEncodingAttr::getNumWarps() const { return getParent().getNumWarps(); }

CGALayoutAttr SliceEncodingAttr::getCGALayout() const {
  CgaBases bases = getParent().getCGALayout().getBases();
  for (BasisVector &basis : bases)
    basis.erase(basis.begin() + getDim());
  return CGALayoutAttr::get(getContext(), getRank(), bases);
}

LogicalResult SliceEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned dim,
                                        DistributedEncodingAttr parent) {
  // [ttg.slice.C1] something is left
  if (parent.getRank() < 2)
    return emitError() << "cannot slice a layout of rank " << parent.getRank();
  // [ttg.slice.C2] the dimension is one of the parent's
  if (dim >= parent.getRank())
    return emitError() << "dim " << dim << " is not below the parent's rank " << parent.getRank();
  return success();
}

Attribute SliceEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned dim = fields.number("dim");
  auto parent = fields.attribute<DistributedEncodingAttr>("parent", "a layout over threads");
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<SliceEncodingAttr>(parser, fields, dim, parent);
}

void SliceEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter(printer).number("dim", getDim()).attribute("parent", getParent());
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

static constexpr Dim kThreadDims[] = {Dim::reg(), Dim::lane(), Dim::warp(), Dim::block()};

unsigned LinearEncodingAttr::getRank() const { return getLayout().outs().size(); }
unsigned LinearEncodingAttr::getNumLanes() const { return getLayout().inSize(Dim::lane()); }
unsigned LinearEncodingAttr::getNumWarps() const { return getLayout().inSize(Dim::warp()); }

CGALayoutAttr LinearEncodingAttr::getCGALayout() const {
  return getCGALayoutOf(getContext(), getLayout());
}

LogicalResult LinearEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                         LinearLayout layout) {
  // [ttg.linear.C3] each basis moves in one dimension, and together they reach all
  return report(whyInvalidLinear(layout), emitError);
}

Attribute LinearEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  FailureOr<LinearLayout> layout = readLayout(parser, fields, kThreadDims);
  if (failed(layout) || parser.parseGreater())
    return {};
  return getAt<LinearEncodingAttr>(parser, fields, *layout);
}

void LinearEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter fields(printer);
  for (Dim in : kThreadDims)
    fields.bases(in.name(), getLayout(), in);
}

//===----------------------------------------------------------------------===//
// NVIDIA's tensor cores
//===----------------------------------------------------------------------===//

static NvidiaMmaParams mmaParams(unsigned versionMajor, unsigned versionMinor,
                                 ArrayRef<unsigned> warpsPerCTA, CGALayoutAttr cga,
                                 ArrayRef<unsigned> instrShape) {
  return {versionMajor, versionMinor, SmallVector<unsigned>(warpsPerCTA),
          SmallVector<unsigned>(instrShape), cga.getBases()};
}

NvidiaMmaParams NvidiaMmaEncodingAttr::getParams() const {
  return mmaParams(getVersionMajor(), getVersionMinor(), getWarpsPerCTA(), getCGALayout(),
                   getInstrShape());
}

unsigned NvidiaMmaEncodingAttr::getRank() const { return getWarpsPerCTA().size(); }
unsigned NvidiaMmaEncodingAttr::getNumLanes() const { return 32; }
unsigned NvidiaMmaEncodingAttr::getNumWarps() const { return product(getWarpsPerCTA()); }

LogicalResult NvidiaMmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                            unsigned versionMajor, unsigned versionMinor,
                                            ArrayRef<unsigned> warpsPerCTA, CGALayoutAttr cga,
                                            ArrayRef<unsigned> instrShape) {
  // [ttg.nvidia_mma.C1] the hardware has the instruction
  return report(whyInvalid(mmaParams(versionMajor, versionMinor, warpsPerCTA, cga, instrShape)),
                emitError);
}

Attribute NvidiaMmaEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned versionMajor = fields.number("versionMajor");
  unsigned versionMinor = fields.number("versionMinor");
  SmallVector<unsigned> warpsPerCTA = fields.numbers("warpsPerCTA");
  SmallVector<unsigned> instrShape = fields.numbers("instrShape");
  CGALayoutAttr cga = fields.cgaLayout(warpsPerCTA.size());
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<NvidiaMmaEncodingAttr>(parser, fields, versionMajor, versionMinor, warpsPerCTA, cga,
                                      instrShape);
}

void NvidiaMmaEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter(printer)
      .number("versionMajor", getVersionMajor())
      .number("versionMinor", getVersionMinor())
      .numbers("warpsPerCTA", getWarpsPerCTA())
      .cgaLayout(getCGALayout())
      .numbers("instrShape", getInstrShape());
}

//===----------------------------------------------------------------------===//
// Operands of dots
//===----------------------------------------------------------------------===//

unsigned DotOperandEncodingAttr::getRank() const { return getParent().getRank(); }
unsigned DotOperandEncodingAttr::getNumLanes() const { return getParent().getNumLanes(); }
unsigned DotOperandEncodingAttr::getNumWarps() const { return getParent().getNumWarps(); }

CGALayoutAttr DotOperandEncodingAttr::getCGALayout() const {
  // Every CTA holds all of K.
  unsigned k = getOpIdx() == 0 ? getRank() - 1 : getRank() - 2;
  CgaBases bases = getParent().getCGALayout().getBases();
  for (BasisVector &basis : bases)
    basis[k] = 0;
  return CGALayoutAttr::get(getContext(), getRank(), bases);
}

LogicalResult DotOperandEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                             unsigned opIdx, DistributedEncodingAttr parent,
                                             unsigned kWidth) {
  // [ttg.dot_op.C1] A is 0, B is 1
  if (opIdx > 1)
    return emitError() << "opIdx " << opIdx << " is neither 0 nor 1";
  // [ttg.dot_op.C2] plain threads hold all of K and count no kWidth
  if (auto blocked = dyn_cast<BlockedEncodingAttr>(parent)) {
    if (kWidth != 0)
      return emitError() << "kWidth " << kWidth << " with a blocked parent, which has none";
    return report(whyInvalidDotOperand(opIdx, blocked.getParams()), emitError);
  }
  // [ttg.dot_op.C3] tensor cores read kWidth elements at a time
  if (auto mma = dyn_cast<NvidiaMmaEncodingAttr>(parent))
    return report(whyInvalidDotOperand(opIdx, kWidth, mma.getParams()), emitError);
  // [ttg.dot_op.C4] AMD's matrix cores have fixed widths
  if (auto wmma = dyn_cast<AmdWmmaEncodingAttr>(parent))
    return report(whyInvalidDotOperand(opIdx, kWidth, wmma.getParams()), emitError);
  if (auto mfma = dyn_cast<AmdMfmaEncodingAttr>(parent))
    return report(whyInvalidDotOperand(opIdx, kWidth, mfma.getParams()), emitError);
  // [ttg.dot_op.C5] only these multiply
  return emitError() << "the parent of a dot operand is blocked or of a matrix unit, but got "
                     << parent;
}

Attribute DotOperandEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned opIdx = fields.number("opIdx");
  auto parent = fields.attribute<DistributedEncodingAttr>("parent", "a layout over threads");
  unsigned kWidth = fields.number("kWidth", 0);
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<DotOperandEncodingAttr>(parser, fields, opIdx, parent, kWidth);
}

void DotOperandEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter fields(printer);
  fields.number("opIdx", getOpIdx()).attribute("parent", getParent());
  if (getKWidth() != 0)
    fields.number("kWidth", getKWidth());
}

//===----------------------------------------------------------------------===//
// AMD's matrix cores
//===----------------------------------------------------------------------===//

AmdMfmaParams AmdMfmaEncodingAttr::getParams() const {
  return {getVersion(),
          SmallVector<unsigned>(getWarpsPerCTA()),
          SmallVector<unsigned>(getInstrShape()),
          getIsTransposed(),
          SmallVector<unsigned>(getTilesPerWarp()),
          getElementBitWidth(),
          getCGALayout().getBases()};
}

unsigned AmdMfmaEncodingAttr::getRank() const { return getWarpsPerCTA().size(); }
unsigned AmdMfmaEncodingAttr::getNumLanes() const { return 64; }
unsigned AmdMfmaEncodingAttr::getNumWarps() const { return product(getWarpsPerCTA()); }

LogicalResult AmdMfmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                          unsigned version, ArrayRef<unsigned> warpsPerCTA,
                                          ArrayRef<unsigned> instrShape, bool isTransposed,
                                          CGALayoutAttr cga, ArrayRef<unsigned> tilesPerWarp,
                                          unsigned elementBitWidth) {
  // [ttg.amd_mfma.C1] versions that exist
  // [ttg.amd_mfma.C2] instructions that exist
  // [ttg.amd_mfma.C3] accumulators are 32 or 64 bits wide
  // [ttg.amd_mfma.C4] sizes are powers of two, one per dimension
  return report(whyInvalid(AmdMfmaParams{version, SmallVector<unsigned>(warpsPerCTA),
                                         SmallVector<unsigned>(instrShape), isTransposed,
                                         SmallVector<unsigned>(tilesPerWarp), elementBitWidth,
                                         cga.getBases()}),
                emitError);
}

Attribute AmdMfmaEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned version = fields.number("version");
  SmallVector<unsigned> warpsPerCTA = fields.numbers("warpsPerCTA");
  SmallVector<unsigned> instrShape = fields.numbers("instrShape");
  bool isTransposed = fields.boolean("isTransposed");
  CGALayoutAttr cga = fields.cgaLayout(warpsPerCTA.size());
  SmallVector<unsigned> ones(warpsPerCTA.size(), 1);
  SmallVector<unsigned> tilesPerWarp = fields.numbers("tilesPerWarp", ones);
  unsigned elementBitWidth = fields.number("elementBitWidth", 32);
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<AmdMfmaEncodingAttr>(parser, fields, version, warpsPerCTA, instrShape, isTransposed,
                                    cga, tilesPerWarp, elementBitWidth);
}

void AmdMfmaEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter fields(printer);
  fields.number("version", getVersion())
      .numbers("warpsPerCTA", getWarpsPerCTA())
      .numbers("instrShape", getInstrShape())
      .boolean("isTransposed", getIsTransposed())
      .cgaLayout(getCGALayout());
  if (product(getTilesPerWarp()) != 1)
    fields.numbers("tilesPerWarp", getTilesPerWarp());
  if (getElementBitWidth() != 32)
    fields.number("elementBitWidth", getElementBitWidth());
}

static constexpr unsigned kWmmaShape[] = {16, 16, 16};

AmdWmmaParams AmdWmmaEncodingAttr::getParams() const {
  return {getVersion(),
          getIsTransposed(),
          SmallVector<unsigned>(getWarpsPerCTA()),
          SmallVector<unsigned>(getTilesPerWarp()),
          SmallVector<unsigned>(getInstrShape()),
          getCGALayout().getBases()};
}

unsigned AmdWmmaEncodingAttr::getRank() const { return getWarpsPerCTA().size(); }
unsigned AmdWmmaEncodingAttr::getNumLanes() const { return 32; }
unsigned AmdWmmaEncodingAttr::getNumWarps() const { return product(getWarpsPerCTA()); }

LogicalResult AmdWmmaEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                          unsigned version, bool isTransposed,
                                          ArrayRef<unsigned> warpsPerCTA, CGALayoutAttr cga,
                                          ArrayRef<unsigned> tilesPerWarp,
                                          ArrayRef<unsigned> instrShape) {
  // [ttg.amd_wmma.C1] versions that exist
  // [ttg.amd_wmma.C2] instructions that exist
  // [ttg.amd_wmma.C3] sizes are powers of two, one per dimension
  return report(whyInvalid(AmdWmmaParams{version, isTransposed, SmallVector<unsigned>(warpsPerCTA),
                                         SmallVector<unsigned>(tilesPerWarp),
                                         SmallVector<unsigned>(instrShape), cga.getBases()}),
                emitError);
}

Attribute AmdWmmaEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned version = fields.number("version");
  bool isTransposed = fields.boolean("isTranspose");
  SmallVector<unsigned> warpsPerCTA = fields.numbers("warpsPerCTA");
  CGALayoutAttr cga = fields.cgaLayout(warpsPerCTA.size());
  SmallVector<unsigned> ones(warpsPerCTA.size(), 1);
  SmallVector<unsigned> tilesPerWarp = fields.numbers("tilesPerWarp", ones);
  SmallVector<unsigned> instrShape = fields.numbers("instrShape", kWmmaShape);
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<AmdWmmaEncodingAttr>(parser, fields, version, isTransposed, warpsPerCTA, cga,
                                    tilesPerWarp, instrShape);
}

void AmdWmmaEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter fields(printer);
  fields.number("version", getVersion())
      .boolean("isTranspose", getIsTransposed())
      .numbers("warpsPerCTA", getWarpsPerCTA())
      .cgaLayout(getCGALayout());
  if (product(getTilesPerWarp()) != 1)
    fields.numbers("tilesPerWarp", getTilesPerWarp());
  if (getInstrShape() != ArrayRef(kWmmaShape))
    fields.numbers("instrShape", getInstrShape());
}
