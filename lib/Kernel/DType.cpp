//===- DType.cpp - a scalar type of the language --------------------------===//
// One row of ScalarTypes.def for each type; the functions read its columns.
//===----------------------------------------------------------------------===//
#include "tessera/Kernel/DType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

namespace {
struct Row {
  llvm::StringLiteral name, languageName;
  unsigned bits;
  llvm::StringLiteral cType;
  char numpyLetter;
  llvm::StringLiteral aliases;
  FloatFormat format = {};
};
} // namespace

/// In the order of DType::Kind.
static constexpr Row kRows[] = {
    {"void", "void", 0, "void", 0, ""},
#define INTEGER_TYPE(kind, name, tl, bits, c, numpy, dlpack, aliases, hostNames)                   \
  {name, tl, bits, c, numpy, aliases},
#define FLOAT_TYPE(kind, name, tl, bits, exponent, mantissa, bias, specials, c, numpy, dlpack,     \
                   aliases, hostNames)                                                             \
  {name, tl, bits, c, numpy, aliases, {exponent, mantissa, bias, FloatSpecials::specials}},
#include "tessera/Kernel/ScalarTypes.def"
};

static constexpr DType::Kind kKinds[] = {
#define SCALAR_TYPE(kind, name, tl, bits, c, numpy, dlpack, aliases, hostNames) DType::kind,
#include "tessera/Kernel/ScalarTypes.def"
};

llvm::StringRef DType::name() const { return kRows[kind].name; }
llvm::StringRef DType::languageName() const { return kRows[kind].languageName; }
unsigned DType::bits() const { return kRows[kind].bits; }
llvm::StringRef DType::cType() const { return kRows[kind].cType; }
char DType::numpyLetter() const { return kRows[kind].numpyLetter; }
FloatFormat DType::floatFormat() const { return kRows[kind].format; }

llvm::ArrayRef<DType::Kind> DType::all() { return kKinds; }

static bool isAlias(llvm::StringRef text, llvm::StringRef aliases) {
  return !aliases.empty() && llvm::is_contained(llvm::split(aliases, ' '), text);
}

std::optional<DType> DType::parse(llvm::StringRef text) {
  for (Kind kind : kKinds) {
    const Row &row = kRows[kind];
    if (text == row.name || text == row.languageName || isAlias(text, row.aliases))
      return DType(kind);
  }
  return std::nullopt;
}

DType DType::integer(unsigned bits, bool isSigned) {
  for (Kind kind : kKinds) {
    DType type(kind);
    if (type.isInt() && type.bits() == bits && (bits == 1 || type.isSigned() == isSigned))
      return type;
  }
  return DType(Int64);
}

std::string DType::allNames() {
  return llvm::join(llvm::map_range(kKinds, [](Kind kind) { return DType(kind).name(); }), " ");
}
