//===- EncodingFields.h - reading and writing `<{name = value, ...}>` -----===//
// Encodings are dictionaries of numbers. FieldReader takes fields out of a dictionary by name, in
// any order, and collects the errors; FieldWriter prints them in a fixed order.
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
  /// Reads an unsigned number of at most 31 bits.
  unsigned number(llvm::StringRef name);
  unsigned number(llvm::StringRef name, unsigned absent);
  bool boolean(llvm::StringRef name);
  bool boolean(llvm::StringRef name, bool absent);
  llvm::SmallVector<unsigned> numbers(llvm::StringRef name);
  llvm::SmallVector<unsigned> numbers(llvm::StringRef name, llvm::ArrayRef<unsigned> absent);
  /// Reads lists of numbers, whose lengths are not compared.
  llvm::SmallVector<BasisVector> bases(llvm::StringRef name);
  /// Returns the length of the first list in `bases(name)`; `absent` if there is none.
  unsigned basisLength(llvm::StringRef name, unsigned absent) const;
  /// Reads `CGALayout`, which may be absent or empty.
  CGALayoutAttr cgaLayout(unsigned rank);
  template <typename AttrT> AttrT attribute(llvm::StringRef name, llvm::StringRef what) {
    auto attr = mlir::dyn_cast_or_null<AttrT>(take(name));
    if (!attr)
      complain(name, what);
    return attr;
  }

  /// Fails if any field was missing, malformed or not read.
  mlir::LogicalResult finish();

  llvm::SMLoc getLoc() const { return loc; }

private:
  mlir::Attribute take(llvm::StringRef name);
  /// Reports, once, that `name` should have been `what`.
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
  /// Writes the bases of one input of a layout.
  FieldWriter &bases(llvm::StringRef name, const LinearLayout &layout, Dim in);
  FieldWriter &attribute(llvm::StringRef name, mlir::Attribute value);
  /// Writes nothing for a single CTA.
  FieldWriter &cgaLayout(CGALayoutAttr value);

private:
  FieldWriter &name(llvm::StringRef name);

  mlir::AsmPrinter &printer;
  llvm::StringRef close;
  bool first = true;
};

/// Returns the layout whose bases the dictionary lists under the names of `ins`; with
/// `absentIsEmpty`, inputs may be absent. Emits a diagnostic on failure.
mlir::FailureOr<LinearLayout> readLayout(mlir::AsmParser &parser, FieldReader &fields,
                                         llvm::ArrayRef<Dim> ins, bool absentIsEmpty = false);

/// Reports why TTGIR/Layout rejects a set of parameters.
mlir::LogicalResult report(const std::optional<std::string> &whyInvalid,
                           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Returns the attribute if its rules allow it; otherwise null, with a diagnostic at the start of
/// the fields.
template <typename AttrT, typename... Args>
mlir::Attribute getAt(mlir::AsmParser &parser, const FieldReader &fields, Args &&...args) {
  auto emitError = [&] { return parser.emitError(fields.getLoc()); };
  if (failed(AttrT::verify(emitError, args...)))
    return {};
  return AttrT::get(parser.getContext(), args...);
}

/// Returns how `layout` distributes a tensor over CTAs.
CGALayoutAttr getCGALayoutOf(mlir::MLIRContext *context, const LinearLayout &layout);

} // namespace tessera::ttg
