//===- ProgramMutator.h - change a kernel as a programmer would -----------===//
// Random bytes rarely get past a lexer. This mutates text line by line and token
// by token, with phrases of the language (Vocabulary.def) and names that the
// program has, so that most mutants still parse and many still translate.
//
//   ProgramMutator mutator(seed);
//   std::string mutant = mutator.mutate(text);
//   std::string child = mutator.splice(text, other);   // lines of one in the other
//
// The same seed and text give the same mutant. Any bytes are fine as input.
// Cost: linear in the text.
//===----------------------------------------------------------------------===//
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz {

/// How often the fuzzer changes bytes rather than lines and tokens; each defines it.
extern const unsigned kByteMutantsOneIn;

class ProgramMutator {
public:
  explicit ProgramMutator(unsigned seed) : random(seed) {}

  /// One to four changes.
  std::string mutate(std::string_view text);
  /// `text` with a run of lines of `other` in it, moved to the indentation there.
  std::string splice(std::string_view text, std::string_view other);

private:
  using Lines = std::vector<std::string>;

  void changeLines(Lines &lines);
  void changeTokens(std::string &line);
  void changeSignature(Lines &lines);
  void insertPhrase(Lines &lines);
  void wrapLine(Lines &lines);
  void indentBlock(Lines &lines);
  void duplicateMany(Lines &lines);

  /// Text for a placeholder letter of Vocabulary.def.
  std::string expand(char letter, unsigned depth);
  std::string fill(std::string_view phrase, unsigned depth);
  std::string replacementFor(std::string_view token);

  size_t below(size_t bound) { return bound ? random() % bound : 0; }
  bool oneIn(size_t chances) { return below(chances) == 0; }

  std::minstd_rand random;
  std::vector<std::string> names; // of the program being changed
};

} // namespace tessera::fuzz
