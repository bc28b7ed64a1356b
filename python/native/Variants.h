//===- Variants.h - the compiled specializations of one kernel ------------===//
// A hash table:
//
//   (device, state, words, values, options) -> Variant
//
// Two values are equal if they have the same type and compare equal. Floats are
// equal if they have the same bits, and tuples if their elements are. So 1, 1.0
// and True are different keys, as are 0.0 and -0.0, and a NaN equals itself.
//
// A comparison may run Python code, which may change the table or let other
// threads change it. Therefore entries are reference-counted, and a search
// restarts if the table has changed.
//===----------------------------------------------------------------------===//
#pragma once

#include "Arguments.h"

namespace tessera::python {

/// The key that a call looks for; all references are borrowed.
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

  /// Returns a new reference to the variant; null without an exception if there is none.
  Ref find(const Wanted &wanted);
  /// Adds an entry. False: an exception is set; a TypeError if a value is not hashable.
  bool add(const Wanted &wanted, const Parameters &parameters, PyObject *variant);
  /// All variants in a list, oldest first.
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
  uint64_t changes = 0;  // counts changes of the table
  Entry *last = nullptr; // the entry that was found last; owned by its bucket
  Entry *newest = nullptr;
};

} // namespace tessera::python
