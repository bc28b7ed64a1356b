//===- Budget.cpp - how much code may use up while it is compiled ---------===//
#include "Budget.h"
#include "Reporter.h"

using namespace tessera;

llvm::LogicalResult Budget::error(const llvm::Twine &message) {
  counts->isExceeded = true;
  return reporter.error(message);
}

llvm::LogicalResult Budget::checkDepth() {
  // Stacks grow downwards on every machine that Tessera runs on.
  auto *here = static_cast<const char *>(__builtin_frame_address(0));
  if (size_t(counts->stackBase - here) < kMaxStackBytes)
    return llvm::success();
  return error("this is nested too deeply: calls within calls, or expressions within expressions");
}

llvm::LogicalResult Budget::enterCall() {
  if (counts->calls >= kMaxCalls)
    return error("this is nested too deeply: more than " + llvm::Twine(kMaxCalls) +
                 " calls within calls at compile time");
  ++counts->calls;
  return llvm::success();
}

llvm::LogicalResult Budget::countStatement(unsigned cost) {
  bool hadRunOut = hasRunOut();
  counts->statements = std::min<uint64_t>(uint64_t(counts->statements) + cost, UINT32_MAX);
  if (!hasRunOut())
    return llvm::success();
  if (!hadRunOut)
    return error("this takes more than " + llvm::Twine(kMaxStatements) +
                 " statements at compile time; loop at run time, over range or tl.range");
  return llvm::failure();
}

llvm::LogicalResult Budget::countInsertion() {
  if (++counts->insertions <= kMaxInsertions)
    return llvm::success();
  return error("more than " + llvm::Twine(kMaxInsertions) + " containers put into others");
}
