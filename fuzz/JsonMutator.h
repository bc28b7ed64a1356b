//===- JsonMutator.h - change a JSON program as a wrong host would --------===//
// Bytes of JSON gone wrong end in its parser. This changes the document: a place in it
// is removed, doubled, exchanged for another or for a value that programs know, and the
// texts of functions change as ProgramMutator changes them.
//
//   JsonMutator mutator(seed);
//   std::optional<std::string> mutant = mutator.mutate(text);   // nothing if it is no JSON
//   std::optional<std::string> child = mutator.splice(text, other);
//
// The same seed and text give the same mutant. Cost: linear in the text.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/JSON.h"
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz {

class JsonMutator {
public:
  explicit JsonMutator(unsigned seed) : random(seed) {}

  /// One to four changes.
  std::optional<std::string> mutate(std::string_view text);
  /// `text` with a place of `other` in it, where one of the same name is.
  std::optional<std::string> splice(std::string_view text, std::string_view other);

private:
  /// Somewhere in a document: an element of a list, or a member of an object.
  struct Place {
    llvm::json::Value *parent;
    size_t index;     // in a list
    std::string name; // in an object; the nearest one in a list
    llvm::json::Value *value;
  };

  void changePlace(llvm::json::Value &document);
  void changeText(Place &place);
  llvm::json::Value anyValue(const std::vector<Place> &places);
  static void collect(llvm::json::Value &value, const std::string &name, std::vector<Place> &out);

  size_t below(size_t bound) { return bound ? random() % bound : 0; }
  bool oneIn(size_t chances) { return below(chances) == 0; }

  std::minstd_rand random;
};

} // namespace tessera::fuzz
