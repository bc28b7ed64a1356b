//===- EncodingFields.cpp - reading and writing `<{name = value, ...}>` ---===//
#include "EncodingFields.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

FieldReader::FieldReader(AsmParser &parser) : parser(parser), loc(parser.getCurrentLocation()) {
  wrong = failed(parser.parseAttribute(fields));
}

Attribute FieldReader::take(StringRef name) {
  taken.push_back(name.str());
  return fields ? fields.get(name) : Attribute();
}

void FieldReader::complain(StringRef name, StringRef what) {
  if (!wrong)
    parser.emitError(loc) << "expected '" << name << "' to be " << what;
  wrong = true;
}

std::optional<int64_t> FieldReader::toNumber(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  // A boolean is an integer attribute too, and an index or a wide integer may exceed 64 bits.
  if (!integer || integer.getType().isInteger(1) || integer.getValue().getBitWidth() > 64)
    return std::nullopt;
  int64_t value = integer.getValue().getSExtValue();
  if (value < 0 || value > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  return value;
}

unsigned FieldReader::number(StringRef name) {
  std::optional<int64_t> value = toNumber(take(name));
  if (!value)
    complain(name, "a number from 0 to 2147483647");
  return value.value_or(0);
}

unsigned FieldReader::number(StringRef name, unsigned absent) {
  return has(name) ? number(name) : absent;
}

bool FieldReader::boolean(StringRef name) {
  auto value = attribute<BoolAttr>(name, "true or false");
  return value && value.getValue();
}

bool FieldReader::boolean(StringRef name, bool absent) {
  return has(name) ? boolean(name) : absent;
}

SmallVector<unsigned> FieldReader::numbers(StringRef name) {
  constexpr StringLiteral what = "a list of numbers from 0 to 2147483647";
  SmallVector<unsigned> values;
  auto list = attribute<ArrayAttr>(name, what);
  for (Attribute element : list ? list.getValue() : ArrayRef<Attribute>()) {
    std::optional<int64_t> value = toNumber(element);
    if (!value)
      complain(name, what);
    values.push_back(value.value_or(0));
  }
  return values;
}

SmallVector<unsigned> FieldReader::numbers(StringRef name, ArrayRef<unsigned> absent) {
  return has(name) ? numbers(name) : SmallVector<unsigned>(absent);
}

SmallVector<BasisVector> FieldReader::bases(StringRef name) {
  constexpr StringLiteral what = "a list of lists of numbers from 0 to 2147483647";
  SmallVector<BasisVector> result;
  auto list = attribute<ArrayAttr>(name, what);
  for (Attribute element : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto inner = dyn_cast<ArrayAttr>(element);
    if (!inner)
      complain(name, what);
    BasisVector &basis = result.emplace_back();
    for (Attribute component : inner ? inner.getValue() : ArrayRef<Attribute>()) {
      std::optional<int64_t> value = toNumber(component);
      if (!value)
        complain(name, what);
      basis.push_back(value.value_or(0));
    }
  }
  return result;
}

unsigned FieldReader::basisLength(StringRef name, unsigned absent) const {
  auto list = fields ? fields.getAs<ArrayAttr>(name) : ArrayAttr();
  auto first = list && !list.empty() ? dyn_cast<ArrayAttr>(list[0]) : ArrayAttr();
  return first ? first.size() : absent;
}

CGALayoutAttr FieldReader::cgaLayout(unsigned rank) {
  MLIRContext *context = parser.getContext();
  if (!has("CGALayout"))
    return CGALayoutAttr::getTrivial(context, rank);
  SmallVector<BasisVector> vectors = bases("CGALayout");
  if (wrong)
    return CGALayoutAttr::getTrivial(context, rank);
  // [ttg.cga_layout.C1] one number per dimension in each basis. This is checked before the vectors
  // are flattened, when their lengths are still known.
  CgaBases cga(vectors.begin(), vectors.end());
  for (const BasisVector &basis : cga)
    if (basis.size() != rank)
      complain("CGALayout", "a list of vectors of " + std::to_string(rank) + " numbers");
  if (wrong)
    return CGALayoutAttr::getTrivial(context, rank);
  auto attr = CGALayoutAttr::getChecked([&] { return parser.emitError(loc); }, context, rank, cga);
  wrong |= !attr;
  return attr;
}

LogicalResult FieldReader::finish() {
  for (NamedAttribute field : fields ? fields.getValue() : ArrayRef<NamedAttribute>()) {
    if (wrong)
      break;
    if (!llvm::is_contained(taken, field.getName().getValue())) {
      parser.emitError(loc) << "unexpected field '" << field.getName().getValue() << "'";
      wrong = true;
    }
  }
  return failure(wrong);
}

FailureOr<LinearLayout> ttg::readLayout(AsmParser &parser, FieldReader &fields, ArrayRef<Dim> ins,
                                        bool absentIsEmpty) {
  SmallVector<DimBases> bases;
  size_t rank = 0;
  for (Dim in : ins) {
    bool absent = absentIsEmpty && in != ins.front() && !fields.has(in.name());
    SmallVector<BasisVector> vectors =
        absent ? SmallVector<BasisVector>() : fields.bases(in.name());
    if (rank == 0 && !vectors.empty())
      rank = vectors.front().size();
    bases.push_back({in, std::move(vectors)});
  }
  if (failed(fields.finish()))
    return failure();
  // [ttg.linear.C1] the rank can be read off the bases
  if (rank == 0 || rank > Dim::maxRank)
    return parser.emitError(fields.getLoc(), "expected basis vectors of 1 to ")
           << Dim::maxRank << " numbers";
  SmallVector<Dim> outs;
  for (size_t dim = 0; dim < rank; ++dim)
    outs.push_back(Dim::axis(dim));
  std::optional<LinearLayout> layout = LinearLayout::fromBases(bases, outs);
  // [ttg.linear.C2] the bases make a layout
  if (!layout)
    return parser.emitError(fields.getLoc(), "expected basis vectors of ")
           << rank << " numbers, and at most 62 bits in all";
  return *layout;
}

LogicalResult ttg::report(const std::optional<std::string> &whyInvalid,
                          function_ref<InFlightDiagnostic()> emitError) {
  if (!whyInvalid)
    return success();
  return emitError() << *whyInvalid;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

FieldWriter::FieldWriter(AsmPrinter &printer, StringRef open, StringRef close)
    : printer(printer), close(close) {
  printer << open;
}

FieldWriter::~FieldWriter() { printer << close; }

FieldWriter &FieldWriter::name(StringRef name) {
  printer << (first ? "" : ", ") << name << " = ";
  first = false;
  return *this;
}

FieldWriter &FieldWriter::number(StringRef field, unsigned value) {
  name(field).printer << value;
  return *this;
}

FieldWriter &FieldWriter::boolean(StringRef field, bool value) {
  name(field).printer << (value ? "true" : "false");
  return *this;
}

FieldWriter &FieldWriter::numbers(StringRef field, ArrayRef<unsigned> values) {
  name(field).printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
  return *this;
}

FieldWriter &FieldWriter::bases(StringRef field, ArrayRef<BasisVector> vectors) {
  name(field).printer << '[';
  llvm::interleaveComma(vectors, printer, [&](const BasisVector &basis) {
    printer << '[';
    llvm::interleaveComma(basis, printer);
    printer << ']';
  });
  printer << ']';
  return *this;
}

FieldWriter &FieldWriter::bases(StringRef field, const LinearLayout &layout, Dim in) {
  SmallVector<BasisVector> vectors;
  for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
    vectors.push_back(layout.basis(in, bit));
  return bases(field, vectors);
}

FieldWriter &FieldWriter::attribute(StringRef field, Attribute value) {
  name(field).printer << value;
  return *this;
}

FieldWriter &FieldWriter::cgaLayout(CGALayoutAttr value) {
  return value.isTrivial() ? *this : bases("CGALayout", value.getBases());
}
