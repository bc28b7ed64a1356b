//===- Grid.cpp - evaluate the grid of a launch ---------------------------===//
#include "Grid.h"

namespace tessera::python {

static bool readExtent(PyObject *kernel, PyObject *value, Py_ssize_t axis, uint32_t &extent) {
  Ref index;
  if (Py_TYPE(value) != &PyLong_Type) {
    index = Ref::take(PyNumber_Index(value));
    if (!index) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError))
        return false;
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError,
                   "axis %zd of the grid of kernel %R is %R, which is no integer%s", axis, kernel,
                   value, PyFloat_Check(value) ? "; cdiv(a, b) divides and rounds up" : "");
      return false;
    }
    value = index.get();
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow || number < 0 || number > INT32_MAX) {
    PyErr_Format(PyExc_ValueError,
                 "axis %zd of the grid of kernel %R is %R: 0 to 2147483647 is possible", axis,
                 kernel, value);
    return false;
  }
  extent = uint32_t(number);
  return true;
}

/// The number of axes; -1 with an exception set if there are none or more than three.
static Py_ssize_t sizeOf(PyObject *grid, PyObject *kernel) {
  bool isSequence = PySequence_Check(grid) && !PyUnicode_Check(grid);
  Py_ssize_t size = isSequence ? PySequence_Size(grid) : -1;
  if (size < 0 && (!isSequence || PyErr_ExceptionMatches(PyExc_TypeError))) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError,
                 "the grid of kernel %R is %R; it must be a tuple of 1 to 3 integers, or a "
                 "function that returns one",
                 kernel, grid);
  }
  if (size >= 0 && (size < 1 || size > 3)) {
    PyErr_Format(PyExc_ValueError, "the grid of kernel %R has %zd axes: 1 to 3 are possible",
                 kernel, size);
    return -1;
  }
  return size;
}

/// A KeyError of a name that the arguments' dict lacks becomes one that lists the names it has. An
/// error about another dict stays as it is. Takes what PyErr_Fetch gave.
static void explainMissingKey(PyObject *meta, PyObject *kernelName, PyObject *type, PyObject *value,
                              PyObject *traceback) {
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref arguments = Ref::take(PyObject_GetAttrString(value, "args"));
  PyObject *key = arguments && PyTuple_Check(arguments.get()) && PyTuple_Size(arguments.get()) == 1
                      ? PyTuple_GetItem(arguments.get(), 0)
                      : nullptr;
  int isThere = key && PyUnicode_Check(key) ? PyDict_Contains(meta, key) : -1;
  Ref names = isThere == 0 ? Ref::take(PyDict_Keys(meta)) : Ref();
  Ref comma = names ? Ref::take(PyUnicode_FromString(", ")) : Ref();
  Ref joined = comma ? Ref::take(PyUnicode_Join(comma.get(), names.get())) : Ref();
  Ref text = joined ? Ref::take(PyUnicode_FromFormat(
                          "%R: the grid's function asks for it, and kernel %R has no such "
                          "parameter; it has %U",
                          key, kernelName, joined.get()))
                    : Ref();
  Ref args = text ? Ref::take(PyTuple_Pack(1, text.get())) : Ref();
  PyErr_Clear();
  if (args)
    PyObject_SetAttrString(value, "args", args.get());
  PyErr_Restore(type, value, traceback);
}

/// Says what a grid's function is called with, if the function does not take one argument. An error
/// from inside the function stays as it is, except for a misspelt name of a parameter.
static void explainGridCall(PyObject *grid, PyObject *meta, PyObject *kernelName) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == PyExc_KeyError)
    return explainMissingKey(meta, kernelName, type, value, traceback);
  bool isAboutCall = type == PyExc_TypeError && !traceback;
  Ref code = isAboutCall ? Ref::take(PyObject_GetAttrString(grid, "__code__")) : Ref();
  Ref count = code ? Ref::take(PyObject_GetAttrString(code.get(), "co_argcount")) : Ref();
  PyErr_Clear();
  if (!count || PyLong_AsLong(count.get()) == 1) {
    PyErr_Restore(type, value, traceback);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  PyErr_Format(PyExc_TypeError,
               "the grid of kernel %R is a function of %R parameters: it is called with one, the "
               "dict of the kernel's arguments, as in lambda meta: (cdiv(n, meta['BLOCK']),)",
               kernelName, count.get());
}

bool evaluateGrid(PyObject *grid, const Parameters &parameters, const Binding &binding,
                  uint32_t (&extents)[3]) {
  Ref owner;
  if (Py_TYPE(grid) != &PyTuple_Type && PyCallable_Check(grid)) {
    Ref meta = boundDict(parameters, binding);
    if (!meta)
      return false;
    owner = Ref::take(PyObject_CallFunctionObjArgs(grid, meta.get(), nullptr));
    if (!owner) {
      explainGridCall(grid, meta.get(), parameters.kernelName());
      return false;
    }
    grid = owner.get();
  }
  Py_ssize_t size = sizeOf(grid, parameters.kernelName());
  if (size < 1)
    return false;
  if (Py_TYPE(grid) != &PyTuple_Type) {
    // PySequence_Tuple would not end for an object whose iterator never does.
    Ref items = Ref::take(PyTuple_New(size));
    for (Py_ssize_t i = 0; items && i < size; ++i) {
      PyObject *item = PySequence_GetItem(grid, i);
      if (!item)
        return false;
      PyTuple_SetItem(items.get(), i, item);
    }
    if (!items)
      return false;
    owner = std::move(items);
    grid = owner.get();
  }
  for (Py_ssize_t i = 0; i < 3; ++i) {
    extents[i] = 1;
    if (i < size && !readExtent(parameters.kernelName(), PyTuple_GetItem(grid, i), i, extents[i]))
      return false;
  }
  return true;
}

} // namespace tessera::python
