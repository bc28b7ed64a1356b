//===- Guards.cpp - check that globals have not changed -------------------===//
#include "Guards.h"
#include "ProcessState.h"

namespace tessera::python {

namespace {
struct Guard {
  PyObject *dict; // the namespace if it is a dict, or a module's dict; else null
  PyObject *name, *value;
  PyObject *space;
};
} // namespace

/// Reference-counted, because Python code that runs during a comparison may replace the list.
struct Guards::List {
  size_t owners, count;
  PyObject *tuple; // owns the objects of the guards
  Guard items[1];
};

void Guards::drop(List *list) {
  if (!list || --list->owners != 0)
    return;
  PyObject *tuple = list->tuple;
  std::free(list);
  Py_DECREF(tuple);
}

void Guards::clear() { drop(std::exchange(list, nullptr)); }

int Guards::traverse(visitproc visit, void *arg) const {
  if (list)
    Py_VISIT(list->tuple);
  return 0;
}

Ref Guards::get() const { return list ? Ref::share(list->tuple) : Ref::take(PyTuple_New(0)); }

/// The dict to look names up in. An attribute of a module is what its dict has under that name,
/// except for attributes of the module type itself (`__dict__`).
static PyObject *dictOf(PyObject *space) {
  if (PyDict_Check(space))
    return space;
  return Py_TYPE(space) == &PyModule_Type ? PyModule_GetDict(space) : nullptr;
}

/// False: it is no guard, and an exception says so.
static bool readGuard(PyObject *tuple, Guard &guard) {
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != 3 ||
      !PyUnicode_Check(PyTuple_GetItem(tuple, 1))) {
    PyErr_Format(PyExc_TypeError, "a guard is (namespace, name, value), not %R", tuple);
    return false;
  }
  PyObject *space = PyTuple_GetItem(tuple, 0);
  guard = {dictOf(space), PyTuple_GetItem(tuple, 1), PyTuple_GetItem(tuple, 2), space};
  return true;
}

bool Guards::set(PyObject *sequence) {
  Ref tuple = Ref::take(PySequence_Tuple(sequence));
  if (!tuple)
    return false;
  auto count = size_t(PyTuple_Size(tuple.get()));
  auto *made = static_cast<List *>(std::malloc(sizeof(List) + count * sizeof(Guard)));
  if (!made) {
    PyErr_NoMemory();
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!readGuard(PyTuple_GetItem(tuple.get(), Py_ssize_t(i)), made->items[i])) {
      std::free(made);
      return false;
    }
  }
  made->owners = 1;
  made->count = count;
  made->tuple = tuple.release();
  drop(std::exchange(list, made));
  return true;
}

/// 1, 0, or -1 with an exception set.
static int holds(const Guard &guard) {
  bool isDict = guard.dict == guard.space;
  // A program may change the class of a module later.
  if (isDict || (guard.dict && Py_TYPE(guard.space) == &PyModule_Type)) {
    PyObject *found = PyDict_GetItemWithError(guard.dict, guard.name);
    if (found && found == guard.value)
      return 1;
    if (!found && PyErr_Occurred())
      return -1;
    if (isDict)
      return !found && guard.value == types.absent;
  }
  Ref found = Ref::take(PyObject_GetAttr(guard.space, guard.name));
  if (!found) {
    // AttributeError of a module or class, ValueError of an empty closure cell.
    if (!PyErr_ExceptionMatches(PyExc_AttributeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
      return -1;
    PyErr_Clear();
  }
  return (found ? found.get() : types.absent) == guard.value;
}

PyObject *holdGuards(PyObject *, PyObject *tuple) {
  if (!PyTuple_Check(tuple))
    return PyErr_Format(PyExc_TypeError, "guards are in a tuple, not %R", tuple);
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
    Guard guard;
    if (!readGuard(PyTuple_GetItem(tuple, i), guard))
      return nullptr;
    if (int fine = holds(guard); fine != 1)
      return fine < 0 ? nullptr : PyBool_FromLong(0);
  }
  Py_RETURN_TRUE;
}

int Guards::hold() const {
  List *compared = list;
  if (!compared)
    return 1;
  ++compared->owners;
  int fine = 1;
  for (size_t i = 0; fine == 1 && i < compared->count; ++i)
    fine = holds(compared->items[i]);
  drop(compared);
  return fine;
}

} // namespace tessera::python
