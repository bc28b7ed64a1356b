//===- Guards.cpp - whether names still mean what a kernel was compiled with =//
#include "Guards.h"
#include "ProcessState.h"

namespace tessera::python {

namespace {
struct Guard {
  PyObject *dict; // the namespace, or a module's; null for what is neither
  PyObject *name, *value;
  PyObject *space;
};
} // namespace

/// Counted, so that one that is being compared outlives its end.
struct Guards::List {
  size_t owners, count;
  PyObject *tuple; // owns what the guards name
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

static bool isGuard(PyObject *guard) {
  return PyTuple_Check(guard) && PyTuple_Size(guard) == 3 &&
         PyUnicode_Check(PyTuple_GetItem(guard, 1));
}

/// Modules are dicts with few attributes beside: what their dict has under a name is what they
/// answer, unless the class of modules has it too (`__dict__`).
static PyObject *dictOf(PyObject *space) {
  if (PyDict_Check(space))
    return space;
  return Py_TYPE(space) == &PyModule_Type ? PyModule_GetDict(space) : nullptr;
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
    PyObject *guard = PyTuple_GetItem(tuple.get(), Py_ssize_t(i));
    if (!isGuard(guard)) {
      std::free(made);
      PyErr_Format(PyExc_TypeError, "a guard is (namespace, name, value), not %R", guard);
      return false;
    }
    PyObject *space = PyTuple_GetItem(guard, 0);
    made->items[i] = {dictOf(space), PyTuple_GetItem(guard, 1), PyTuple_GetItem(guard, 2), space};
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
  // A module's class may change later.
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
