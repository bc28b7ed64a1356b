//===- Specialization.cpp - convert words to and from Python --------------===//
// In Python a specialization is a list of (type, key), one for each parameter:
// ("i32", "D"), ("*fp32", ""), ("constexpr", 64), and for a tuple
// (("i32", "constexpr"), ("", None)). Only compilations convert them; a launch
// that finds its variant never does.
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include <cstdio>

namespace tessera::python {

//===----------------------------------------------------------------------===//
// From words to Python
//===----------------------------------------------------------------------===//

namespace {
/// Reads words and values, one argument at a time.
class Reader {
public:
  Reader(const Parameters &parameters, const Arguments &arguments)
      : parameters(parameters), in(arguments) {}

  /// The next argument's type and key; nulls with an exception set on failure.
  bool next(size_t parameter, Ref &type, Ref &key);
  bool atEnd() const { return word == in.words.size(); }
  /// The storage of the next word's slots.
  void storages(size_t parameter, Buffer<Storage, 128> &list);

private:
  bool nextTuple(const Word &begin, Ref &type, Ref &key);
  Ref keyOf(Key key) const;

  const Parameters &parameters;
  const Arguments &in;
  size_t word = 0, value = 0;
};
} // namespace

Ref Reader::keyOf(Key key) const {
  switch (key) {
  case Key::None:
    break;
  case Key::Empty:
    return Ref::share(names.empty);
  case Key::Divisible:
    return Ref::share(names.aligned);
  case Key::One:
    return Ref::take(PyLong_FromLong(1));
  case Key::Small:
    return Ref::take(PyUnicode_FromString("S"));
  case Key::DivisibleSmall:
    return Ref::take(PyUnicode_FromString("DS"));
  }
  return Ref::share(Py_None);
}

/// The types and keys of a named tuple are instances of its class, so that fields keep their names.
static Ref likeTuple(PyObject *type, Ref items) {
  if (!items || type == reinterpret_cast<PyObject *>(&PyTuple_Type))
    return items;
  return Ref::take(PyObject_CallMethod(type, "_make", "(O)", items.get()));
}

bool Reader::nextTuple(const Word &begin, Ref &type, Ref &key) {
  PyObject *tupleType = in.values[value++];
  Ref itemTypes = Ref::take(PyTuple_New(Py_ssize_t(begin.extra)));
  Ref keys = Ref::take(PyTuple_New(Py_ssize_t(begin.extra)));
  if (!itemTypes || !keys)
    return false;
  for (uint32_t i = 0; i < begin.extra; ++i) {
    Ref itemType, itemKey;
    if (!next(0, itemType, itemKey) ||
        PyTuple_SetItem(itemTypes.get(), Py_ssize_t(i), itemType.release()) < 0 ||
        PyTuple_SetItem(keys.get(), Py_ssize_t(i), itemKey.release()) < 0)
      return false;
  }
  ++word; // skip TupleEnd
  type = likeTuple(tupleType, std::move(itemTypes));
  key = likeTuple(tupleType, std::move(keys));
  return type && key;
}

bool Reader::next(size_t parameter, Ref &type, Ref &key) {
  Word read = Word::unpack(in.words[word++]);
  key = keyOf(read.key);
  switch (read.role) {
  case Role::Scalar:
    type = Ref::take(PyUnicode_FromString(spell(read.element)));
    break;
  case Role::Pointer:
    type = Ref::take(PyUnicode_FromFormat("*%s", spell(read.element)));
    break;
  case Role::ConstPointer:
    type = Ref::take(PyUnicode_FromFormat("*k%s", spell(read.element)));
    break;
  case Role::Constexpr:
    type = Ref::share(names.constexprText);
    key = Ref::share(in.values[value++]);
    break;
  case Role::Forced:
    type = Ref::share(parameters[parameter].forced);
    break;
  case Role::TupleBegin:
    return nextTuple(read, type, key);
  case Role::TupleEnd:
    break;
  case Role::Descriptor: {
    uint32_t rank = read.extra % kPadsWithNaN;
    type = Ref::take(PyUnicode_FromFormat("tensordesc<%s[", spell(read.element)));
    for (uint32_t i = 0; type && i < rank; ++i)
      type = Ref::take(
          PyUnicode_FromFormat(i + 1 < rank ? "%U%u, " : "%U%u]", type.get(), in.words[word++]));
    if (type)
      type = Ref::take(
          PyUnicode_FromFormat(read.extra & kPadsWithNaN ? "%U,nan>" : "%U>", type.get()));
    break;
  }
  }
  return type && key;
}

void Reader::storages(size_t parameter, Buffer<Storage, 128> &list) {
  Word read = Word::unpack(in.words[word++]);
  switch (read.role) {
  case Role::Scalar:
    list.push({read.element, false});
    break;
  case Role::Pointer:
  case Role::ConstPointer:
    list.push({Element::None, true});
    break;
  case Role::Forced:
    list.push(parameters[parameter].storage);
    break;
  case Role::TupleBegin:
    for (uint32_t i = 0; i < read.extra; ++i)
      storages(parameter, list);
    ++word;
    break;
  case Role::Descriptor: {
    uint32_t rank = read.extra % kPadsWithNaN;
    list.push({Element::None, true});
    for (uint32_t i = 0; i < rank; ++i)
      list.push({Element::Int32, false});
    for (uint32_t i = 0; i < rank; ++i)
      list.push({Element::Int64, false});
    word += rank;
    break;
  }
  case Role::Constexpr:
  case Role::TupleEnd:
    break;
  }
}

Ref specializationOf(const Parameters &parameters, const Arguments &arguments) {
  Ref list = Ref::take(PyList_New(0));
  Reader reader(parameters, arguments);
  for (size_t i = 0; list && i < parameters.size(); ++i) {
    Ref type, key;
    if (!reader.next(i, type, key))
      return {};
    Ref pair = Ref::take(PyTuple_Pack(2, type.get(), key.get()));
    if (!pair || PyList_Append(list.get(), pair.get()) < 0)
      return {};
  }
  return list;
}

void storagesOf(const Parameters &parameters, const Arguments &arguments,
                Buffer<Storage, 128> &storages) {
  Reader reader(parameters, arguments);
  for (size_t i = 0; i < parameters.size(); ++i)
    reader.storages(i, storages);
}

//===----------------------------------------------------------------------===//
// From Python to words
//===----------------------------------------------------------------------===//

namespace {
/// Converts (type, key) to the words that classify() makes of such an argument.
class Writer {
public:
  explicit Writer(Arguments &arguments) : out(arguments) {}
  /// False: an exception is set.
  bool add(PyObject *type, PyObject *key, const Parameter *declared);

private:
  bool addTuple(PyObject *types, PyObject *keys);
  bool addText(const char *type, PyObject *key);
  bool addDescriptor(const char *type, Key key);
  bool readKey(PyObject *object, Key &key);
  static bool refuse(PyObject *type, PyObject *key) {
    PyErr_Format(PyExc_ValueError, "(%R, %R) is no specialization", type, key);
    return false;
  }

  Arguments &out;
};
} // namespace

bool Writer::readKey(PyObject *object, Key &key) {
  if (object == Py_None)
    key = Key::None;
  else if (PyLong_Check(object) && PyLong_AsLong(object) == 1)
    key = Key::One;
  else if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "") == 0)
    key = Key::Empty;
  else if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "D") == 0)
    key = Key::Divisible;
  else if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "S") == 0)
    key = Key::Small;
  else if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "DS") == 0)
    key = Key::DivisibleSmall;
  else
    return false;
  return !PyErr_Occurred();
}

bool Writer::addTuple(PyObject *types, PyObject *keys) {
  if (!PyTuple_Check(keys) || PyTuple_Size(types) != PyTuple_Size(keys) ||
      PyTuple_Size(types) > Py_ssize_t(Word::kMostExtra))
    return refuse(types, keys);
  if (Py_EnterRecursiveCall(" while reading a specialization"))
    return false;
  PyTypeObject *type = Py_TYPE(types);
  bool isNamed = type != &PyTuple_Type &&
                 PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), "_fields");
  out.words.push(
      Word::pack(Role::TupleBegin, Element::None, Key::None, uint32_t(PyTuple_Size(types))));
  out.values.push(reinterpret_cast<PyObject *>(isNamed ? type : &PyTuple_Type));
  bool fine = true;
  for (Py_ssize_t i = 0; fine && i < PyTuple_Size(types); ++i)
    fine = add(PyTuple_GetItem(types, i), PyTuple_GetItem(keys, i), nullptr);
  out.words.push(Word::pack(Role::TupleEnd));
  Py_LeaveRecursiveCall();
  return fine;
}

/// "tensordesc<fp16[64, 32],nan>"
bool Writer::addDescriptor(const char *type, Key key) {
  char element[16] = {};
  unsigned extents[DescriptorParts::kMostDimensions];
  size_t rank = 0;
  int used = 0;
  if (std::sscanf(type, "tensordesc<%15[a-z0-9][%n", element, &used) != 1 || used == 0)
    return false;
  for (const char *rest = type + used; rank < DescriptorParts::kMostDimensions; rest += used) {
    used = 0;
    if (std::sscanf(rest, "%u%n", &extents[rank], &used) != 1)
      return false;
    ++rank;
    if (rest[used] != ',')
      break;
    ++used;
  }
  bool padsWithNaN = std::strstr(type, "],nan>") != nullptr;
  Element known = elementNamed(element);
  if (known == Element::None)
    return false;
  out.words.push(
      Word::pack(Role::Descriptor, known, key, uint32_t(rank) | (padsWithNaN ? kPadsWithNaN : 0)));
  for (size_t i = 0; i < rank; ++i)
    out.words.push(extents[i]);
  return true;
}

bool Writer::addText(const char *type, PyObject *keyObject) {
  Key key;
  if (!readKey(keyObject, key))
    return false;
  if (std::strncmp(type, "tensordesc<", 11) == 0)
    return addDescriptor(type, key);
  Role role = type[0] != '*' ? Role::Scalar : type[1] == 'k' ? Role::ConstPointer : Role::Pointer;
  bool isSmall = key == Key::Small || key == Key::DivisibleSmall;
  if (isSmall && role == Role::Scalar)
    return false;
  Element element = elementNamed(type + (role == Role::Scalar ? 0 : role == Role::Pointer ? 1 : 2));
  out.words.push(Word::pack(role, element, key));
  return element != Element::None;
}

bool Writer::add(PyObject *type, PyObject *key, const Parameter *declared) {
  if (PyTuple_Check(type))
    return addTuple(type, key);
  if (!PyUnicode_Check(type))
    return refuse(type, key);
  if (PyUnicode_CompareWithASCIIString(type, "constexpr") == 0) {
    out.words.push(Word::pack(Role::Constexpr));
    out.values.push(key);
    return true;
  }
  if (declared && declared->forced && !declared->has(Parameter::Constexpr)) {
    Key read;
    if (PyUnicode_Compare(type, declared->forced) != 0 || !readKey(key, read))
      return refuse(type, key);
    out.words.push(Word::pack(Role::Forced, Element::None, read));
    return true;
  }
  Text text(type);
  if (!text.get())
    return false;
  return addText(text.get(), key) || (PyErr_Occurred() ? false : refuse(type, key));
}

bool readSpecialization(const Parameters &parameters, PyObject *list, Arguments &arguments) {
  Ref items = Ref::take(PySequence_Tuple(list));
  if (!items)
    return false;
  if (size_t(PyTuple_Size(items.get())) != parameters.size()) {
    PyErr_Format(PyExc_ValueError, "kernel %R has %zu parameters, and the specialization %zd",
                 parameters.kernelName(), parameters.size(), PyTuple_Size(items.get()));
    return false;
  }
  Writer writer(arguments);
  for (size_t i = 0; i < parameters.size(); ++i) {
    PyObject *pair = PyTuple_GetItem(items.get(), Py_ssize_t(i));
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
      PyErr_Format(PyExc_TypeError, "a specialization is a list of (type, key), not of %R", pair);
      return false;
    }
    if (!writer.add(PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), &parameters[i]))
      return false;
  }
  arguments.own(std::move(items)); // the values are borrowed from it
  return true;
}

} // namespace tessera::python
