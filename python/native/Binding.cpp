//===- Binding.cpp - from a call's arguments to a kernel's parameters -----===//
// Cost: a comparison per positional argument, a table lookup per keyword.
//===----------------------------------------------------------------------===//
#include "Messages.h"
#include "Parameters.h"

namespace tessera::python {

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Parameters::~Parameters() { clear(); }

void Parameters::clear() {
  for (size_t i = 0; i < count; ++i) {
    Py_CLEAR(items[i].name);
    Py_CLEAR(items[i].forced);
    Py_CLEAR(items[i].defaultValue);
  }
  count = tableSize = 0;
  std::free(std::exchange(items, nullptr));
  std::free(std::exchange(flags, nullptr));
  std::free(std::exchange(table, nullptr));
  Py_CLEAR(kernel);
}

int Parameters::traverse(visitproc visit, void *arg) const {
  for (size_t i = 0; i < count; ++i)
    Py_VISIT(items[i].defaultValue);
  return 0;
}

bool Parameters::readOne(PyObject *description, Parameter &parameter) {
  PyObject *name, *forced, *value;
  unsigned flags;
  int hasDefault;
  if (!PyTuple_Check(description)) {
    PyErr_Format(PyExc_TypeError, "a parameter is described by a tuple, not %R", description);
    return false;
  }
  if (!PyArg_ParseTuple(description, "UIOpO:_set_parameters", &name, &flags, &forced, &hasDefault,
                        &value))
    return false;
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  parameter.name = name;
  parameter.flags = flags & (Parameter::Forced - 1);
  if (hasDefault)
    parameter.defaultValue = Ref::share(value).release();
  if (forced == Py_None)
    return true;
  if (!PyUnicode_Check(forced)) {
    PyErr_Format(PyExc_TypeError, "the type of parameter %R is a str or None, not %R", name,
                 forced);
    return false;
  }
  Text text(forced);
  if (!text.get())
    return false;
  parameter.forced = Ref::share(forced).release();
  parameter.flags |= Parameter::Forced;
  parameter.storage = storageOf(text.get());
  if (!parameter.storage.isKnown())
    PyErr_Format(PyExc_TypeError, "parameter %R of kernel %R has the unknown type %R", name, kernel,
                 forced);
  return parameter.storage.isKnown();
}

bool Parameters::read(PyObject *kernelName, PyObject *sequence) {
  Ref list = Ref::take(PySequence_Tuple(sequence));
  if (!list)
    return false;
  kernel = Ref::share(kernelName).release();
  auto wanted = size_t(PyTuple_Size(list.get()));
  items = static_cast<Parameter *>(std::calloc(wanted ? wanted : 1, sizeof(Parameter)));
  flags = static_cast<uint8_t *>(std::calloc(wanted ? wanted : 1, sizeof(uint8_t)));
  if (!items || !flags) {
    clear();
    PyErr_NoMemory();
    return false;
  }
  for (; count < wanted; ++count) {
    new (&items[count]) Parameter;
    if (readOne(PyTuple_GetItem(list.get(), Py_ssize_t(count)), items[count])) [[likely]]
      continue;
    ++count; // so that a parameter that was read in part is freed too
    clear();
    return false;
  }
  index();
  return true;
}

void Parameters::index() {
  tableSize = 8;
  while (tableSize < 2 * count)
    tableSize *= 2;
  table = static_cast<uint32_t *>(std::calloc(tableSize, sizeof(uint32_t)));
  for (size_t i = 0; i < count; ++i) {
    flags[i] = uint8_t(items[i].flags);
    auto place = size_t(PyObject_Hash(items[i].name)) & (tableSize - 1);
    while (table[place])
      place = (place + 1) & (tableSize - 1);
    table[place] = uint32_t(i + 1);
  }
}

Py_ssize_t Parameters::find(PyObject *name, size_t guess) const {
  if (guess < count && items[guess].name == name)
    return Py_ssize_t(guess);
  auto place = size_t(PyObject_Hash(name)) & (tableSize - 1);
  for (; table[place]; place = (place + 1) & (tableSize - 1)) {
    PyObject *candidate = items[table[place] - 1].name;
    // Names are nearly always interned, so comparing pointers is enough; other names are compared by
    // value.
    if (candidate == name || PyUnicode_Compare(candidate, name) == 0)
      return Py_ssize_t(table[place]) - 1;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// The names of the parameters without a value: "'x'", "'x' and 'y'", "'x', 'y' and 'z'".
static Ref listMissing(const Parameters &parameters, const Binding &binding, size_t missing) {
  Ref text = Ref::take(PyUnicode_FromString(""));
  size_t seen = 0;
  for (size_t i = 0; text && i < parameters.size(); ++i) {
    if (binding.values[i])
      continue;
    const char *joint = seen == 0 ? "" : seen + 1 == missing ? " and " : ", ";
    text = Ref::take(PyUnicode_FromFormat("%U%s%R", text.get(), joint, parameters[i].name));
    ++seen;
  }
  return text;
}

static bool refuseMissing(const Parameters &parameters, const Binding &binding) {
  size_t missing = 0;
  for (PyObject *value : binding.filled)
    missing += value == nullptr;
  Buffer<PyObject *, 16> others;
  for (const Option &option : binding.options)
    others.push(option.name);
  Ref list = listMissing(parameters, binding, missing);
  Ref names = Ref::take(PyList_New(0));
  for (size_t i = 0; names && i < parameters.size(); ++i)
    if (!binding.values[i] && PyList_Append(names.get(), parameters[i].name) < 0)
      return false;
  Ref strangers =
      names ? strangersAmong(others.data(), others.size(), names.get()) : Ref();
  bool isMethod = parameters.size() > 0 &&
                  PyUnicode_CompareWithASCIIString(parameters[0].name, "self") == 0;
  const char *advice = isMethod ? "; a kernel is no method: 'self' is not passed by itself" : "";
  if (list && strangers)
    PyErr_Format(PyExc_TypeError, "%U() missing %zu required positional argument%s: %U%U%s",
                 parameters.kernelName(), missing, missing == 1 ? "" : "s", list.get(),
                 strangers.get(), advice);
  return false;
}

bool bindInAnyOrder(const Parameters &parameters, const Call &call, Binding &binding) {
  size_t count = parameters.size();
  if (call.positionalCount > count) {
    PyErr_Format(PyExc_TypeError, "%U() takes %zu positional argument%s but %zu %s given",
                 parameters.kernelName(), count, count == 1 ? "" : "s", call.positionalCount,
                 call.positionalCount == 1 ? "was" : "were");
    return false;
  }
  PyObject **values = binding.filled.extend(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = i < call.positionalCount ? call.positional[i] : nullptr;
  binding.values = values;
  size_t guess = call.positionalCount; // keywords are often in the parameters' order
  for (size_t i = 0; i < call.keywordCount; ++i) {
    Py_ssize_t found = parameters.find(call.names[i], guess);
    if (found < 0) {
      binding.options.push({call.names[i], call.values[i]});
      continue;
    }
    if (values[size_t(found)]) {
      PyErr_Format(PyExc_TypeError, "%U() got multiple values for argument %R",
                   parameters.kernelName(), call.names[i]);
      return false;
    }
    values[size_t(found)] = call.values[i];
    guess = size_t(found) + 1;
  }
  bool isComplete = true;
  for (size_t i = call.positionalCount; i < count; ++i)
    if (!values[i]) {
      values[i] = parameters[i].defaultValue;
      isComplete &= values[i] != nullptr;
    }
  return isComplete || refuseMissing(parameters, binding);
}

Ref boundDict(const Parameters &parameters, const Binding &binding) {
  Ref dict = Ref::take(PyDict_New());
  for (size_t i = 0; dict && i < parameters.size(); ++i)
    if (PyDict_SetItem(dict.get(), parameters[i].name, binding.values[i]) < 0)
      return {};
  return dict;
}

} // namespace tessera::python
