//===- TTGSharedAttrs.cpp - the encodings of buffers in shared memory -----===//
#include "EncodingFields.h"
#include "tessera/TTGIR/IR/TTGAttrs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

/// The alignment for shared memory accesses of up to 128 bits.
static constexpr unsigned kDefaultAlignment = 16;
static constexpr Dim kSharedDims[] = {Dim::offset(), Dim::block()};

//===----------------------------------------------------------------------===//
// Swizzled
//===----------------------------------------------------------------------===//

static SwizzledSharedParams swizzleParams(unsigned vec, unsigned perPhase, unsigned maxPhase,
                                          ArrayRef<unsigned> order, CGALayoutAttr cga) {
  return {vec, perPhase, maxPhase, SmallVector<unsigned>(order), cga.getBases()};
}

template <typename AttrT> static Attribute parseSwizzled(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned vec = fields.number("vec");
  unsigned perPhase = fields.number("perPhase");
  unsigned maxPhase = fields.number("maxPhase");
  SmallVector<unsigned> order = fields.numbers("order");
  CGALayoutAttr cga = fields.cgaLayout(order.size());
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<AttrT>(parser, fields, vec, perPhase, maxPhase, order, cga);
}

template <typename AttrT> static void printSwizzled(AsmPrinter &printer, AttrT attr) {
  FieldWriter(printer)
      .number("vec", attr.getVec())
      .number("perPhase", attr.getPerPhase())
      .number("maxPhase", attr.getMaxPhase())
      .numbers("order", attr.getOrder())
      .cgaLayout(attr.getCGALayout());
}

SwizzledSharedParams SwizzledSharedEncodingAttr::getParams() const {
  return swizzleParams(getVec(), getPerPhase(), getMaxPhase(), getOrder(), getCGALayout());
}
unsigned SwizzledSharedEncodingAttr::getRank() const { return getOrder().size(); }
unsigned SwizzledSharedEncodingAttr::getAlignment() const { return kDefaultAlignment; }

LogicalResult SwizzledSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                 unsigned vec, unsigned perPhase, unsigned maxPhase,
                                                 ArrayRef<unsigned> order, CGALayoutAttr cga) {
  // [ttg.swizzled_shared.C1] powers of two; order is a permutation
  return report(whyInvalid(swizzleParams(vec, perPhase, maxPhase, order, cga)), emitError);
}

Attribute SwizzledSharedEncodingAttr::parse(AsmParser &parser, Type) {
  return parseSwizzled<SwizzledSharedEncodingAttr>(parser);
}
void SwizzledSharedEncodingAttr::print(AsmPrinter &printer) const { printSwizzled(printer, *this); }

SwizzledSharedParams AmdRotatingSharedEncodingAttr::getParams() const {
  return swizzleParams(getVec(), getPerPhase(), getMaxPhase(), getOrder(), getCGALayout());
}
unsigned AmdRotatingSharedEncodingAttr::getRank() const { return getOrder().size(); }
unsigned AmdRotatingSharedEncodingAttr::getAlignment() const { return kDefaultAlignment; }

LogicalResult AmdRotatingSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                                    unsigned vec, unsigned perPhase,
                                                    unsigned maxPhase, ArrayRef<unsigned> order,
                                                    CGALayoutAttr cga) {
  // [ttg.amd_rotating_shared.C1] powers of two; order is a permutation
  return report(whyInvalid(swizzleParams(vec, perPhase, maxPhase, order, cga)), emitError);
}

Attribute AmdRotatingSharedEncodingAttr::parse(AsmParser &parser, Type) {
  return parseSwizzled<AmdRotatingSharedEncodingAttr>(parser);
}
void AmdRotatingSharedEncodingAttr::print(AsmPrinter &printer) const {
  printSwizzled(printer, *this);
}

//===----------------------------------------------------------------------===//
// NVMMA
//===----------------------------------------------------------------------===//

static NvmmaSharedParams nvmmaParams(unsigned swizzlingByteWidth, bool transposed,
                                     unsigned elementBitWidth, bool fp4Padded, CGALayoutAttr cga) {
  return {swizzlingByteWidth, transposed,    elementBitWidth,
          fp4Padded,          cga.getRank(), cga.getBases()};
}

NvmmaSharedParams NvmmaSharedEncodingAttr::getParams() const {
  return nvmmaParams(getSwizzlingByteWidth(), getTransposed(), getElementBitWidth(), getFp4Padded(),
                     getCGALayout());
}
unsigned NvmmaSharedEncodingAttr::getRank() const { return getCGALayout().getRank(); }
unsigned NvmmaSharedEncodingAttr::getAlignment() const {
  // The period of the swizzle: PTX ISA, wgmma matrix descriptor, base alignment.
  return 128 * std::max(1u, getSwizzlingByteWidth() / 16);
}

LogicalResult NvmmaSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                              unsigned swizzlingByteWidth, bool transposed,
                                              unsigned elementBitWidth, bool fp4Padded,
                                              CGALayoutAttr cga) {
  // [ttg.nvmma_shared.C1] a swizzle, width and rank that TMA has
  return report(
      whyInvalid(nvmmaParams(swizzlingByteWidth, transposed, elementBitWidth, fp4Padded, cga)),
      emitError);
}

Attribute NvmmaSharedEncodingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  unsigned swizzlingByteWidth = fields.number("swizzlingByteWidth");
  bool transposed = fields.boolean("transposed");
  unsigned elementBitWidth = fields.number("elementBitWidth");
  bool fp4Padded = fields.boolean("fp4Padded", false);
  unsigned rank = fields.number("rank", fields.basisLength("CGALayout", 2));
  CGALayoutAttr cga = fields.cgaLayout(rank);
  if (failed(fields.finish()) || parser.parseGreater())
    return {};
  return getAt<NvmmaSharedEncodingAttr>(parser, fields, swizzlingByteWidth, transposed,
                                        elementBitWidth, fp4Padded, cga);
}

void NvmmaSharedEncodingAttr::print(AsmPrinter &printer) const {
  FieldWriter fields(printer);
  fields.number("swizzlingByteWidth", getSwizzlingByteWidth())
      .boolean("transposed", getTransposed())
      .number("elementBitWidth", getElementBitWidth());
  if (getFp4Padded())
    fields.boolean("fp4Padded", true);
  // Triton 3.6 omits the rank if there is a CGALayout, and then cannot parse its own output.
  if (getRank() != 2)
    fields.number("rank", getRank());
  fields.cgaLayout(getCGALayout());
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

/// No element is at two offsets, and offsets are unused only by whole bits.
static std::optional<std::string> whyInvalidShared(const LinearLayout &layout) {
  if (ArrayRef(layout.inDims()) != ArrayRef(kSharedDims))
    return "a buffer's layout has the inputs offset and block";
  LinearLayout used = layout.removeZeroBases(Dim::offset()).removeZeroBases(Dim::block());
  if (!used.isInvertible())
    return "the bases do not reach every element exactly once";
  return std::nullopt;
}

unsigned SharedLinearEncodingAttr::getRank() const { return getLayout().outs().size(); }
unsigned SharedLinearEncodingAttr::getAlignment() const { return getLayoutAlignment(); }
CGALayoutAttr SharedLinearEncodingAttr::getCGALayout() const {
  return getCGALayoutOf(getContext(), getLayout());
}

LogicalResult SharedLinearEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               LinearLayout layout, unsigned alignment) {
  // [ttg.shared_linear.C1] alignments are powers of two
  if (!llvm::isPowerOf2_32(alignment))
    return emitError() << "alignment " << alignment << " is not a power of two";
  // [ttg.shared_linear.C2] every element has its place
  return report(whyInvalidShared(layout), emitError);
}

Attribute SharedLinearEncodingAttr::parse(AsmParser &parser, Type) {
  uint32_t alignment = 0;
  if (parser.parseLess())
    return {};
  FieldReader fields(parser);
  FailureOr<LinearLayout> layout = readLayout(parser, fields, kSharedDims, /*absentIsEmpty=*/true);
  if (failed(layout) || parser.parseComma() || parser.parseKeyword("alignment") ||
      parser.parseEqual() || parser.parseInteger(alignment) || parser.parseGreater())
    return {};
  return getAt<SharedLinearEncodingAttr>(parser, fields, *layout, alignment);
}

void SharedLinearEncodingAttr::print(AsmPrinter &printer) const {
  {
    FieldWriter fields(printer, "<{", "}");
    fields.bases("offset", getLayout(), Dim::offset());
    if (getLayout().inBits(Dim::block()) != 0)
      fields.bases("block", getLayout(), Dim::block());
  }
  printer << ", alignment = " << getLayoutAlignment() << '>';
}

//===----------------------------------------------------------------------===//
// Padded
//===----------------------------------------------------------------------===//

unsigned PaddedSharedEncodingAttr::getRank() const { return getLayout().outs().size(); }
unsigned PaddedSharedEncodingAttr::getAlignment() const { return kDefaultAlignment; }
CGALayoutAttr PaddedSharedEncodingAttr::getCGALayout() const {
  return getCGALayoutOf(getContext(), getLayout());
}

SmallVector<PaddingInterval> PaddedSharedEncodingAttr::getPaddingIntervals() const {
  SmallVector<PaddingInterval> result;
  for (auto [interval, padding] : llvm::zip(getIntervals(), getPaddings()))
    result.push_back({interval, padding});
  return result;
}

LogicalResult PaddedSharedEncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                               ArrayRef<unsigned> intervals,
                                               ArrayRef<unsigned> paddings, LinearLayout layout) {
  // [ttg.padded_shared.C1] a padding for each interval, at least one
  if (intervals.empty() || intervals.size() != paddings.size())
    return emitError() << "expected one padding for each interval, and at least one interval";
  // [ttg.padded_shared.C2] powers of two
  for (unsigned value : llvm::concat<const unsigned>(intervals, paddings))
    if (!llvm::isPowerOf2_32(value))
      return emitError() << "interval or padding " << value << " is not a power of two";
  // [ttg.padded_shared.C3] each interval once
  for (auto [index, interval] : llvm::enumerate(intervals))
    if (llvm::is_contained(intervals.drop_front(index + 1), interval))
      return emitError() << "interval " << interval << " occurs twice";
  // [ttg.padded_shared.C4] every element has its place, and no place is left out
  if (auto why = whyInvalidShared(layout))
    return report(why, emitError);
  if (!layout.isInjective())
    return emitError() << "a padded layout has no zero bases";
  // [ttg.padded_shared.C5] padding follows rows, so no basis leaves one dimension
  for (unsigned bit = 0; bit < layout.inBits(Dim::offset()); ++bit)
    if (llvm::count_if(layout.basis(Dim::offset(), bit), [](int64_t c) { return c != 0; }) > 1)
      return emitError() << "offset basis " << bit << " moves along more than one dimension";
  return success();
}

/// `[128:+8, 32:+4]`
static ParseResult parseIntervals(AsmParser &parser, SmallVectorImpl<unsigned> &intervals,
                                  SmallVectorImpl<unsigned> &paddings) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    uint32_t interval = 0, padding = 0;
    if (parser.parseInteger(interval) || parser.parseColon() || parser.parsePlus() ||
        parser.parseInteger(padding))
      return failure();
    intervals.push_back(interval);
    paddings.push_back(padding);
    return success();
  });
}

/// Reads the linear part, written as `{order, shape}` or as bases.
static FailureOr<LinearLayout> readPaddedLayout(AsmParser &parser, FieldReader &fields) {
  if (!fields.has("order") && !fields.has("shape"))
    return readLayout(parser, fields, kSharedDims);
  SmallVector<unsigned> order = fields.numbers("order");
  SmallVector<unsigned> sizes = fields.numbers("shape");
  if (failed(fields.finish()))
    return failure();
  SmallVector<int64_t> shape(sizes.begin(), sizes.end());
  // [ttg.padded_shared.C6] the shape can be laid out in this order
  if (auto why = whyInvalid(SwizzledSharedParams{1, 1, 1, order}, shape))
    return parser.emitError(fields.getLoc()) << *why;
  return rowMajorSharedLayout(shape, order);
}

Attribute PaddedSharedEncodingAttr::parse(AsmParser &parser, Type) {
  SmallVector<unsigned> intervals, paddings;
  if (parser.parseLess() || parseIntervals(parser, intervals, paddings))
    return {};
  FieldReader fields(parser);
  FailureOr<LinearLayout> layout = readPaddedLayout(parser, fields);
  if (failed(layout) || parser.parseGreater())
    return {};
  return getAt<PaddedSharedEncodingAttr>(parser, fields, intervals, paddings, *layout);
}

/// Returns the dimensions in the order in which offsets step through them, then the others, last to
/// first.
static SmallVector<unsigned> walkOrder(const LinearLayout &layout) {
  SmallVector<unsigned> order;
  auto append = [&](unsigned dim) {
    if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  };
  for (unsigned bit = 0; bit < layout.inBits(Dim::offset()); ++bit)
    for (auto [dim, component] : llvm::enumerate(layout.basis(Dim::offset(), bit)))
      if (component != 0)
        append(dim);
  for (unsigned dim = layout.outs().size(); dim-- > 0;)
    append(dim);
  return order;
}

void PaddedSharedEncodingAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getPaddingIntervals(), printer, [&](const PaddingInterval &pad) {
    printer << pad.interval << ":+" << pad.padding;
  });
  FieldWriter fields(printer, "] {", "}>");
  const LinearLayout &layout = getLayout();
  SmallVector<unsigned> order = walkOrder(layout);
  SmallVector<int64_t> shape;
  for (const DimBits &out : layout.outs())
    shape.push_back(out.size());
  if (rowMajorSharedLayout(shape, order) == layout) {
    fields.numbers("order", order)
        .numbers("shape", SmallVector<unsigned>(shape.begin(), shape.end()));
    return;
  }
  fields.bases("offset", layout, Dim::offset()).bases("block", layout, Dim::block());
}
