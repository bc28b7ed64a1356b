//===- Session.cpp - Session and Kernel -----------------------------------===//
// Wraps the compiling part of tessera.h. Compilations run without the GIL. If a
// signal arrived during a compilation, its handler's exception is raised in the
// place of any other outcome.
//===----------------------------------------------------------------------===//
#include "ForkGate.h"
#include "Objects.h"

namespace tessera::python {

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// The field "text" of a JSON report (docs/program.md), or the report itself if it is not JSON.
static Ref textOfReport(const char *report) {
  if (report[0] == '{') {
    Ref parsed = parseJSON(report);
    if (parsed && PyDict_Check(parsed.get()))
      if (PyObject *text = PyDict_GetItemString(parsed.get(), "text"))
        return Ref::share(text);
    PyErr_Clear();
  }
  return Ref::take(PyUnicode_DecodeUTF8(report, Py_ssize_t(std::strlen(report)), "replace"));
}

static void raiseCompileFailure(tessera_status status, const char *report) {
  Ref text = textOfReport(report);
  Ref whole = Ref::take(PyUnicode_DecodeUTF8(report, Py_ssize_t(std::strlen(report)), "replace"));
  Ref number = Ref::take(PyLong_FromLong(status));
  Ref failure =
      text ? Ref::take(PyObject_CallFunctionObjArgs(types.compileFailure, text.get(), nullptr))
           : Ref();
  if (!failure || !whole || !number ||
      PyObject_SetAttrString(failure.get(), "status", number.get()) < 0 ||
      PyObject_SetAttrString(failure.get(), "report", whole.get()) < 0)
    return;
  PyErr_SetObject(types.compileFailure, failure.get());
}

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

static bool applySettings(tessera_session *session, PyObject *settings) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(settings, &position, &key, &value)) {
    if (!PyUnicode_Check(key) || !PyUnicode_Check(value)) {
      PyErr_Format(PyExc_TypeError, "a setting is a str with a str, not %R: %R", key, value);
      return false;
    }
    Text name(key);
    // Most values are paths, which need not be valid UTF-8.
    Ref bytes = Ref::take(PyUnicode_EncodeFSDefault(value));
    char *text = nullptr;
    if (!name.get() || !bytes || PyBytes_AsStringAndSize(bytes.get(), &text, nullptr) < 0)
      return false;
    char *message = nullptr;
    if (tessera_session_set(session, name.get(), text, &message) == TESSERA_DONE)
      continue;
    PyErr_SetString(PyExc_ValueError, message ? message : "out of memory");
    tessera_string_free(message);
    return false;
  }
  return true;
}

static PyObject *newSession(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"settings", nullptr};
  PyObject *settings = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:Session", const_cast<char **>(kNames),
                                   &settings))
    return nullptr;
  if (settings && settings != Py_None && !PyDict_Check(settings))
    return PyErr_Format(PyExc_TypeError, "settings is a dict, not %R", settings);
  Ref self = Ref::take(PyType_GenericAlloc(type, 0));
  if (!self)
    return nullptr;
  auto *session = reinterpret_cast<SessionObject *>(self.get());
  session->session = tessera_session_create();
  tessera_session_watch(session->session, watchCompilation, nullptr);
  if (settings && settings != Py_None && !applySettings(session->session, settings))
    return nullptr;
  return self.release();
}

static void freeSession(PyObject *self) {
  tessera_session_free(reinterpret_cast<SessionObject *>(self)->session);
  freeInstance(self);
}

/// Turns the result of a compilation into a Kernel or an exception; frees `kernel` and `report`.
static PyObject *finishCompilation(tessera_status status, tessera_kernel *kernel, char *report) {
  Ref made;
  if (PyErr_Occurred() || PyErr_CheckSignals() < 0) {
    // KeyboardInterrupt: the outcome does not matter.
  } else if (status != TESSERA_DONE) {
    raiseCompileFailure(status, report ? report : "");
  } else {
    made = Ref::take(PyType_GenericAlloc(types.kernel, 0));
    Ref warnings = report ? Ref::take(PyUnicode_FromString(report)) : Ref::share(Py_None);
    if (made && warnings) {
      auto *object = reinterpret_cast<KernelObject *>(made.get());
      object->kernel = std::exchange(kernel, nullptr);
      object->warnings = warnings.release();
    }
  }
  tessera_kernel_free(kernel);
  tessera_string_free(report);
  return PyErr_Occurred() ? nullptr : made.release();
}

static PyObject *compileProgram(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"program", "target", "options", "outputs", nullptr};
  const char *program, *target, *options = "", *outputs = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "ss|zz:compile_program",
                                   const_cast<char **>(kNames), &program, &target, &options,
                                   &outputs))
    return nullptr;
  tessera_kernel *kernel = nullptr;
  char *report = nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_compile_program(reinterpret_cast<SessionObject *>(self)->session, program,
                                     target, options, outputs, &kernel, &report);
  }
  return finishCompilation(status, kernel, report);
}

/// Returns the string result of a library call as a str, or raises CompileFailure; frees both
/// strings.
static PyObject *takeText(tessera_status status, char *text, char *message) {
  PyObject *result = nullptr;
  if (status == TESSERA_DONE && text)
    result = PyUnicode_FromString(text);
  else
    raiseCompileFailure(status, message ? message : "");
  tessera_string_free(text);
  tessera_string_free(message);
  return result;
}

static PyObject *programKey(PyObject *self, PyObject *args) {
  const char *program, *target, *options = "";
  if (!PyArg_ParseTuple(args, "ss|z:program_key", &program, &target, &options))
    return nullptr;
  char *key = nullptr, *message = nullptr;
  tessera_status status = tessera_program_key(reinterpret_cast<SessionObject *>(self)->session,
                                              program, target, options, &key, &message);
  return takeText(status, key, message);
}

/// Returns autotune's choices for a kernel, from the session's packs: a JSON array.
static PyObject *packedChoices(PyObject *self, PyObject *args) {
  const char *kernel;
  if (!PyArg_ParseTuple(args, "s:choices", &kernel))
    return nullptr;
  char *choices = nullptr, *message = nullptr;
  tessera_status status = tessera_session_choices(
      reinterpret_cast<SessionObject *>(self)->session, kernel, &choices, &message);
  return takeText(status, choices, message);
}

/// A blob of the server behind the cache folder, or None.
static PyObject *fetch(PyObject *self, PyObject *args) {
  const char *name;
  if (!PyArg_ParseTuple(args, "s:fetch", &name))
    return nullptr;
  void *bytes = nullptr;
  size_t size = 0;
  tessera_status status;
  {
    Inside inside;
    status = tessera_session_fetch(reinterpret_cast<SessionObject *>(self)->session, name, &bytes,
                                   &size);
  }
  if (PyErr_Occurred() || PyErr_CheckSignals() < 0) {
    tessera_string_free(static_cast<char *>(bytes));
    return nullptr;
  }
  if (status != TESSERA_DONE)
    Py_RETURN_NONE;
  PyObject *result = PyBytes_FromStringAndSize(static_cast<char *>(bytes), Py_ssize_t(size));
  tessera_string_free(static_cast<char *>(bytes));
  return result;
}

/// Puts a blob there; returns whether it was kept.
static PyObject *share(PyObject *self, PyObject *args) {
  const char *name;
  PyObject *blob;
  char *bytes = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "sS:share", &name, &blob) ||
      PyBytes_AsStringAndSize(blob, &bytes, &size) < 0)
    return nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_session_share(reinterpret_cast<SessionObject *>(self)->session, name, bytes,
                                   size_t(size));
  }
  if (PyErr_Occurred() || PyErr_CheckSignals() < 0)
    return nullptr;
  return PyBool_FromLong(status == TESSERA_DONE);
}

static PyObject *unpack(PyObject *, PyObject *args) {
  const char *key;
  PyObject *packed;
  if (!PyArg_ParseTuple(args, "sS:unpack", &key, &packed))
    return nullptr;
  char *bytes = nullptr, *message = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(packed, &bytes, &size) < 0)
    return nullptr;
  tessera_kernel *kernel = nullptr;
  if (tessera_kernel_unpack(key, bytes, size_t(size), &kernel, &message) == TESSERA_DONE)
    return finishCompilation(TESSERA_DONE, kernel, nullptr);
  PyErr_SetString(PyExc_ValueError, message ? message : "out of memory");
  tessera_string_free(message);
  return nullptr;
}

static PyObject *compileFile(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"path",   "text",    "kernel_name", "signature",
                                       "target", "options", "outputs",     nullptr};
  tessera_compile_request request = TESSERA_COMPILE_REQUEST;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "szzzs|zz:compile_file",
                                   const_cast<char **>(kNames), &request.path, &request.text,
                                   &request.kernel_name, &request.signature, &request.target,
                                   &request.options, &request.outputs))
    return nullptr;
  tessera_kernel *kernel = nullptr;
  char *report = nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_compile_with_report(reinterpret_cast<SessionObject *>(self)->session, &request,
                                         &kernel, &report);
  }
  return finishCompilation(status, kernel, report);
}

/// (report, status): the report exists also if the compilation fails.
static PyObject *explain(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"path",      "text",   "kernel_name",
                                       "signature", "target", "options",     nullptr};
  tessera_compile_request request = TESSERA_COMPILE_REQUEST;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "szzzs|z:explain", const_cast<char **>(kNames),
                                   &request.path, &request.text, &request.kernel_name,
                                   &request.signature, &request.target, &request.options))
    return nullptr;
  char *report = nullptr, *message = nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_explain(reinterpret_cast<SessionObject *>(self)->session, &request, &report,
                             &message);
  }
  if (!report)
    return takeText(status == TESSERA_DONE ? TESSERA_INTERNAL_ERROR : status, nullptr, message);
  tessera_string_free(message);
  Ref text = Ref::take(PyUnicode_FromString(report));
  tessera_string_free(report);
  return text ? Py_BuildValue("(Oi)", text.get(), int(status)) : nullptr;
}

PyObject *explainPage(PyObject *, PyObject *args) {
  const char *report;
  if (!PyArg_ParseTuple(args, "s:explain_page", &report))
    return nullptr;
  char *page = nullptr, *message = nullptr;
  tessera_status status = tessera_explain_page(report, &page, &message);
  return takeText(status, page, message);
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

static tessera_kernel *kernelOf(PyObject *self) {
  return reinterpret_cast<KernelObject *>(self)->kernel;
}

static void freeKernel(PyObject *self) {
  tessera_kernel_free(kernelOf(self));
  Py_XDECREF(reinterpret_cast<KernelObject *>(self)->warnings);
  freeInstance(self);
}

static PyObject *getMetadata(PyObject *self, void *) {
  return PyUnicode_FromString(tessera_kernel_metadata(kernelOf(self)));
}

/// number("shared") of the record, without its text.
static PyObject *recordNumber(PyObject *self, PyObject *field) {
  Text name(field);
  return name.get() ? PyLong_FromLongLong(tessera_kernel_number(kernelOf(self), name.get()))
                    : nullptr;
}

static PyObject *getKey(PyObject *self, void *) {
  return PyUnicode_FromString(tessera_kernel_key(kernelOf(self)));
}

static PyObject *getIsCached(PyObject *self, void *) {
  return PyBool_FromLong(tessera_kernel_is_cached(kernelOf(self)));
}

static PyObject *getWarnings(PyObject *self, void *) {
  return Ref::share(reinterpret_cast<KernelObject *>(self)->warnings).release();
}

static PyObject *artifact(PyObject *self, PyObject *extension) {
  if (!PyUnicode_Check(extension))
    return PyErr_Format(PyExc_TypeError, "an artifact's name is a str, not %R", extension);
  Text name(extension);
  if (!name.get())
    return nullptr;
  size_t size = 0;
  const void *data = tessera_kernel_artifact(kernelOf(self), name.get(), &size);
  if (!data)
    Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(static_cast<const char *>(data), Py_ssize_t(size));
}

static PyObject *pack(PyObject *self, PyObject *) {
  size_t size = 0;
  void *bytes = tessera_kernel_pack(kernelOf(self), &size);
  if (!bytes)
    return PyErr_NoMemory();
  PyObject *result = PyBytes_FromStringAndSize(static_cast<char *>(bytes), Py_ssize_t(size));
  tessera_string_free(static_cast<char *>(bytes));
  return result;
}

static PyObject *launcher(PyObject *self, PyObject *request) {
  if (!PyUnicode_Check(request))
    return PyErr_Format(PyExc_TypeError, "a launcher's request is JSON in a str, not %R", request);
  Text text(request);
  if (!text.get())
    return nullptr;
  char *files = nullptr, *message = nullptr;
  tessera_status status = tessera_kernel_launcher(kernelOf(self), text.get(), &files, &message);
  return takeText(status, files, message);
}

static PyObject *stageSeconds(PyObject *self, PyObject *stage) {
  if (!PyUnicode_Check(stage))
    return PyErr_Format(PyExc_TypeError, "a stage's name is a str, not %R", stage);
  Text name(stage);
  if (!name.get())
    return nullptr;
  return PyFloat_FromDouble(tessera_kernel_stage_seconds(kernelOf(self), name.get()));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static PyMethodDef sessionMethods[] = {
    {"compile_program", asMethod(compileProgram), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"choices", packedChoices, METH_VARARGS, nullptr},
    {"fetch", fetch, METH_VARARGS, nullptr},
    {"share", share, METH_VARARGS, nullptr},
    {"compile_file", asMethod(compileFile), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"explain", asMethod(explain), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"program_key", programKey, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static PyType_Slot sessionSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newSession)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeSession)},
    {Py_tp_methods, sessionMethods},
    {0, nullptr},
};
static PyType_Spec sessionSpec = {"tessera._native.Session", sizeof(SessionObject), 0,
                                  Py_TPFLAGS_DEFAULT, sessionSlots};

static PyMethodDef kernelMethods[] = {
    {"artifact", artifact, METH_O, nullptr},
    {"number", recordNumber, METH_O, nullptr},
    {"stage_seconds", stageSeconds, METH_O, nullptr},
    {"launcher", launcher, METH_O, nullptr},
    {"pack", pack, METH_NOARGS, nullptr},
    {"unpack", unpack, METH_VARARGS | METH_STATIC, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static PyGetSetDef kernelProperties[] = {
    {"metadata", getMetadata, nullptr, nullptr, nullptr},
    {"key", getKey, nullptr, nullptr, nullptr},
    {"is_cached", getIsCached, nullptr, nullptr, nullptr},
    {"warnings", getWarnings, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
/// Python code cannot create a Kernel; compilations do.
static PyObject *refuseNew(PyTypeObject *, PyObject *, PyObject *) {
  return PyErr_Format(PyExc_TypeError, "a Kernel is what Session.compile_program returns");
}
static PyType_Slot kernelSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(refuseNew)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeKernel)},
    {Py_tp_methods, kernelMethods},
    {Py_tp_getset, kernelProperties},
    {0, nullptr},
};
static PyType_Spec kernelSpec = {"tessera._native.Kernel", sizeof(KernelObject), 0,
                                 Py_TPFLAGS_DEFAULT, kernelSlots};

bool addSessionTypes(PyObject *module) {
  types.session = addType(module, sessionSpec);
  types.kernel = types.session ? addType(module, kernelSpec) : nullptr;
  return types.kernel != nullptr;
}

} // namespace tessera::python
