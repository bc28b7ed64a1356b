//===- EncodingFields.h - reading and writing `<{name = value, ...}>` -----===//
// Encodings are dictionaries of numbers. FieldReader takes fields out of one by
// name, in any order, and collects what is wrong with them; FieldWriter prints
// them in a fixed order.
//
//   FieldReader fields(parser);
//   SmallVector<unsigned> order = fields.numbers("order");
//   if (failed(fields.finish())) return {};      // one diagnostic was emitted
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/IR/TTGAttrs.h"
#include "mlir/IR/OpImplementation.h"

namespace tessera::ttg {

class FieldReader {
public:
  /// Reads `{...}`.
  explicit FieldReader(mlir::AsmParser &parser);

  bool has(llvm::StringRef name) const { return fields && fields.contains(name); }
  /// A number that fits 31 bits, no sign.
  unsigned number(llvm::StringRef name);
  unsigned number(llvm::StringRef name, unsigned absent);
  bool boolean(llvm::StringRef name);
  bool boolean(llvm::StringRef name, bool absent);
  llvm::SmallVector<unsigned> numbers(llvm::StringRef name);
  llvm::SmallVector<unsigned> numbers(llvm::StringRef name, llvm::ArrayRef<unsigned> absent);
  /// Lists of numbers. Lengths are not compared.
  llvm::SmallVector<BasisVector> bases(llvm::StringRef name);
  /// The length of the first list in `bases(name)`; `absent` when there is none.
  unsigned basisLength(llvm::StringRef name, unsigned absent) const;
  /// `CGALayout`, which may be absent or empty.
  CGALayoutAttr cgaLayout(unsigned rank);
  template <typename AttrT> AttrT attribute(llvm::StringRef name, llvm::StringRef what) {
    auto attr = mlir::dyn_cast_or_null<AttrT>(take(name));
    if (!attr)
      complain(name, what);
    return attr;
  }

  /// Failure if anything was missing, malformed or never asked for.
  mlir::LogicalResult finish();

  llvm::SMLoc getLoc() const { return loc; }

private:
  mlir::Attribute take(llvm::StringRef name);
  /// Says, once, that `name` should have been `what`.
  void complain(llvm::StringRef name, llvm::StringRef what);
  std::optional<int64_t> toNumber(mlir::Attribute attr);

  mlir::AsmParser &parser;
  llvm::SMLoc loc;
  mlir::DictionaryAttr fields;
  llvm::SmallVector<std::string> taken;
  bool wrong = false;
};

class FieldWriter {
public:
  /// Writes `<{`; the destructor writes `}>`.
  explicit FieldWriter(mlir::AsmPrinter &printer, llvm::StringRef open = "<{",
                       llvm::StringRef close = "}>");
  ~FieldWriter();

  FieldWriter &number(llvm::StringRef name, unsigned value);
  FieldWriter &boolean(llvm::StringRef name, bool value);
  FieldWriter &numbers(llvm::StringRef name, llvm::ArrayRef<unsigned> values);
  FieldWriter &bases(llvm::StringRef name, llvm::ArrayRef<BasisVector> bases);
  /// The bases of one input of a layout.
  FieldWriter &bases(llvm::StringRef name, const LinearLayout &layout, Dim in);
  FieldWriter &attribute(llvm::StringRef name, mlir::Attribute value);
  /// Nothing for a single CTA.
  FieldWriter &cgaLayout(CGALayoutAttr value);

private:
  FieldWriter &name(llvm::StringRef name);

  mlir::AsmPrinter &printer;
  llvm::StringRef close;
  bool first = true;
};

/// The layout whose bases the dictionary lists under the names of `ins`; inputs that
/// may be absent come with `absentIsEmpty`. Emits a diagnostic on failure.
mlir::FailureOr<LinearLayout> readLayout(mlir::AsmParser &parser, FieldReader &fields,
                                         llvm::ArrayRef<Dim> ins, bool absentIsEmpty = false);

/// The verdict of TTGIR/Layout on a set of parameters.
mlir::LogicalResult report(const std::optional<std::string> &whyInvalid,
                           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The attribute if its rules allow it, else null with a diagnostic at the fields' start.
template <typename AttrT, typename... Args>
mlir::Attribute getAt(mlir::AsmParser &parser, const FieldReader &fields, Args &&...args) {
  auto emitError = [&] { return parser.emitError(fields.getLoc()); };
  if (failed(AttrT::verify(emitError, args...)))
    return {};
  return AttrT::get(parser.getContext(), args...);
}

/// How the CTAs share what `layout` lays out.
CGALayoutAttr getCGALayoutOf(mlir::MLIRContext *context, const LinearLayout &layout);

} // namespace tessera::ttg
