//===- RemarkCollector.cpp - the passes' remarks become diagnostics -------===//
#include "RemarkCollector.h"
#include "DiagnosticBridge.h"
#include "tessera/Driver/Report.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using mlir::remark::detail::Remark;

static RemarkOutcome outcomeOf(const Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return RemarkOutcome::Decided;
  case llvm::remarks::Type::Missed:
  case llvm::remarks::Type::Failure:
    return RemarkOutcome::Declined;
  default:
    return RemarkOutcome::Noted;
  }
}

static Diagnostic convert(const Remark &remark) {
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Remark;
  RemarkDetails &details = diagnostic.remark.emplace();
  details.outcome = outcomeOf(remark);
  details.pass = remark.getCategoryName().str();
  details.name = remark.getRemarkName().str();
  for (const Remark::Arg &argument : remark.getArgs()) {
    if (argument.key == kRemarkText)
      diagnostic.message += argument.val;
    else if (argument.key == kRemarkReason)
      details.reason += (details.reason.empty() ? "" : "; ") + argument.val;
    else
      details.numbers.emplace_back(argument.key, argument.val);
  }
  llvm::SmallVector<mlir::FileLineColLoc> places = findUserPlaces(remark.getLocation());
  if (places.empty())
    return diagnostic;
  mlir::FileLineColLoc place = places.front();
  SourceLoc begin{place.getLine(), place.getColumn() ? place.getColumn() - 1 : 0};
  diagnostic.path = place.getFilename().str();
  diagnostic.range = {begin, begin};
  diagnostic.column = begin.column + 1;
  for (mlir::FileLineColLoc caller : llvm::drop_begin(places))
    details.callers.push_back(caller.getFilename().str() + ":" + std::to_string(caller.getLine()));
  return diagnostic;
}

namespace {
class Streamer : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(std::vector<Diagnostic> &remarks) : remarks(remarks) {}
  void streamOptimizationRemark(const Remark &remark) override {
    remarks.push_back(convert(remark));
  }

private:
  std::vector<Diagnostic> &remarks;
};
} // namespace

llvm::Expected<std::unique_ptr<RemarkCollector>> RemarkCollector::create(mlir::MLIRContext &context,
                                                                         llvm::StringRef pattern) {
  std::string problem;
  if (!llvm::Regex(pattern).isValid(problem))
    return makeError("remarks: '" + pattern + "' is not a regular expression: " + problem);
  mlir::remark::RemarkCategories passes;
  // The engine compares its patterns with the whole name.
  std::string whole = (".*(" + pattern + ").*").str();
  passes.passed = passes.missed = passes.failed = passes.analysis = whole;
  std::unique_ptr<RemarkCollector> collector(new RemarkCollector(context));
  if (failed(mlir::remark::enableOptimizationRemarks(
          context, std::make_unique<Streamer>(collector->remarks),
          std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), passes)))
    return makeError("remarks: the remark engine did not start");
  return collector;
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }

std::vector<Diagnostic> RemarkCollector::copyFrom(size_t first) const {
  return {remarks.begin() + std::min(first, remarks.size()), remarks.end()};
}

std::vector<Diagnostic> RemarkCollector::takeFrom(size_t first) {
  auto begin = remarks.begin() + std::min(first, remarks.size());
  std::vector<Diagnostic> taken(std::make_move_iterator(begin),
                                std::make_move_iterator(remarks.end()));
  remarks.erase(begin, remarks.end());
  return taken;
}

void RemarkCollector::append(std::vector<Diagnostic> more) {
  remarks.insert(remarks.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

std::vector<Diagnostic> RemarkCollector::takeDistinct() {
  llvm::StringSet<> seen;
  std::vector<Diagnostic> distinct;
  for (Diagnostic &remark : takeFrom(0))
    if (seen.insert(writeDiagnosticLine(remark)).second)
      distinct.push_back(std::move(remark));
  return distinct;
}

llvm::Error tessera::appendRemarks(const std::string &path, llvm::ArrayRef<Diagnostic> remarks) {
  std::error_code problem;
  llvm::raw_fd_ostream file(path, problem, llvm::sys::fs::OF_Append);
  if (problem)
    return makeError("cannot write to '" + path + "' for --remarks-file: " + problem.message());
  for (const Diagnostic &remark : remarks)
    file << writeDiagnosticLine(remark) << "\n";
  file.close();
  if (!file.has_error())
    return llvm::Error::success();
  problem = file.error();
  file.clear_error();
  return makeError("cannot write to '" + path + "' for --remarks-file: " + problem.message());
}
