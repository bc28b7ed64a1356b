//===- HostAnswers.h - what a host with live objects says -----------------===//
// The translation's side of docs/program.md: values, functions and classes that
// came from live Python objects know whom to ask about themselves.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>

namespace tessera {

class Value;
struct CallArgument;

/// An object of the host with attributes: a module, a configuration.
class LiveObject {
public:
  virtual ~LiveObject() = default;
  /// Nothing if there is no such attribute, or if the host has not said yet; then it is asked.
  virtual std::optional<Value> member(llvm::StringRef name) = 0;
};

/// Python's answers about the functions of a program, each by its number.
class HostAnswers {
public:
  virtual ~HostAnswers() = default;
  virtual bool isConstexpr(unsigned function, llvm::StringRef parameter) = 0;
  /// Returns true if defaultOf() has all defaults; otherwise those in the function's text count.
  virtual bool knowsDefaults(unsigned function) = 0;
  virtual std::optional<Value> defaultOf(unsigned function, llvm::StringRef parameter) = 0;

  /// A call of a function that runs at compile time, as the question that it would be;
  /// empty if its arguments cannot be written down.
  virtual std::string describeCall(unsigned function, llvm::ArrayRef<CallArgument> arguments) = 0;
  struct Answer {
    std::shared_ptr<const Value> result = nullptr;
    std::string raises = {}; // instead: "ValueError: no such size"
  };
  /// The host's answer to a question; null if there is none yet.
  virtual const Answer *answer(const std::string &call) = 0;
  virtual void ask(const std::string &call) = 0;
  /// How many questions there are.
  virtual size_t questionCount() const = 0;

  /// How many calls that could be questions are running, one inside the other: the
  /// outermost is the one to ask about.
  unsigned askableCalls = 0;
};

/// Says which function of a program this is; of none without `answers`.
struct LiveIdentity {
  HostAnswers *answers = nullptr;
  unsigned index = 0;
  bool isOpaque = false; // it has no text: only Python can run it
};

} // namespace tessera
