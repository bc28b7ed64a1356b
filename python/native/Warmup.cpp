//===- Warmup.cpp - kernel.warmup(*args, grid=..., **kwargs) --------------===//
// Returns the kernel that a launch with these arguments would run, and compiles
// it if need be. Programs call this before each launch, to read the kernel's
// registers, so a kernel that is there already is found as a launch finds its
// own: bind, classify, compare the guards, look it up. Nothing is loaded, so
// the table is another one than that of the launches.
//
// Python is called on a miss (`_compile_for_warmup`), and for all of it where
// `run` is not JITFunction's own (`_warm_up_by_run`).
//===----------------------------------------------------------------------===//
#include "Launchable.h"
#include "Messages.h"

namespace tessera::python {

PyObject *setProgramTarget(PyObject *, PyObject *has) {
  int truth = PyObject_IsTrue(has);
  if (truth < 0)
    return nullptr;
  process.programHasTarget = truth;
  Py_RETURN_NONE;
}

/// What stands for the state in the table: with the target, where a program's own driver says what
/// warm-ups compile for. Null: an exception is set.
static Ref stateWith(PyObject *state, PyObject *target) {
  return target ? Ref::take(PyTuple_Pack(2, state, target)) : Ref::share(state);
}

/// Has Python compile, and keeps what it returns as (kernel, state). Anything else is a kernel that
/// is not there yet, or None: it was vetoed.
static Ref compileNow(PyObject *self, const Wanted &wanted, PyObject *target) {
  const Parameters &parameters = *launchableOf(self)->parameters;
  Ref made = describe(parameters, wanted).pass(self, names.compileForWarmup);
  if (!made) {
    forgetOwnFrames();
    return {};
  }
  if (!PyTuple_Check(made.get()) || PyTuple_Size(made.get()) != 2)
    return made;
  Ref kernel = Ref::share(PyTuple_GetItem(made.get(), 0));
  if (kernel.get() == Py_None)
    return kernel;
  Ref state = stateWith(PyTuple_GetItem(made.get(), 1), target);
  if (!state)
    return {};
  Wanted kept = {wanted.device, state.get(), wanted.arguments, wanted.binding};
  return launchableOf(self)->warm->add(kept, parameters, kernel.get()) ? std::move(kernel) : Ref();
}

static Ref warmUpCall(PyObject *self, const Call &call, bool compiles) {
  Meaning meaning;
  meaning.arguments.takesDtypes = true;
  if (!understand(self, call, meaning)) {
    callItPlain();
    return {};
  }
  Ref target;
  if (process.programHasTarget) {
    target = Ref::take(PyObject_CallMethodObjArgs(self, names.targetOfProgram, nullptr));
    if (!target)
      return {};
  }
  if (!checkGuards(self))
    return {};
  Ref state = stateWith(launchableOf(self)->state, target.get());
  if (!state)
    return {};
  Wanted wanted = {meaning.device, state.get(), meaning.arguments, meaning.binding};
  Ref found = launchableOf(self)->warm->find(wanted);
  if (found || PyErr_Occurred())
    return found;
  return compiles ? compileNow(self, wanted, target.get()) : Ref::share(Py_None);
}

/// self._warm_up_by_run(*args, **kwargs), the grid among them.
static PyObject *warmUpByRun(PyObject *self, PyObject *const *args, size_t count,
                             PyObject *keywordNames) {
  Ref method = Ref::take(PyObject_GetAttr(self, names.warmUpByRun));
  Ref positional = Ref::take(PyTuple_New(Py_ssize_t(count)));
  Ref keywords = Ref::take(PyDict_New());
  if (!method || !positional || !keywords)
    return nullptr;
  for (size_t i = 0; i < count; ++i)
    if (PyTuple_SetItem(positional.get(), Py_ssize_t(i), Ref::share(args[i]).release()) < 0)
      return nullptr;
  Py_ssize_t named = keywordNames ? PyTuple_Size(keywordNames) : 0;
  for (Py_ssize_t i = 0; i < named; ++i)
    if (PyDict_SetItem(keywords.get(), PyTuple_GetItem(keywordNames, i), args[count + size_t(i)]) <
        0)
      return nullptr;
  return PyObject_Call(method.get(), positional.get(), keywords.get());
}

static bool isNamed(PyObject *name, PyObject *interned) {
  return name == interned || PyUnicode_Compare(name, interned) == 0;
}

PyObject *warmUp(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywordNames) {
  auto given = size_t(count);
  if (process.warmupsCallPython || launchableOf(self)->usesSlowPath)
    return warmUpByRun(self, args, given, keywordNames);
  Buffer<PyObject *, 64> keywords, values;
  bool hasGrid = false, isStrange = false;
  Py_ssize_t named = keywordNames ? PyTuple_Size(keywordNames) : 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GetItem(keywordNames, i);
    if (isNamed(name, names.grid)) {
      hasGrid = true;
      continue;
    }
    isStrange |= isNamed(name, names.warmup);
    keywords.push(name);
    values.push(args[given + size_t(i)]);
  }
  if (!hasGrid || isStrange) // Python says what is wrong
    return warmUpByRun(self, args, given, keywordNames);
  Call call = {args, given, keywords.data(), values.data(), keywords.size()};
  return warmUpCall(self, call, true).release();
}

PyObject *warmUpWithTuple(PyObject *self, PyObject *args) {
  PyObject *positional, *keywords;
  int compiles = 1;
  if (!PyArg_ParseTuple(args, "O!O!|p:_warm_up", &PyTuple_Type, &positional, &PyDict_Type,
                        &keywords, &compiles))
    return nullptr;
  Ref owned = Ref::take(PyDict_Copy(keywords));
  if (!owned)
    return nullptr;
  UnpackedCall call(positional, owned.get());
  return call.check() ? warmUpCall(self, call.get(), compiles).release() : nullptr;
}

} // namespace tessera::python
