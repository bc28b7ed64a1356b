//===- Launchable.cpp - kernel[grid](*args, **kwargs) ---------------------===//
// The steps of a launch, in the order of the functions below:
//
//   1. bind the arguments to the parameters               Binding.cpp
//   2. classify them into a key and slots                 Arguments.cpp
//   3. compare the guards                                 Guards.cpp
//   4. look up the variant, or let Python compile it      Variants.cpp
//   5. check that the device can access the arrays        ArrayChecks.cpp
//   6. evaluate the grid and launch                       BoundGrid.cpp, Grid.cpp, Device.cpp
//
// A warm-up does steps 1 to 4 (Warmup.cpp).
//
// References that are borrowed from the call's arguments stay valid until the
// call returns. All other references that are used after a call into Python are
// owned here.
//===----------------------------------------------------------------------===//
#include "Launchable.h"
#include "Grid.h"
#include "Messages.h"
#include <cstdio>

namespace tessera::python {

PyObject *setLaunchHooks(PyObject *, PyObject *args) {
  int launches, warmups = 0;
  if (!PyArg_ParseTuple(args, "p|p:set_launch_hooks", &launches, &warmups))
    return nullptr;
  process.launchesCallPython = launches;
  process.warmupsCallPython = warmups;
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

bool checkGuards(PyObject *self) {
  int fine = launchableOf(self)->guards->hold();
  if (fine == 1) [[likely]]
    return true;
  return fine == 0 &&
         bool(Ref::take(PyObject_CallMethodObjArgs(self, names.guardsChanged, nullptr)));
}

static PyObject *getGuards(PyObject *self, void *) {
  return launchableOf(self)->guards->get().release();
}

static int setGuards(PyObject *self, PyObject *value, void *) {
  if (value)
    return launchableOf(self)->guards->set(value) ? 0 : -1;
  launchableOf(self)->guards->clear();
  return 0;
}

/// _set_guards(guards, state): sets both in one step. Between two assignments another thread, or a
/// destructor of an old guard's value, could launch with new guards and an old state, and so run a
/// variant that was compiled with outdated globals.
static PyObject *setGuardsAndState(PyObject *self, PyObject *args) {
  PyObject *guards, *state;
  if (!PyArg_ParseTuple(args, "OO:_set_guards", &guards, &state))
    return nullptr;
  LaunchableObject *launchable = launchableOf(self);
  Ref oldGuards = launchable->guards->get(), oldState; // released last
  if (!oldGuards || !launchable->guards->set(guards))
    return nullptr;
  oldState = Ref::take(std::exchange(launchable->state, Ref::share(state).release()));
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

static Ref optionsDict(const Binding &binding) {
  Ref dict = Ref::take(PyDict_New());
  for (const Option &option : binding.options)
    if (!dict || PyDict_SetItem(dict.get(), option.name, option.value) < 0)
      return {};
  return dict;
}

Description describe(const Parameters &parameters, const Wanted &wanted) {
  return {boundDict(parameters, wanted.binding), specializationOf(parameters, wanted.arguments),
          optionsDict(wanted.binding), deviceName(wanted.device)};
}

/// Checks that the kernel takes the arguments that the call passes; otherwise it would read garbage.
static bool checkFit(const Parameters &parameters, const Arguments &arguments,
                     const LoadedKernelObject *loaded) {
  Buffer<Storage, 128> storages;
  storagesOf(parameters, arguments, storages);
  bool fits = storages.size() == loaded->argumentCount;
  for (size_t i = 0; fits && i < storages.size(); ++i)
    fits = storages[i].agrees(loaded->arguments[i].storage);
  if (!fits)
    PyErr_Format(PyExc_RuntimeError,
                 "kernel %R was compiled for other arguments than it is launched with (%zu are "
                 "passed, it takes %zu); this is a bug of Tessera",
                 parameters.kernelName(), storages.size(), loaded->argumentCount);
  return fits;
}

/// Unpacks the result of _make_variant: a Variant, or (Variant, the state that it was compiled in).
/// Null: an exception is set.
static PyObject *variantIn(PyObject *made, Ref &state) {
  PyObject *variant = made;
  if (PyTuple_Check(made) && PyTuple_Size(made) == 2) {
    variant = PyTuple_GetItem(made, 0);
    state = Ref::share(PyTuple_GetItem(made, 1));
  }
  if (PyObject_TypeCheck(variant, types.variant))
    return variant;
  PyErr_Format(
      PyExc_TypeError,
      "_make_variant returned %R, which is neither a Variant, nor (Variant, state), nor None",
      made);
  return nullptr;
}

/// Lets Python compile a variant. Null without an exception: a hook refused.
static Ref makeVariant(PyObject *self, const Wanted &wanted) {
  LaunchableObject *launchable = launchableOf(self);
  const Parameters &parameters = *launchable->parameters;
  Ref made = describe(parameters, wanted).pass(self, names.makeVariant);
  if (!made)
    forgetOwnFrames();
  if (!made || made.get() == Py_None)
    return {};
  Ref state;
  Ref variant = Ref::share(variantIn(made.get(), state));
  if (!variant || !checkFit(parameters, wanted.arguments,
                            reinterpret_cast<VariantObject *>(variant.get())->loaded))
    return {};
  // If Python returned no state, globals may have changed during the compilation. The variant is
  // then launched, which is correct for some moment within the call, but not kept.
  if (!state && launchable->state != wanted.state)
    return variant;
  Wanted kept = {wanted.device, state ? state.get() : wanted.state, wanted.arguments,
                 wanted.binding};
  return launchable->variants->add(kept, parameters, variant.get()) ? std::move(variant) : Ref();
}

static bool requireParameters(PyObject *self) {
  if (launchableOf(self)->parameters->areSet())
    return true;
  PyErr_SetString(PyExc_RuntimeError, "_set_parameters was not called");
  return false;
}

bool understand(PyObject *self, const Call &call, Meaning &meaning) {
  const Parameters &parameters = *launchableOf(self)->parameters;
  if (!requireParameters(self) || !bind(parameters, call, meaning.binding) ||
      !classify(parameters, meaning.binding, meaning.arguments))
    return false;
  meaning.device = chooseDevice(meaning.arguments);
  return meaning.device != kNoDevice;
}

static Ref findVariant(PyObject *self, const Meaning &meaning) {
  if (!checkGuards(self))
    return {};
  Ref state = Ref::share(launchableOf(self)->state);
  Wanted wanted = {meaning.device, state.get(), meaning.arguments, meaning.binding};
  Ref found = launchableOf(self)->variants->find(wanted);
  return found || PyErr_Occurred() ? std::move(found) : makeVariant(self, wanted);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// `extents` are the grid's, or null if the grid has to be evaluated.
static PyObject *launchCall(PyObject *self, PyObject *grid, const uint32_t *extents,
                            const Call &call) {
  const Parameters &parameters = *launchableOf(self)->parameters;
  Meaning meaning;
  if (!understand(self, call, meaning))
    return nullptr;
  Ref variant = findVariant(self, meaning);
  if (!variant) {
    if (PyErr_Occurred())
      return nullptr;
    Py_RETURN_NONE; // a hook refused to compile
  }
  LoadedKernelObject *loaded = reinterpret_cast<VariantObject *>(variant.get())->loaded;
  LaunchRequest request = {
      {1, 1, 1}, meaning.arguments.slots.data(), meaning.arguments.slots.size(), 0};
  if (!checkArrays(parameters, meaning, loaded))
    return nullptr;
  if (extents)
    std::memcpy(request.grid, extents, sizeof(request.grid));
  else if (!evaluateGrid(grid, parameters, meaning.binding, request.grid))
    return nullptr;
  if (request.grid[0] && request.grid[1] && request.grid[2]) {
    if (meaning.device != kCPU && !currentStream(meaning.device, request.stream))
      return nullptr;
    if (!launch(loaded, request))
      return nullptr;
    ++reinterpret_cast<VariantObject *>(variant.get())->launches;
  }
  PyObject *result = reinterpret_cast<VariantObject *>(variant.get())->result;
  return Ref::share(result ? result : Py_None).release();
}

/// self.run(*args, grid=grid, warmup=False, **kwargs)
static PyObject *runInPython(PyObject *self, PyObject *grid, const Call &call) {
  Ref run = Ref::take(PyObject_GetAttr(self, names.run));
  Ref args = Ref::take(PyTuple_New(Py_ssize_t(call.positionalCount)));
  Ref keywords = Ref::take(PyDict_New());
  if (!run || !args || !keywords)
    return nullptr;
  for (size_t i = 0; i < call.positionalCount; ++i)
    if (PyTuple_SetItem(args.get(), Py_ssize_t(i), Ref::share(call.positional[i]).release()) < 0)
      return nullptr;
  for (size_t i = 0; i < call.keywordCount; ++i)
    if (PyDict_SetItem(keywords.get(), call.names[i], call.values[i]) < 0)
      return nullptr;
  if (PyDict_SetItem(keywords.get(), names.grid, grid) < 0 ||
      PyDict_SetItem(keywords.get(), names.warmup, Py_False) < 0)
    return nullptr;
  PyObject *result = PyObject_Call(run.get(), args.get(), keywords.get());
  if (!result)
    forgetOwnFrames();
  return result;
}

static PyObject *subscript(PyObject *self, PyObject *grid) {
  return bindGrid(self, grid, launchableOf(self)->lastBound);
}

static PyObject *callBoundWith(const BoundObject *bound, const Call &call) {
  if (process.launchesCallPython || launchableOf(bound->launchable)->usesSlowPath)
    return runInPython(bound->launchable, bound->grid, call);
  return launchCall(bound->launchable, bound->grid, bound->isPlain ? bound->extents : nullptr,
                    call);
}

PyObject *callBound(PyObject *self, PyObject *const *args, size_t flaggedCount,
                    PyObject *keywordNames) {
  auto *bound = reinterpret_cast<const BoundObject *>(self);
  size_t count = flaggedCount & ~PY_VECTORCALL_ARGUMENTS_OFFSET;
  if (!keywordNames)
    return callBoundWith(bound, {args, count, nullptr, nullptr, 0});
  Buffer<PyObject *, 64> keywords;
  Py_ssize_t keywordCount = PyTuple_Size(keywordNames);
  for (Py_ssize_t i = 0; i < keywordCount; ++i)
    keywords.push(PyTuple_GetItem(keywordNames, i));
  return callBoundWith(bound, {args, count, keywords.data(), args + count, keywords.size()});
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

PyObject *callBoundWithTuple(PyObject *self, PyObject *args, PyObject *keywords) {
  Ref owned = keywords ? Ref::take(PyDict_Copy(keywords)) : Ref();
  if (keywords && !owned)
    return nullptr;
  UnpackedCall call(args, owned.get());
  return call.check() ? callBoundWith(reinterpret_cast<BoundObject *>(self), call.get()) : nullptr;
}

static PyObject *setParameters(PyObject *self, PyObject *args) {
  PyObject *name, *parameters;
  if (!PyArg_ParseTuple(args, "UO:_set_parameters", &name, &parameters))
    return nullptr;
  if (launchableOf(self)->parameters->areSet())
    return PyErr_Format(PyExc_RuntimeError, "the parameters of kernel %R are set already", name);
  if (!launchableOf(self)->parameters->read(name, parameters))
    return nullptr;
  Py_RETURN_NONE;
}

static PyObject *launchMethod(PyObject *self, PyObject *args) {
  PyObject *grid, *positional, *keywords;
  if (!PyArg_ParseTuple(args, "OO!O!:_launch", &grid, &PyTuple_Type, &positional, &PyDict_Type,
                        &keywords))
    return nullptr;
  // Copied, because the grid's function may change the dict that it is called with.
  Ref owned = Ref::take(PyDict_Copy(keywords));
  if (!owned)
    return nullptr;
  UnpackedCall call(positional, owned.get());
  return call.check() ? launchCall(self, grid, nullptr, call.get()) : nullptr;
}

/// Binds and classifies the (args, kwargs) that a method got; `format` is "O!O!:METHOD". The result
/// borrows from `args` and from `owned`, which becomes a copy of kwargs.
static bool understandMethod(PyObject *self, PyObject *args, const char *format, Ref &owned,
                             Meaning &meaning) {
  PyObject *positional, *keywords;
  if (!PyArg_ParseTuple(args, format, &PyTuple_Type, &positional, &PyDict_Type, &keywords))
    return false;
  owned = Ref::take(PyDict_Copy(keywords));
  if (!owned)
    return false;
  UnpackedCall call(positional, owned.get());
  if (!call.check() || !understand(self, call.get(), meaning)) {
    callItPlain();
    return false;
  }
  meaning.binding.keepValues(launchableOf(self)->parameters->size());
  return true;
}

static PyObject *classifyMethod(PyObject *self, PyObject *args) {
  Ref owned;
  Meaning meaning;
  if (!understandMethod(self, args, "O!O!:_classify", owned, meaning))
    return nullptr;
  Description found = describe(*launchableOf(self)->parameters,
                               {meaning.device, nullptr, meaning.arguments, meaning.binding});
  return found ? PyTuple_Pack(4, found.bound.get(), found.specialization.get(), found.options.get(),
                              found.device.get())
               : nullptr;
}

static PyObject *findVariantMethod(PyObject *self, PyObject *args) {
  Ref owned;
  Meaning meaning;
  if (!understandMethod(self, args, "O!O!:_find_variant", owned, meaning))
    return nullptr;
  Ref variant = findVariant(self, meaning);
  if (!variant && PyErr_Occurred())
    return nullptr;
  return variant ? variant.release() : Ref::share(Py_None).release();
}

/// _find_call(args, kwargs): (variant, {name: value}, device), or None if a hook refused.
static PyObject *findCallMethod(PyObject *self, PyObject *args) {
  Ref owned;
  Meaning meaning;
  if (!understandMethod(self, args, "O!O!:_find_call", owned, meaning))
    return nullptr;
  Ref variant = findVariant(self, meaning);
  if (!variant)
    return PyErr_Occurred() ? nullptr : Ref::share(Py_None).release();
  Ref bound = boundDict(*launchableOf(self)->parameters, meaning.binding);
  Ref device = deviceName(meaning.device);
  return bound && device ? PyTuple_Pack(3, variant.get(), bound.get(), device.get()) : nullptr;
}

/// _add_variant(specialization, options, device, variant[, state]): adds a variant to the table.
static PyObject *addVariantMethod(PyObject *self, PyObject *args) {
  PyObject *specialization, *options, *variant, *madeFrom = launchableOf(self)->state;
  const char *device;
  if (!PyArg_ParseTuple(args, "OO!sO!|O:_add_variant", &specialization, &PyDict_Type, &options,
                        &device, types.variant, &variant, &madeFrom))
    return nullptr;
  Ref state = Ref::share(madeFrom);
  int number = kCPU;
  if (std::strcmp(device, "cpu") != 0 && !kindOfName(device, number))
    return PyErr_Format(PyExc_ValueError, "the devices are cpu, cuda:N and hip:N, not '%s'", device);
  const Parameters &parameters = *launchableOf(self)->parameters;
  Ref none = Ref::take(PyTuple_New(0)), owned = Ref::take(PyDict_Copy(options));
  if (!none || !owned)
    return nullptr;
  UnpackedCall call(none.get(), owned.get());
  Meaning meaning;
  if (!requireParameters(self) || !call.check() ||
      !readSpecialization(parameters, specialization, meaning.arguments) ||
      !checkFit(parameters, meaning.arguments, reinterpret_cast<VariantObject *>(variant)->loaded))
    return nullptr;
  for (size_t i = 0; i < call.get().keywordCount; ++i)
    meaning.binding.options.push({call.get().names[i], call.get().values[i]});
  Wanted wanted = {number, state.get(), meaning.arguments, meaning.binding};
  if (!launchableOf(self)->variants->add(wanted, parameters, variant))
    return nullptr;
  Py_RETURN_NONE;
}

static PyObject *clearVariants(PyObject *self, PyObject *) {
  launchableOf(self)->variants->clear();
  launchableOf(self)->warm->clear();
  Py_RETURN_NONE;
}

static PyObject *listVariants(PyObject *self, PyObject *) {
  return launchableOf(self)->variants->list().release();
}

/// The default of the methods that JITFunction overrides.
static PyObject *refuseMissingMethod(PyObject *self, PyObject *) {
  return PyErr_Format(PyExc_NotImplementedError, "%S does not make variants",
                      reinterpret_cast<PyObject *>(Py_TYPE(self)));
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static PyObject *newLaunchable(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = PyType_GenericAlloc(type, 0);
  if (!self)
    return nullptr;
  launchableOf(self)->parameters = new Parameters;
  launchableOf(self)->variants = new Variants;
  launchableOf(self)->warm = new Variants;
  launchableOf(self)->guards = new Guards;
  launchableOf(self)->state = Ref::share(Py_None).release();
  return self;
}

static int traverseLaunchable(PyObject *self, visitproc visit, void *arg) {
  LaunchableObject *launchable = launchableOf(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(launchable->state);
  Py_VISIT(reinterpret_cast<PyObject *>(launchable->lastBound));
  if (launchable->guards)
    if (int stopped = launchable->guards->traverse(visit, arg))
      return stopped;
  if (launchable->parameters)
    if (int stopped = launchable->parameters->traverse(visit, arg))
      return stopped;
  for (const Variants *table : {launchable->variants, launchable->warm})
    if (table)
      if (int stopped = table->traverse(visit, arg))
        return stopped;
  return 0;
}

static int clearLaunchable(PyObject *self) {
  LaunchableObject *launchable = launchableOf(self);
  Py_CLEAR(launchable->state);
  auto *bound = reinterpret_cast<PyObject *>(std::exchange(launchable->lastBound, nullptr));
  Py_XDECREF(bound);
  if (launchable->guards)
    launchable->guards->clear();
  for (Variants *table : {launchable->variants, launchable->warm})
    if (table)
      table->clear();
  return 0;
}

static void freeLaunchable(PyObject *self) {
  PyObject_GC_UnTrack(self);
  clearLaunchable(self);
  delete launchableOf(self)->guards;
  delete launchableOf(self)->variants;
  delete launchableOf(self)->warm;
  delete launchableOf(self)->parameters;
  freeInstance(self);
}

static PyMethodDef methods[] = {
    {"_set_parameters", setParameters, METH_VARARGS, nullptr},
    {"_set_guards", setGuardsAndState, METH_VARARGS, nullptr},
    {"_launch", launchMethod, METH_VARARGS, nullptr},
    {"_classify", classifyMethod, METH_VARARGS, nullptr},
    {"_find_variant", findVariantMethod, METH_VARARGS, nullptr},
    {"_find_call", findCallMethod, METH_VARARGS, nullptr},
    {"_add_variant", addVariantMethod, METH_VARARGS, nullptr},
    {"_clear_variants", clearVariants, METH_NOARGS, nullptr},
    {"_variants", listVariants, METH_NOARGS, nullptr},
    {"_make_variant", refuseMissingMethod, METH_VARARGS, nullptr},
    {"_guards_changed", refuseMissingMethod, METH_VARARGS, nullptr},
    {"warmup", asMethod(warmUp), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_warm_up", warmUpWithTuple, METH_VARARGS, nullptr},
    {"_compile_for_warmup", refuseMissingMethod, METH_VARARGS, nullptr},
    {"_warm_up_by_run", refuseMissingMethod, METH_VARARGS, nullptr},
    {"_target_of_program", refuseMissingMethod, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static PyGetSetDef properties[] = {
    {"_guards", getGuards, setGuards, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
static PyMemberDef members[] = {
    {"_state", T_OBJECT, offsetof(LaunchableObject, state), 0, nullptr},
    {"_uses_slow_path", T_BOOL, offsetof(LaunchableObject, usesSlowPath), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
/// kernel(...) without a grid. In C, so that the traceback ends in the program's own line.
static PyObject *refuseCall(PyObject *self, PyObject *, PyObject *) {
  Ref name = Ref::take(PyObject_GetAttrString(self, "__name__"));
  return name ? PyErr_Format(PyExc_RuntimeError,
                             "%R is a jit function: launch it with %U[grid](...), or call it from "
                             "another jit function",
                             name.get(), name.get())
              : nullptr;
}

static PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void *>(refuseCall)},
    {Py_tp_new, reinterpret_cast<void *>(newLaunchable)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeLaunchable)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseLaunchable)},
    {Py_tp_clear, reinterpret_cast<void *>(clearLaunchable)},
    {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {0, nullptr},
};
static PyType_Spec spec = {"tessera._native.Launchable", sizeof(LaunchableObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

bool addLaunchTypes(PyObject *module) {
  types.launchable = addType(module, spec);
  return types.launchable && makeBoundType();
}

PyObject *registerType(PyObject *, PyObject *args) {
  const char *kind;
  PyObject *type;
  if (!PyArg_ParseTuple(args, "sO!:register_type", &kind, &PyType_Type, &type))
    return nullptr;
  auto *registered = reinterpret_cast<PyTypeObject *>(type);
  if (std::strcmp(kind, "constexpr") == 0)
    registerKind(registered, Kind::Constexpr);
  else if (std::strcmp(kind, "function") == 0)
    registerKind(registered, Kind::Function);
  else if (std::strcmp(kind, "descriptor") == 0)
    registerKind(registered, Kind::Descriptor);
  else if (std::strcmp(kind, "pointer") == 0)
    registerKind(registered, Kind::Pointer);
  else
    return PyErr_Format(
        PyExc_ValueError,
        "the kinds of types are constexpr, function, descriptor and pointer, not '%s'", kind);
  Py_RETURN_NONE;
}

} // namespace tessera::python
