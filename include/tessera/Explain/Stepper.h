//===- Stepper.h - walking through the passes, command by command ---------===//
// What `tessera explain --step` does with a line of input: it holds the place in the list of passes
// and answers commands. Reading and printing are the caller's.
//
//   Stepper stepper(explanation, screen);
//   while (!stepper.isDone()) { print(stepper.prompt()); print(stepper.answer(readLine())); }
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Explain/Views.h"

namespace tessera {

class Stepper {
public:
  Stepper(const Explanation &explanation, const Screen &screen)
      : explanation(explanation), screen(screen) {}

  /// "(4/62 tt-canonicalizer) "
  std::string prompt() const;
  /// Returns the text that is printed before the first prompt.
  std::string greeting() const;
  /// Runs a command; an empty line repeats the last one.
  std::string answer(llvm::StringRef line);
  bool isDone() const { return done; }

private:
  std::string run(llvm::StringRef command, llvm::StringRef argument);
  /// Goes to the next or the previous step, past those that change nothing unless `each`.
  std::string move(int direction, bool each);
  std::string goTo(llvm::StringRef where);
  std::string find(llvm::StringRef text);
  std::string show(llvm::StringRef what);
  std::string here() const;
  std::string list() const;

  const Explanation &explanation;
  const Screen &screen;
  size_t at = 0;
  bool done = false;
  std::string last = "next";
};

} // namespace tessera
