//===- RemarkCollector.h - the passes' remarks become diagnostics ---------===//
// Listens to the remarks (Support/Remarks.h) of one compilation and keeps them in the order in
// which the passes make them. They are reported at the end: a compilation that tries several
// ways shows the remarks of the way that it keeps.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"

namespace tessera {

class RemarkCollector {
public:
  /// Listens to passes whose name matches the regular expression.
  static llvm::Expected<std::unique_ptr<RemarkCollector>> create(mlir::MLIRContext &context,
                                                                 llvm::StringRef pattern);
  RemarkCollector(const RemarkCollector &) = delete;
  ~RemarkCollector();

  size_t count() const { return remarks.size(); }
  std::vector<Diagnostic> copyFrom(size_t first) const;
  /// Removes the remarks from the `first` on, and returns them.
  std::vector<Diagnostic> takeFrom(size_t first);
  void append(std::vector<Diagnostic> more);
  /// All remarks; of equal ones, such as those of a pass that runs twice, the first.
  std::vector<Diagnostic> takeDistinct();

private:
  explicit RemarkCollector(mlir::MLIRContext &context) : context(context) {}

  mlir::MLIRContext &context;
  std::vector<Diagnostic> remarks;
};

/// Appends the remarks to a file as JSON objects, one per line.
llvm::Error appendRemarks(const std::string &path, llvm::ArrayRef<Diagnostic> remarks);

} // namespace tessera
