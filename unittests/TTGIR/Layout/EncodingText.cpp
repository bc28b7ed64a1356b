//===- EncodingText.cpp - reads the types in the test vectors -------------===//
#include "EncodingText.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::test;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
struct Reader {
  StringRef text;
  bool ok = true;

  bool accept(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }
  void expect(StringRef token) { ok &= accept(token); }
  std::string word() {
    text = text.ltrim();
    StringRef taken = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    text = text.drop_front(taken.size());
    ok &= !taken.empty();
    return taken.str();
  }

  Value value() {
    Value result;
    if (accept("[")) {
      while (ok && !accept("]")) {
        result.list.push_back(value());
        accept(",");
      }
    } else if (accept("#ttg.")) {
      result.encoding = std::make_shared<Encoding>(encoding());
    } else {
      std::string text = word();
      if (text == "true" || text == "false")
        result.number = text == "true";
      else
        ok &= !StringRef(text).getAsInteger(10, result.number);
    }
    return result;
  }

  Encoding encoding() {
    Encoding result;
    result.name = word();
    expect("<");
    expect("{");
    while (ok && !accept("}")) {
      std::string field = word();
      expect("=");
      result.fields[field] = value();
      accept(",");
    }
    expect(">");
    return result;
  }
};
} // namespace

EncodedType test::parseEncodedType(StringRef text) {
  Reader reader{text};
  if (!reader.accept("tensor<"))
    reader.expect("!ttg.memdesc<");
  EncodedType type;
  int64_t size = 0;
  while (!reader.text.consumeInteger(10, size)) {
    type.shape.push_back(size);
    reader.expect("x");
  }
  reader.word(); // element type
  reader.expect(",");
  reader.expect("#ttg.");
  type.encoding = reader.encoding();
  EXPECT_TRUE(reader.ok) << text.str() << "\nat: " << reader.text.str();
  return type;
}

int64_t Encoding::number(const std::string &field) const {
  auto found = fields.find(field);
  return found == fields.end() ? 0 : found->second.number;
}

SmallVector<unsigned> Encoding::numbers(const std::string &field) const {
  SmallVector<unsigned> result;
  if (has(field))
    for (const Value &value : fields.at(field).list)
      result.push_back(value.number);
  return result;
}

SmallVector<BasisVector> Encoding::vectors(const std::string &field) const {
  SmallVector<BasisVector> result;
  if (has(field))
    for (const Value &row : fields.at(field).list) {
      result.emplace_back();
      for (const Value &value : row.list)
        result.back().push_back(value.number);
    }
  return result;
}

static CgaBases cgaOf(const Encoding &encoding) {
  CgaBases cga;
  llvm::append_range(cga, encoding.vectors("CGALayout"));
  return cga;
}

BlockedParams test::blockedParams(const Encoding &e) {
  return {.sizePerThread = e.numbers("sizePerThread"),
          .threadsPerWarp = e.numbers("threadsPerWarp"),
          .warpsPerCTA = e.numbers("warpsPerCTA"),
          .order = e.numbers("order"),
          .cga = cgaOf(e)};
}

NvidiaMmaParams test::mmaParams(const Encoding &e) {
  return {.versionMajor = unsigned(e.number("versionMajor")),
          .versionMinor = unsigned(e.number("versionMinor")),
          .warpsPerCTA = e.numbers("warpsPerCTA"),
          .instrShape = e.numbers("instrShape"),
          .cga = cgaOf(e)};
}

static SmallVector<unsigned> numbersOr(const Encoding &e, const std::string &name,
                                       SmallVector<unsigned> other) {
  return e.has(name) ? e.numbers(name) : other;
}

static AmdMfmaParams mfmaParams(const Encoding &e) {
  SmallVector<unsigned> warps = e.numbers("warpsPerCTA"), ones(warps.size(), 1);
  return {.version = unsigned(e.number("version")),
          .warpsPerCTA = warps,
          .instrShape = e.numbers("instrShape"),
          .isTransposed = e.number("isTransposed") != 0,
          .tilesPerWarp = numbersOr(e, "tilesPerWarp", ones),
          .elementBitWidth = e.has("elementBitWidth") ? unsigned(e.number("elementBitWidth")) : 32,
          .cga = cgaOf(e)};
}

static AmdWmmaParams wmmaParams(const Encoding &e) {
  SmallVector<unsigned> warps = e.numbers("warpsPerCTA"), ones(warps.size(), 1);
  return {.version = unsigned(e.number("version")),
          .isTransposed = e.number("isTranspose") != 0,
          .warpsPerCTA = warps,
          .tilesPerWarp = numbersOr(e, "tilesPerWarp", ones),
          .instrShape = numbersOr(e, "instrShape", {16, 16, 16}),
          .cga = cgaOf(e)};
}

static SwizzledSharedParams swizzledParams(const Encoding &e) {
  return {.vec = unsigned(e.number("vec")),
          .perPhase = unsigned(e.number("perPhase")),
          .maxPhase = unsigned(e.number("maxPhase")),
          .order = e.numbers("order"),
          .cga = cgaOf(e)};
}

static NvmmaSharedParams nvmmaParams(const Encoding &e) {
  CgaBases cga = cgaOf(e);
  unsigned rank = e.has("rank") ? e.number("rank") : cga.empty() ? 2 : cga[0].size();
  return {.swizzlingByteWidth = unsigned(e.number("swizzlingByteWidth")),
          .transposed = e.number("transposed") != 0,
          .elementBitWidth = unsigned(e.number("elementBitWidth")),
          .fp4Padded = e.number("fp4Padded") != 0,
          .rank = rank,
          .cga = cga};
}

static LayoutOrReason dotOperand(const Encoding &e, ArrayRef<int64_t> shape) {
  unsigned opIdx = e.number("opIdx"), kWidth = e.number("kWidth");
  if (e.parent().name == "blocked") {
    BlockedParams parent = blockedParams(e.parent());
    if (auto why = whyInvalidDotOperand(opIdx, parent))
      return {std::nullopt, *why};
    return {dotOperandLayout(shape, opIdx, parent), ""};
  }
  auto make = [&](const auto &parent) -> LayoutOrReason {
    if (auto why = whyInvalidDotOperand(opIdx, kWidth, parent))
      return {std::nullopt, *why};
    return {dotOperandLayout(shape, opIdx, kWidth, parent), ""};
  };
  if (e.parent().name == "amd_mfma")
    return make(mfmaParams(e.parent()));
  if (e.parent().name == "amd_wmma")
    return make(wmmaParams(e.parent()));
  return make(mmaParams(e.parent()));
}

static LayoutOrReason linear(const Encoding &e, ArrayRef<int64_t> shape) {
  SmallVector<DimBases> ins;
  for (Dim dim : {Dim::reg(), Dim::lane(), Dim::warp(), Dim::block()})
    ins.push_back({dim, e.vectors(dim.name())});
  SmallVector<Dim> outs;
  for (unsigned d = 0; d < shape.size(); ++d)
    outs.push_back(Dim::axis(d));
  std::optional<LinearLayout> bases = LinearLayout::fromBases(ins, outs);
  if (!bases)
    return {std::nullopt, "malformed bases"};
  if (auto why = whyInvalidLinear(*bases))
    return {std::nullopt, *why};
  return {linearLayout(shape, *bases), ""};
}

template <typename Params>
static LayoutOrReason checked(ArrayRef<int64_t> shape, const Params &params,
                              LinearLayout (*make)(ArrayRef<int64_t>, const Params &)) {
  if (auto why = whyInvalid(params, shape))
    return {std::nullopt, *why};
  return {make(shape, params), ""};
}

LayoutOrReason test::layoutOf(const Encoding &e, ArrayRef<int64_t> shape) {
  if (e.name == "blocked")
    return checked(shape, blockedParams(e), blockedLayout);
  if (e.name == "nvidia_mma")
    return checked(shape, mmaParams(e), nvidiaMmaLayout);
  if (e.name == "amd_mfma")
    return checked(shape, mfmaParams(e), amdMfmaLayout);
  if (e.name == "amd_wmma")
    return checked(shape, wmmaParams(e), amdWmmaLayout);
  if (e.name == "swizzled_shared")
    return checked(shape, swizzledParams(e), swizzledSharedLayout);
  if (e.name == "nvmma_shared")
    return checked(shape, nvmmaParams(e), nvmmaSharedLayout);
  if (e.name == "amd_rotating_shared")
    return checked(shape, swizzledParams(e), rotatingSharedLayout);
  if (e.name == "dot_op")
    return dotOperand(e, shape);
  if (e.name == "linear")
    return linear(e, shape);
  if (e.name == "slice") {
    unsigned dim = e.number("dim");
    LayoutOrReason parent = layoutOf(e.parent(), sliceParentShape(shape, dim));
    if (parent.layout)
      parent.layout = sliceLayout(*parent.layout, dim);
    return parent;
  }
  return {std::nullopt, "unknown encoding " + e.name};
}
