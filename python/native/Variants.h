//===- Variants.h - the compiled specializations of one kernel ------------===//
// A table from what tells variants apart to what a launch needs:
//
//   (device, state, words, values, options) -> Variant
//
// Values are equal if they have the same type and compare equal; floats if
// they have the same bits; tuples element by element. So 1, 1.0 and True are
// different, as are 0.0 and -0.0, and a NaN finds itself.
//
// Comparing may run Python code, which may change the table or let other
// threads do so: entries are counted, and a search starts again when the table
// changed under it.
//===----------------------------------------------------------------------===//
#pragma once

#include "Arguments.h"

namespace tessera::python {

/// What a call looks for; borrowed.
struct Wanted {
  DeviceNumber device;
  PyObject *state; // or null
  const Arguments &arguments;
  const Binding &binding; // its options
};

class Variants {
public:
  Variants() = default;
  ~Variants() { clear(); }
  Variants(const Variants &) = delete;
  Variants &operator=(const Variants &) = delete;

  /// A new reference to the variant; null without an exception if there is none.
  Ref find(const Wanted &wanted);
  /// False: an exception is set; TypeError where a value cannot be kept because it has no hash.
  bool add(const Wanted &wanted, const Parameters &parameters, PyObject *variant);
  /// A list of all, oldest first.
  Ref list() const;
  void clear();
  int traverse(visitproc visit, void *arg) const;

private:
  struct Entry;
  Entry *search(const Wanted &wanted, uint64_t hash, int &error);
  bool grow();
  static void drop(Entry *entry);
  static int matches(const Entry &entry, const Wanted &wanted);
  static bool isIdentical(const Entry &entry, const Wanted &wanted);

  Entry **buckets = nullptr;
  size_t bucketCount = 0, count = 0;
  uint64_t changes = 0;  // of the table
  Entry *last = nullptr; // the entry found at last; owned by its bucket
  Entry *newest = nullptr;
};

} // namespace tessera::python
