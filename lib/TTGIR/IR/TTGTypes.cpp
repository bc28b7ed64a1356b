//===- TTGTypes.cpp - buffers and tokens ----------------------------------===//
#include "tessera/TTGIR/IR/TTGTypes.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTIR/IR/TTTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

#define GET_TYPEDEF_CLASSES
#include "tessera/TTGIR/IR/TTGTypes.cpp.inc"

void TTGDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/TTGIR/IR/TTGTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// memdesc
//===----------------------------------------------------------------------===//

bool MemDescType::hasRank() const { return true; }

ShapedType MemDescType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  return MemDescType::get(shape.value_or(getShape()), elementType, getEncoding(), getMemorySpace(),
                          getMutableMemory(), shape ? *shape : getAllocShape());
}

ArrayRef<int64_t> MemDescType::getLayoutShape() const {
  auto encoding = dyn_cast<LayoutEncodingAttr>(getEncoding());
  return encoding ? getAllocShape().take_back(encoding.getRank()) : getAllocShape();
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  llvm::interleave(shape, printer, "x");
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  printShape(printer, getShape());
  printer << 'x' << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (isSubview()) {
    printer << ", ";
    printShape(printer, getAllocShape());
  }
  printer << '>';
}

Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, allocShape;
  Type elementType;
  Attribute encoding, memorySpace;
  bool mutableMemory = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() || parser.parseAttribute(encoding) ||
      parser.parseComma() || parser.parseAttribute(memorySpace))
    return {};
  allocShape = shape;
  if (succeeded(parser.parseOptionalComma())) {
    mutableMemory = succeeded(parser.parseOptionalKeyword("mutable"));
    if (!mutableMemory || succeeded(parser.parseOptionalComma())) {
      allocShape.clear();
      if (parser.parseDimensionList(allocShape, /*allowDynamic=*/false,
                                    /*withTrailingX=*/false))
        return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return MemDescType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape,
                                 elementType, encoding, memorySpace, mutableMemory, allocShape);
}

/// Returns the shape that the bases of a linear or padded encoding imply.
static std::optional<SmallVector<int64_t>> getFixedShape(Attribute encoding) {
  const LinearLayout *layout = nullptr;
  if (auto linear = dyn_cast<SharedLinearEncodingAttr>(encoding))
    layout = &linear.getLayout();
  else if (auto padded = dyn_cast<PaddedSharedEncodingAttr>(encoding))
    layout = &padded.getLayout();
  if (!layout)
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (const DimBits &out : layout->outs())
    shape.push_back(out.size());
  return shape;
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType, Attribute encoding,
                                  Attribute memorySpace, bool, ArrayRef<int64_t> allocShape) {
  // [ttg.memdesc.C1] a buffer has dimensions
  if (shape.empty())
    return emitError() << "a buffer needs rank 1 or more";
  // [ttg.memdesc.C2] and elements of a known size
  if (!isa<IntegerType, FloatType, tt::PointerType>(elementType))
    return emitError() << "a buffer holds integers, floats or pointers, not " << elementType;
  // [ttg.memdesc.C3] whose places a shared encoding says
  auto layout = dyn_cast<SharedEncodingAttr>(encoding);
  if (!layout)
    return emitError() << "a buffer needs a shared-memory encoding, not " << encoding;
  // [ttg.memdesc.C4] in shared memory
  if (!isa<SharedMemorySpaceAttr>(memorySpace))
    return emitError() << "a buffer lies in #ttg.shared_memory, not in " << memorySpace;
  // [ttg.memdesc.C5] of its rank, or with one more dimension that counts buffers
  unsigned rank = layout.getRank();
  if (rank != shape.size() && rank + 1 != shape.size())
    return emitError() << "an encoding of rank " << rank << " on a buffer of rank " << shape.size();
  // [ttg.memdesc.C6] a view lies within its buffer
  if (allocShape.size() < shape.size())
    return emitError() << "a buffer of rank " << allocShape.size() << " has no view of rank "
                       << shape.size();
  for (auto [size, whole] : llvm::zip(shape, allocShape.take_back(shape.size())))
    if (size > whole)
      return emitError() << "a view of size " << size << " in a buffer of size " << whole;
  // [ttg.memdesc.C7] what is laid out has sizes of powers of two, the count of buffers any
  for (int64_t size : llvm::concat<const int64_t>(shape, allocShape))
    if (size < 1)
      return emitError() << "size " << size << " is not positive";
  if (auto why = whyInvalidShape(allocShape.take_back(rank)))
    return emitError() << *why;
  for (int64_t size : shape.take_back(rank))
    if (!llvm::isPowerOf2_64(size))
      return emitError() << "size " << size << " is not a power of two";
  // [ttg.memdesc.C8] encodings that spell out a shape mean that one
  if (auto fixed = getFixedShape(encoding); fixed && ArrayRef(*fixed) != allocShape.take_back(rank))
    return emitError() << "the encoding lays out [" << *fixed << "], but the buffer is ["
                       << allocShape.take_back(rank) << "]";
  return success();
}
