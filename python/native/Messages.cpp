//===- Messages.cpp - messages and tracebacks of exceptions ---------------===//
#include "Messages.h"

namespace tessera::python {

/// An attribute, or null without an exception.
static Ref attribute(PyObject *object, const char *name) {
  Ref found = object ? Ref::take(PyObject_GetAttrString(object, name)) : Ref();
  PyErr_Clear();
  return found;
}

Ref nameOf(PyTypeObject *type) {
  auto *object = reinterpret_cast<PyObject *>(type);
  Ref name = attribute(object, "__qualname__"), module = attribute(object, "__module__");
  if (!name || !PyUnicode_Check(name.get()))
    return Ref::take(PyUnicode_FromString("object"));
  if (!module || !PyUnicode_Check(module.get()) ||
      PyUnicode_CompareWithASCIIString(module.get(), "builtins") == 0)
    return name;
  return Ref::take(PyUnicode_FromFormat("%U.%U", module.get(), name.get()));
}

const char *adviceFor(PyObject *argument) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(argument));
  if (PyList_Check(argument) || PyDict_Check(argument) || PyAnySet_Check(argument))
    return "pass a tuple of values, or an array";
  if (PyMemoryView_Check(argument) || PyBytes_Check(argument) || PyByteArray_Check(argument) ||
      PyObject_HasAttrString(type, "buffer_info")) // array.array
    return "numpy.frombuffer makes an array of it";
  if (PyObject_HasAttrString(type, "__index__"))
    return "convert it with int()";
  if (PyObject_HasAttrString(type, "__float__"))
    return "convert it with float()";
  return "if it is known when the kernel is compiled, annotate the parameter as tl.constexpr";
}

/// Returns whether a keyword is an option of a compilation.
static bool isOption(PyObject *options, PyObject *name) {
  int contains = options ? PySequence_Contains(options, name) : 1;
  PyErr_Clear();
  return contains != 0;
}

/// "; did you mean 'BLOCK'?", if one of the names is like the stranger's.
static Ref suggestion(PyObject *stranger, PyObject *names) {
  Ref difflib = Ref::take(PyImport_ImportModule("difflib"));
  Ref near = difflib ? Ref::take(PyObject_CallMethod(difflib.get(), "get_close_matches", "OOi",
                                                     stranger, names, 1))
                     : Ref();
  PyErr_Clear();
  if (!near || !PyList_Check(near.get()) || PyList_Size(near.get()) == 0)
    return Ref::take(PyUnicode_FromString(""));
  return Ref::take(PyUnicode_FromFormat("; did you mean %R?", PyList_GetItem(near.get(), 0)));
}

Ref strangersAmong(PyObject *const *names, size_t count, PyObject *missing) {
  Ref module = Ref::take(PyImport_ImportModule("tessera.backends.compiler"));
  PyErr_Clear();
  Ref options = attribute(attribute(module.get(), "Options").get(), "defaults");
  Ref text = Ref::take(PyUnicode_FromString(""));
  for (size_t i = 0; text && i < count; ++i)
    if (!isOption(options.get(), names[i])) {
      Ref meant = suggestion(names[i], missing);
      text = meant ? Ref::take(PyUnicode_FromFormat("%U; %R is neither a parameter nor an option%U",
                                                    text.get(), names[i], meant.get()))
                   : Ref();
    }
  return text;
}

//===----------------------------------------------------------------------===//
// Tracebacks
//===----------------------------------------------------------------------===//

/// Returns whether a frame runs code of this package.
static bool isOurs(PyObject *frame) {
  Ref globals = attribute(frame, "f_globals");
  PyObject *module = globals && PyDict_Check(globals.get())
                         ? PyDict_GetItemString(globals.get(), "__name__")
                         : nullptr;
  Ref prefix = Ref::take(PyUnicode_FromString("tessera."));
  return module && prefix && PyUnicode_Check(module) &&
         PyUnicode_Tailmatch(module, prefix.get(), 0, PY_SSIZE_T_MAX, -1) == 1;
}

static bool hasOnlyOurs(PyObject *traceback) {
  Ref at = Ref::share(traceback);
  for (; at && at.get() != Py_None; at = attribute(at.get(), "tb_next"))
    if (!isOurs(attribute(at.get(), "tb_frame").get()))
      return false;
  return at.get() == Py_None;
}

void callItPlain() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  bool isPlain = type == PyExc_TypeError || type == PyExc_ValueError || type == PyExc_OverflowError;
  if (value && isPlain && PyObject_SetAttrString(value, "_says_all", Py_True) < 0)
    PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

void forgetOwnFrames() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Ref says = attribute(value, "_says_all");
  if (value && traceback && says && PyObject_IsTrue(says.get()) == 1 && hasOnlyOurs(traceback)) {
    PyException_SetTraceback(value, Py_None);
    Py_CLEAR(traceback);
  }
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

} // namespace tessera::python
