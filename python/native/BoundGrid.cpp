//===- BoundGrid.cpp - kernel[grid] ---------------------------------------===//
#include "BoundGrid.h"
#include "ProcessState.h"

namespace tessera::python {

static BoundObject *boundOf(PyObject *self) { return reinterpret_cast<BoundObject *>(self); }

/// Plain ints in a tuple: keeping it alive keeps nothing else alive. What is wrong with other grids
/// is said when they are launched.
static bool readPlainGrid(PyObject *grid, uint32_t (&extents)[3]) {
  if (Py_TYPE(grid) != &PyTuple_Type)
    return false;
  Py_ssize_t size = PyTuple_Size(grid);
  if (size < 1 || size > 3)
    return false;
  extents[1] = extents[2] = 1;
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *extent = PyTuple_GetItem(grid, i);
    if (Py_TYPE(extent) != &PyLong_Type)
      return false;
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(extent, &overflow);
    if (overflow || number < 0 || number > INT32_MAX)
      return false;
    extents[i] = uint32_t(number);
  }
  return true;
}

static BoundObject *makeBound(PyObject *launchable, PyObject *grid) {
  PyObject *made = PyType_GenericAlloc(types.boundKernel, 0);
  if (!made)
    return nullptr;
  BoundObject *bound = boundOf(made);
  bound->call = callBound;
  bound->launchable = Ref::share(launchable).release();
  bound->grid = Ref::share(grid).release();
  return bound;
}

PyObject *bindGrid(PyObject *launchable, PyObject *grid, BoundObject *&last) {
  if (last && last->grid == grid) // most launches in a loop
    return Ref::share(&last->head).release();
  uint32_t extents[3];
  bool isPlain = readPlainGrid(grid, extents);
  if (isPlain && last && Py_REFCNT(&last->head) == 1) {
    PyObject *old = std::exchange(last->grid, Ref::share(grid).release());
    std::memcpy(last->extents, extents, sizeof(extents));
    last->isPlain = true;
    Py_DECREF(old);
    return Ref::share(&last->head).release();
  }
  BoundObject *bound = makeBound(launchable, grid);
  if (!bound || !isPlain)
    return reinterpret_cast<PyObject *>(bound);
  bound->isPlain = true;
  std::memcpy(bound->extents, extents, sizeof(extents));
  Py_INCREF(&bound->head);
  BoundObject *old = std::exchange(last, bound);
  Py_XDECREF(reinterpret_cast<PyObject *>(old));
  return &bound->head;
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static int traverseBound(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(boundOf(self)->launchable);
  Py_VISIT(boundOf(self)->grid);
  return 0;
}

/// Leaves None for the grid of an object that is part of garbage and may still be called.
static int clearBound(PyObject *self) {
  boundOf(self)->isPlain = false;
  PyObject *grid = std::exchange(boundOf(self)->grid, Ref::share(Py_None).release());
  Py_XDECREF(grid);
  return 0;
}

static void freeBound(PyObject *self) {
  PyObject_GC_UnTrack(self);
  Py_XDECREF(boundOf(self)->grid);
  Py_XDECREF(boundOf(self)->launchable);
  freeInstance(self);
}

/// <BoundKernel add_kernel[(97,)]>
static PyObject *showBound(PyObject *self) {
  Ref name = Ref::take(PyObject_GetAttrString(boundOf(self)->launchable, "__name__"));
  return name ? PyUnicode_FromFormat("<BoundKernel %S[%R]>", name.get(), boundOf(self)->grid)
              : nullptr;
}

static PyObject *refuseNew(PyTypeObject *, PyObject *, PyObject *) {
  return PyErr_Format(PyExc_TypeError, "a BoundKernel is what kernel[grid] returns");
}

bool makeBoundType() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundObject, call), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(refuseNew)},
      {Py_tp_dealloc, reinterpret_cast<void *>(freeBound)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseBound)},
      {Py_tp_clear, reinterpret_cast<void *>(clearBound)},
      {Py_tp_call, reinterpret_cast<void *>(callBoundWithTuple)},
      {Py_tp_repr, reinterpret_cast<void *>(showBound)},
      {Py_tp_members, members},
      {0, nullptr},
  };
  static PyType_Spec spec = {"tessera._native.BoundKernel", sizeof(BoundObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                             slots};
  types.boundKernel = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return types.boundKernel != nullptr;
}

} // namespace tessera::python
