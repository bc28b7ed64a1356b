//===- Remarks.h - what a pass decided, and why ---------------------------===//
// A pass that chooses says in one statement what it chose, why, and with which numbers:
//
//   decided(load, "ttg-coalesce", "access-layout")
//       .says("a thread moves {0} elements of {1} bits at once", 4, 32)
//       .because("dim {0} is contiguous", 0)
//       .number("elements", 4);
//   declined(loop, "ttg-schedule-loops", "pipeline")
//       .says("the loop is not pipelined").because("its stores must not run ahead");
//
// `tessera compile --remarks` prints them with the Python line, and tools read them as JSON
// (docs/debugging.md). They pass through MLIR's remark engine, so that tessera-opt shows them
// with --remark-format=emitRemark --remarks-filter=PASS.
//
// Cost: without a listener, a test of one pointer; nothing is formatted. The arguments of says()
// and because() are evaluated all the same: test the remark first if they take work.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera {

/// The keys of a remark's sentence and of its reason; all other keys are numbers.
inline constexpr llvm::StringLiteral kRemarkText = "Remark";
inline constexpr llvm::StringLiteral kRemarkReason = "Reason";

/// A remark that is being composed; it is reported when it is destroyed.
class PassRemark {
public:
  explicit PassRemark(mlir::remark::detail::InFlightRemark remark) : remark(std::move(remark)) {}

  /// Returns whether anybody listens.
  explicit operator bool() const { return static_cast<bool>(remark); }

  /// The decision as a sentence without a full stop, in the format of llvm::formatv.
  template <typename... Ts> PassRemark &says(const char *format, Ts &&...values) {
    return add(kRemarkText, format, std::forward<Ts>(values)...);
  }
  /// The reason; for what was declined, the condition that failed.
  template <typename... Ts> PassRemark &because(const char *format, Ts &&...values) {
    return add(kRemarkReason, format, std::forward<Ts>(values)...);
  }
  /// A number of the decision, for tools. `key` must be a literal.
  template <typename T> PassRemark &number(llvm::StringLiteral key, T value) {
    if (remark)
      remark << mlir::remark::detail::Remark::Arg(key, value);
    return *this;
  }

private:
  template <typename... Ts>
  PassRemark &add(llvm::StringRef key, const char *format, Ts &&...values) {
    if (!remark)
      return *this;
    if constexpr (sizeof...(Ts) == 0)
      remark << mlir::remark::detail::Remark::Arg(key, llvm::StringRef(format));
    else
      remark << mlir::remark::detail::Remark::Arg(
          key, llvm::formatv(format, std::forward<Ts>(values)...).str());
    return *this;
  }

  mlir::remark::detail::InFlightRemark remark;
};

namespace detail {
inline mlir::remark::RemarkOpts remarkAbout(llvm::StringLiteral pass, llvm::StringLiteral name) {
  return mlir::remark::RemarkOpts::name(name).category(pass);
}
} // namespace detail

/// The pass does something. `name` tells tools which of the pass's decisions this is.
inline PassRemark decided(mlir::Location loc, llvm::StringLiteral pass, llvm::StringLiteral name) {
  return PassRemark(mlir::remark::passed(loc, detail::remarkAbout(pass, name)));
}
/// The pass leaves something as it is that it could have improved.
inline PassRemark declined(mlir::Location loc, llvm::StringLiteral pass, llvm::StringLiteral name) {
  return PassRemark(mlir::remark::missed(loc, detail::remarkAbout(pass, name)));
}
/// A fact about the result, such as the registers that an assembler assigned.
inline PassRemark noted(mlir::Location loc, llvm::StringLiteral pass, llvm::StringLiteral name) {
  return PassRemark(mlir::remark::analysis(loc, detail::remarkAbout(pass, name)));
}
inline PassRemark decided(mlir::Operation *op, llvm::StringLiteral pass, llvm::StringLiteral name) {
  return decided(op->getLoc(), pass, name);
}
inline PassRemark declined(mlir::Operation *op, llvm::StringLiteral pass,
                           llvm::StringLiteral name) {
  return declined(op->getLoc(), pass, name);
}

} // namespace tessera
