//===- SecondLook.cpp - arrays that a device or a kernel cannot take ------===//
// Most arrays of a launch are where their kernel runs, and may be written to.
// The others are looked at here, once the kernel and its device are known.
//===----------------------------------------------------------------------===//
#include "Launchable.h"
#include "Messages.h"

namespace tessera::python {

static bool refuseReadOnly(const Parameters &parameters, const Doubt &doubt) {
  PyErr_Format(PyExc_ValueError,
               "argument %R of kernel %R is a read-only %S, and the kernel writes to it; pass a "
               "writable copy, or annotate the parameter as tl.const if it does not",
               parameters[doubt.parameter].name, parameters.kernelName(), nameOf(doubt.type).get());
  return false;
}

static bool refuseWithoutMemory(const Parameters &parameters, const Doubt &doubt) {
  PyErr_Format(PyExc_ValueError,
               "argument %R of kernel %R is a %S with elements but without memory, as those on "
               "torch's meta device are",
               parameters[doubt.parameter].name, parameters.kernelName(), nameOf(doubt.type).get());
  return false;
}

static bool refusePlace(const Parameters &parameters, const Doubt &doubt, PyObject *device) {
  Ref type = nameOf(doubt.type);
  PyObject *argument = parameters[doubt.parameter].name, *kernel = parameters.kernelName();
  if (doubt.gpu >= 0)
    PyErr_Format(
        PyExc_ValueError,
        "argument %R of kernel %R is a %S on cuda:%d, which %U, the current device, cannot "
        "reach; launch under torch.cuda.device(%d)",
        argument, kernel, type.get(), doubt.gpu, device, doubt.gpu);
  else
    PyErr_Format(
        PyExc_ValueError,
        "argument %R of kernel %R is a %S in the host's memory, which %U cannot reach; move "
        "it to the GPU or pin it",
        argument, kernel, type.get(), device);
  return false;
}

/// Memory of the host or of another GPU: fine if the driver can reach it, as it can pinned memory.
static bool checkReach(const Parameters &parameters, const Meaning &meaning,
                       const LoadedKernelObject *loaded) {
  Arguments again;
  again.notesElsewhere = true;
  again.device = meaning.device;
  if (!classify(parameters, meaning.binding, again))
    return false;
  for (const Doubt &doubt : again.doubts) {
    if (doubt.lacksMemory)
      return refuseWithoutMemory(parameters, doubt);
    auto *address = reinterpret_cast<void *>(again.slots[doubt.slot]);
    if (address && !tessera_device_can_access(loaded->device->device, address))
      return refusePlace(parameters, doubt, loaded->device->name);
  }
  return true;
}

bool lookAgain(const Parameters &parameters, const Meaning &meaning,
                      const LoadedKernelObject *loaded) {
  const Arguments &arguments = meaning.arguments;
  if (!loaded->isOnCPU) {
    bool isHere = !(arguments.places & ~(1u << uint32_t(Place::GPU))) && !arguments.mixesGPUs &&
                  (arguments.gpu < 0 || arguments.gpu == meaning.device);
    return isHere || checkReach(parameters, meaning, loaded);
  }
  for (const Doubt &doubt : arguments.doubts) {
    if (doubt.lacksMemory)
      return refuseWithoutMemory(parameters, doubt);
    if (!loaded->arguments[doubt.slot].isReadOnly)
      return refuseReadOnly(parameters, doubt);
  }
  return true;
}

} // namespace tessera::python
