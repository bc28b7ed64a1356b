//===- Module.cpp - the extension tessera._native -------------------------===//
// python/tessera/_native.pyi documents its interface.
//===----------------------------------------------------------------------===//
#include "ForkGate.h"
#include "Guards.h"
#include "Objects.h"
#include "Storage.h"
#include "Threads.h"

namespace tessera::python {

static PyObject *getVersion(PyObject *, PyObject *) {
  return PyUnicode_FromString(tessera_version());
}

static PyObject *references(PyObject *, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"text", "path", "line", nullptr};
  const char *text, *path;
  unsigned line;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "ssI:references", const_cast<char **>(kNames),
                                   &text, &path, &line))
    return nullptr;
  char *found = nullptr, *message = nullptr;
  tessera_status status = tessera_program_references(text, path, line, &found, &message);
  Ref list;
  if (status == TESSERA_DONE && found)
    list = parseJSON(found);
  else
    PyErr_SetString(PyExc_ValueError, message ? message : "out of memory");
  tessera_string_free(found);
  tessera_string_free(message);
  return list.release();
}

static PyObject *outline(PyObject *, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"text", "path", nullptr};
  const char *text, *path;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "ss:outline", const_cast<char **>(kNames), &text,
                                   &path))
    return nullptr;
  char *found = nullptr, *message = nullptr;
  tessera_status status = tessera_module_outline(text, path, &found, &message);
  Ref module;
  if (status == TESSERA_DONE && found)
    module = parseJSON(found);
  else
    PyErr_SetString(PyExc_ValueError, message ? message : "out of memory");
  tessera_string_free(found);
  tessera_string_free(message);
  return module.release();
}

static PyObject *link(PyObject *, PyObject *args) {
  const char *request;
  if (!PyArg_ParseTuple(args, "s:link", &request))
    return nullptr;
  char *files = nullptr, *message = nullptr;
  tessera_status status = tessera_link(request, &files, &message);
  Ref linked;
  if (status == TESSERA_DONE && files)
    linked = parseJSON(files);
  else
    PyErr_SetString(PyExc_ValueError, message ? message : "out of memory");
  tessera_string_free(files);
  tessera_string_free(message);
  return linked.release();
}

static PyObject *describe(PyObject *, PyObject *args) {
  const char *target, *folders;
  if (!PyArg_ParseTuple(args, "zy:describe", &target, &folders))
    return nullptr;
  // The GIL stays held, so that no other thread changes the environment through Python meanwhile.
  char *found = nullptr, *message = nullptr;
  tessera_status status = tessera_describe(target, folders, &found, &message);
  Ref description;
  if (status == TESSERA_DONE && found)
    description = parseJSON(found);
  else
    PyErr_SetString(PyExc_ValueError, message ? message : "out of memory");
  tessera_string_free(found);
  tessera_string_free(message);
  return description.release();
}

static PyMethodDef functions[] = {
    {"version", getVersion, METH_NOARGS, nullptr},
    {"references", asMethod(references), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"outline", asMethod(outline), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"link", link, METH_VARARGS, nullptr},
    {"describe", describe, METH_VARARGS, nullptr},
    {"explain_page", explainPage, METH_VARARGS, nullptr},
    {"scalar_types", scalarTypes, METH_NOARGS, nullptr},
    {"set_launch_hooks", setLaunchHooks, METH_VARARGS, nullptr},
    {"set_program_target", setProgramTarget, METH_O, nullptr},
    {"set_allocator", setAllocator, METH_O, nullptr},
    {"set_default_device", setDefaultDevice, METH_O, nullptr},
    {"current_device", getCurrentDevice, METH_NOARGS, nullptr},
    {"current_gpu", getCurrentGPU, METH_NOARGS, nullptr},
    {"has_one_gpu", hasOneGPU, METH_NOARGS, nullptr},
    {"current_stream", asMethod(getCurrentStream), METH_FASTCALL, nullptr},
    {"set_cpu_threads", setCPUThreads, METH_VARARGS, nullptr},
    {"cpu_threads", getCPUThreads, METH_NOARGS, nullptr},
    {"handle_breakpoints", handleBreakpoints, METH_NOARGS, nullptr},
    {"register_type", registerType, METH_VARARGS, nullptr},
    {"hold", holdGuards, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 "tessera._native",
                                 nullptr,
                                 -1,
                                 functions,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 nullptr};

/// Adds an object to the module; the caller keeps its own reference.
static bool add(PyObject *module, const char *name, PyObject *object) {
  if (!object)
    return false;
  Py_INCREF(object);
  if (PyModule_AddObject(module, name, object) == 0)
    return true;
  Py_DECREF(object);
  return false;
}

static bool fill(PyObject *module) {
  types.compileFailure = PyErr_NewException("tessera._native.CompileFailure", nullptr, nullptr);
  types.deviceFailure =
      PyErr_NewException("tessera.DeviceError", PyExc_RuntimeError, nullptr);
  types.deviceAssertion =
      PyErr_NewException("tessera.DeviceAssertError", types.deviceFailure, nullptr);
  types.absent = PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
  return makeNames() && add(module, "CompileFailure", types.compileFailure) &&
         add(module, "DeviceFailure", types.deviceFailure) &&
         add(module, "DeviceAssertion", types.deviceAssertion) && add(module, "absent", types.absent) &&
         addSessionTypes(module) && addDeviceTypes(module) && addLaunchTypes(module) &&
         addGate(module);
}

} // namespace tessera::python

PyMODINIT_FUNC PyInit__native(void) {
  using namespace tessera::python;
  PyObject *module = PyModule_Create(&definition);
  if (module && !fill(module)) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
