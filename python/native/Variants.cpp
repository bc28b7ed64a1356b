//===- Variants.cpp - the compiled specializations of one kernel ----------===//
#include "Variants.h"
#include <algorithm>
#include <new>

namespace tessera::python {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Compares two values: 1 equal, 0 different, -1 an exception is set.
static int sameValue(PyObject *a, PyObject *b) {
  if (a == b)
    return 1;
  PyTypeObject *type = Py_TYPE(a);
  if (type != Py_TYPE(b))
    return 0;
  if (type == &PyFloat_Type) {
    double x = PyFloat_AsDouble(a), y = PyFloat_AsDouble(b);
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  }
  if (type != &PyTuple_Type)
    return PyObject_RichCompareBool(a, b, Py_EQ);
  Py_ssize_t size = PyTuple_Size(a);
  if (size != PyTuple_Size(b))
    return 0;
  if (Py_EnterRecursiveCall(" while comparing constants"))
    return -1;
  int same = 1;
  for (Py_ssize_t i = 0; same == 1 && i < size; ++i)
    same = sameValue(PyTuple_GetItem(a, i), PyTuple_GetItem(b, i));
  Py_LeaveRecursiveCall();
  return same;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/// Hashes a value without running Python code: of types that are not built in only the type counts.
static uint64_t quickHash(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  uint64_t hash = reinterpret_cast<uintptr_t>(type) >> 4;
  if (type == &PyFloat_Type) { // the hash of a NaN depends on the object, so the bits are hashed
    double number = PyFloat_AsDouble(value);
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof(bits));
    return mix(hash, bits);
  }
  if (type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBool_Type ||
      type == &PyType_Type)
    return mix(hash, uint64_t(PyObject_Hash(value)));
  return type == &PyTuple_Type ? mix(hash, uint64_t(PyTuple_Size(value))) : hash;
}

static uint64_t hashOf(const Wanted &wanted) {
  const Arguments &arguments = wanted.arguments;
  uint64_t hash = mix(arguments.words.size(), uint64_t(int64_t(wanted.device)));
  for (uint32_t word : arguments.words)
    hash = mix(hash, word);
  for (PyObject *value : arguments.values)
    hash = mix(hash, quickHash(value));
  uint64_t options = 0; // their order does not matter
  for (const Option &option : wanted.binding.options)
    options += mix(uint64_t(PyObject_Hash(option.name)), quickHash(option.value));
  if (wanted.state)
    hash = mix(hash, quickHash(wanted.state));
  return mix(hash, options);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

struct Variants::Entry {
  /// `byText`: the value is not hashable and may change, so the entry keeps its repr.
  struct KeptOption {
    PyObject *name, *value;
    bool byText;
  };

  size_t owners = 1;
  Entry *next = nullptr;  // the next entry of the bucket
  Entry *older = nullptr; // the entry that was added before
  uint64_t hash = 0;
  DeviceNumber device = kCPU;
  PyObject *state = nullptr;
  Buffer<uint32_t, 16> words;
  Buffer<PyObject *, 8> values;
  Buffer<KeptOption, 4> options;
  PyObject *variant = nullptr;

  ~Entry() {
    Py_XDECREF(state);
    Py_XDECREF(variant);
    for (PyObject *value : values)
      Py_DECREF(value);
    for (KeptOption &option : options) {
      Py_DECREF(option.name);
      Py_DECREF(option.value);
    }
  }
};

void Variants::drop(Entry *entry) {
  if (entry && --entry->owners == 0)
    delete entry;
}

static int sameOption(PyObject *kept, bool byText, PyObject *given) {
  if (!byText)
    return sameValue(kept, given);
  Ref text = Ref::take(PyObject_Repr(given));
  return text ? PyObject_RichCompareBool(kept, text.get(), Py_EQ) : -1;
}

/// Compares an entry, which the caller keeps alive: 1, 0, or -1 with an exception set.
int Variants::matches(const Entry &entry, const Wanted &wanted) {
  const Arguments &arguments = wanted.arguments;
  if (entry.device != wanted.device || entry.words.size() != arguments.words.size() ||
      entry.values.size() != arguments.values.size() ||
      entry.options.size() != wanted.binding.options.size() ||
      std::memcmp(entry.words.data(), arguments.words.data(),
                  entry.words.size() * sizeof(uint32_t)) != 0)
    return 0;
  if (entry.state != wanted.state) {
    int same = entry.state && wanted.state ? sameValue(entry.state, wanted.state) : 0;
    if (same != 1)
      return same;
  }
  for (size_t i = 0; i < entry.values.size(); ++i)
    if (int same = sameValue(entry.values[i], arguments.values[i]); same != 1)
      return same;
  for (const Option &option : wanted.binding.options) {
    int same = 0;
    for (const Entry::KeptOption &kept : entry.options)
      if (kept.name == option.name || PyUnicode_Compare(kept.name, option.name) == 0) {
        same = sameOption(kept.value, kept.byText, option.value);
        break;
      }
    if (same != 1)
      return same;
  }
  return 1;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

Variants::Entry *Variants::search(const Wanted &wanted, uint64_t hash, int &error) {
  error = 0;
  while (bucketCount != 0) { // a comparison may have cleared the table
    uint64_t before = changes;
    Entry *entry = buckets[hash & (bucketCount - 1)];
    while (entry) {
      if (entry->hash == hash) {
        ++entry->owners;
        int same = matches(*entry, wanted);
        bool changed = changes != before;
        if (same == 1 && !changed) {
          --entry->owners; // the bucket still owns it
          return entry;
        }
        drop(entry);
        if (same < 0) {
          error = -1;
          return nullptr;
        }
        if (changed)
          break;
      }
      entry = entry->next;
    }
    if (changes == before)
      return nullptr;
  }
  return nullptr;
}

/// Returns whether all objects are identical; they may be equal even if not. Runs no Python code.
bool Variants::isIdentical(const Entry &entry, const Wanted &wanted) {
  const Arguments &arguments = wanted.arguments;
  return entry.device == wanted.device && entry.state == wanted.state &&
         entry.words.size() == arguments.words.size() &&
         entry.values.size() == arguments.values.size() && entry.options.empty() &&
         wanted.binding.options.empty() &&
         std::memcmp(entry.words.data(), arguments.words.data(),
                     entry.words.size() * sizeof(uint32_t)) == 0 &&
         std::equal(entry.values.begin(), entry.values.end(), arguments.values.begin());
}

Ref Variants::find(const Wanted &wanted) {
  if (Entry *entry = last) { // most launches use the same variant as the launch before
    if (isIdentical(*entry, wanted)) [[likely]]
      return Ref::share(entry->variant);
    ++entry->owners;
    int same = matches(*entry, wanted);
    Ref variant = same == 1 ? Ref::share(entry->variant) : Ref();
    drop(entry);
    if (same != 0)
      return variant;
  }
  int error = 0;
  Entry *entry = search(wanted, hashOf(wanted), error);
  if (!entry)
    return {};
  last = entry;
  return Ref::share(entry->variant);
}

/// False: out of memory; the table stays as it is, with longer chains.
bool Variants::grow() {
  size_t larger = bucketCount ? bucketCount * 2 : 8;
  auto **fresh = static_cast<Entry **>(std::calloc(larger, sizeof(Entry *)));
  if (!fresh)
    return false;
  for (Entry *entry = newest; entry; entry = entry->older) {
    Entry **bucket = &fresh[entry->hash & (larger - 1)];
    entry->next = *bucket;
    *bucket = entry;
  }
  std::free(buckets);
  buckets = fresh;
  bucketCount = larger;
  return true;
}

/// Constants are part of a key, so they must be hashable.
static bool requireHashes(const Wanted &wanted, const Parameters &parameters) {
  for (PyObject *value : wanted.arguments.values) {
    if (PyObject_Hash(value) != -1 || !PyErr_Occurred())
      continue;
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError,
                   "kernel %R: a constexpr argument must be hashable, and %R of type %S is not",
                   parameters.kernelName(), value, reinterpret_cast<PyObject *>(Py_TYPE(value)));
    }
    return false;
  }
  return true;
}

bool Variants::add(const Wanted &wanted, const Parameters &parameters, PyObject *variant) {
  if (!requireHashes(wanted, parameters))
    return false;
  auto *entry = new Entry;
  entry->hash = hashOf(wanted);
  entry->device = wanted.device;
  entry->state = Ref::share(wanted.state).release();
  entry->variant = Ref::share(variant).release();
  for (uint32_t word : wanted.arguments.words)
    entry->words.push(word);
  for (PyObject *value : wanted.arguments.values)
    entry->values.push(Ref::share(value).release());
  for (const Option &option : wanted.binding.options) {
    Ref kept = Ref::share(option.value);
    bool byText = PyObject_Hash(option.value) == -1 && PyErr_Occurred();
    PyErr_Clear();
    if (byText && !(kept = Ref::take(PyObject_Repr(option.value)))) {
      delete entry;
      return false;
    }
    entry->options.push({Ref::share(option.name).release(), kept.release(), byText});
  }
  int error = 0;
  if (Entry *present = search(wanted, entry->hash, error)) { // another thread has added it meanwhile
    PyObject *old = std::exchange(present->variant, std::exchange(entry->variant, nullptr));
    last = present;
    delete entry;
    Py_XDECREF(old);
    return true;
  }
  if (error) {
    delete entry;
    return false;
  }
  entry->older = newest;
  newest = entry;
  ++count;
  ++changes;
  last = entry;
  if (count > bucketCount && grow()) // grow() also inserts the new entry
    return true;
  if (bucketCount == 0) { // out of memory: the next launch compiles again
    PyErr_NoMemory();
    return false;
  }
  Entry **bucket = &buckets[entry->hash & (bucketCount - 1)];
  entry->next = *bucket;
  *bucket = entry;
  return true;
}

Ref Variants::list() const {
  Ref all = Ref::take(PyList_New(0));
  for (Entry *entry = newest; all && entry; entry = entry->older)
    if (PyList_Append(all.get(), entry->variant) < 0)
      return {};
  return all && PyList_Reverse(all.get()) == 0 ? std::move(all) : Ref();
}

void Variants::clear() {
  ++changes;
  Entry *entry = std::exchange(newest, nullptr);
  last = nullptr;
  count = bucketCount = 0;
  std::free(std::exchange(buckets, nullptr));
  while (entry) {
    Entry *older = entry->older;
    drop(entry);
    entry = older;
  }
}

int Variants::traverse(visitproc visit, void *arg) const {
  for (Entry *entry = newest; entry; entry = entry->older) {
    Py_VISIT(entry->variant);
    Py_VISIT(entry->state);
    for (PyObject *value : entry->values)
      Py_VISIT(value);
    for (const Entry::KeptOption &option : entry->options)
      Py_VISIT(option.value);
  }
  return 0;
}

} // namespace tessera::python
