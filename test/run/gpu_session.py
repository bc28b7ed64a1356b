"""Compiles and launches many kernels on a GPU in one process: session.py's Session for CUDA, or for HIP with
TESSERA_TEST_DEVICE=hip:0.

    after = GPUSession().launch("kernels/add.py", "add_kernel", "*fp32,*fp32,*fp32,i32,64", (2,), {"x_ptr": x, ...})

Kernels are compiled and launched through the C interface; memory comes from the driver. An array ends where its mapped
memory ends, and nothing is mapped behind it: a kernel that reads or writes beyond it faults. The bytes in front of it
are checked afterwards. With $TESSERA_TEST_MEMORY=exact every array has an allocation of its own size instead, which
is what compute-sanitizer can check. An error of the device stays with a process for good, so the process that met one
ends, and the next launch gets a new one. A kernel that does not end is killed with its process, and named.
"""
import ctypes
import functools
import os
import signal
import sys
import traceback

import numpy as np

import features
import session
from session import CANARY, Library, Refused, Session, Unsupported, call, place_arguments, results

FRONT = 4096  # bytes in front of an array that are filled and checked
SECONDS = 60  # for one request: kernels of tests take milliseconds, their compilation a second at worst


# ---- the driver -----------------------------------------------------------------------------------

class Location(ctypes.Structure):  # CUmemLocation
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Properties(ctypes.Structure):  # CUmemAllocationProp
    _fields_ = [("type", ctypes.c_int), ("handle_types", ctypes.c_int), ("location", Location), ("unused", ctypes.c_void_p),
                ("flags", ctypes.c_uint64)]


class Access(ctypes.Structure):  # CUmemAccessDesc
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


PINNED, DEVICE, READ_WRITE = 1, 1, 3  # of CUmemAllocationType, CUmemLocationType, CUmemAccess_flags


def device_name():
    """The device that tests run on."""
    wanted = os.environ.get("TESSERA_TEST_DEVICE", "")
    return wanted if wanted.startswith("hip") else "cuda:0"


class Driver:
    """libcuda with device 0's primary context, the one that Tessera launches in."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.start()

    def start(self):
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *arguments):
        # Sizes and addresses are 64 bits wide; plain Python integers would be passed as 32.
        status = getattr(self.cuda, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            raise Refused(f"{name}: {(text.value or b'').decode()} ({status})")

    def healthy(self):
        return self.cuda.cuCtxSynchronize() == 0

    def allocate(self, size):
        address = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def free(self, address):
        self.cuda.cuMemFree_v2(ctypes.c_uint64(address))

    def write(self, address, image):
        self("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(image.ctypes.data), ctypes.c_size_t(image.nbytes))

    def read(self, address, size):
        image = np.empty(size, np.uint8)
        self("cuMemcpyDtoH_v2", ctypes.c_void_p(image.ctypes.data), ctypes.c_uint64(address), ctypes.c_size_t(size))
        return image

    def zero(self, address, size):
        self("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))


class HipNames:
    """libamdhip64, whose functions and structures are CUDA's under other names."""

    OTHERS = {"cuCtxSynchronize": "hipDeviceSynchronize", "cuGetErrorString": "hipDrvGetErrorString", "cuMemAlloc": "hipMalloc",
              "cuMemFree": "hipFree"}

    def __init__(self):
        self.library = features.find_hip()

    def __getattr__(self, name):
        plain = name.removesuffix("_v2")
        return getattr(self.library, self.OTHERS.get(plain, "hip" + plain[2:]))


class HipDriver(Driver):
    """HIP with a current device."""

    def __init__(self):
        self.cuda = HipNames()
        self.start()

    def start(self):
        self("cuInit", 0)
        self("cuSetDevice", int(device_name().partition(":")[2] or 0))


# ---- memory ---------------------------------------------------------------------------------------

class Edges:
    """Gives places that end at the end of mapped memory; kept for the next launch."""

    def __init__(self, driver):
        self.driver, self.idle = driver, {}
        self.properties = Properties(type=PINNED, location=Location(DEVICE, 0))
        granularity = ctypes.c_size_t()
        driver("cuMemGetAllocationGranularity", ctypes.byref(granularity), ctypes.byref(self.properties), 0)
        self.granularity = granularity.value
        self.give_back(*self.take(1))  # says here, not in a test, if the driver cannot do it

    def take(self, size):
        """(begin, end) of a mapping of at least this size; its length is the granularity times a power of two."""
        length = self.granularity
        while length < size + FRONT:
            length *= 2
        if self.idle.get(length):
            return self.idle[length].pop()
        address, handle = ctypes.c_uint64(), ctypes.c_uint64()
        # What is reserved behind the mapping stays unmapped.
        self.driver("cuMemAddressReserve", ctypes.byref(address), ctypes.c_size_t(length + self.granularity),
                    ctypes.c_size_t(0), ctypes.c_uint64(0), ctypes.c_uint64(0))
        self.driver("cuMemCreate", ctypes.byref(handle), ctypes.c_size_t(length), ctypes.byref(self.properties), ctypes.c_uint64(0))
        self.driver("cuMemMap", address, ctypes.c_size_t(length), ctypes.c_size_t(0), handle, ctypes.c_uint64(0))
        access = Access(Location(DEVICE, 0), READ_WRITE)
        self.driver("cuMemSetAccess", address, ctypes.c_size_t(length), ctypes.byref(access), ctypes.c_size_t(1))
        return address.value, address.value + length

    def give_back(self, begin, end):
        self.idle.setdefault(end - begin, []).append((begin, end))

    def place(self, size, alignment):
        """(address, first byte to fill, end of what to fill, how to return it)."""
        begin, end = self.take(size)
        address = (end - size) // alignment * alignment
        return address, address - FRONT, end, lambda: self.give_back(begin, end)


class Exact:
    """Gives every array an allocation of its own, at whose end it ends. Arrays that promise no alignment get none."""

    def __init__(self, driver, guard):
        self.driver, self.guard = driver, guard

    def place(self, size, alignment):
        front = -(-max(self.guard, 1) // alignment) * alignment if alignment < 16 or self.guard else 0
        begin = self.driver.allocate(max(front + size + self.guard, 1))
        return begin + front, begin, begin + front + size + self.guard, lambda: self.driver.free(begin)


class Placed:
    """A copy of an array on the device, with what lies around it."""

    def __init__(self, driver, memory, array, alignment):
        self.driver, self.shape, self.dtype = driver, array.shape, array.dtype
        self.address, self.begin, self.end, self.release = memory.place(array.nbytes, alignment)
        self.first, self.last = self.address - self.begin, self.address - self.begin + array.nbytes
        image = np.full(self.end - self.begin, CANARY, np.uint8)
        image[self.first:self.last] = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
        if image.size:
            driver.write(self.begin, image)

    def result(self):
        image = self.driver.read(self.begin, self.end - self.begin) if self.end > self.begin else np.empty(0, np.uint8)
        assert (image[:self.first] == CANARY).all(), "memory before an array was written to"
        assert (image[self.last:] == CANARY).all(), "memory behind an array was written to"
        return image[self.first:self.last].view(self.dtype).reshape(self.shape)


class PlacedSparse:
    """The memory of a Sparse."""

    def __init__(self, driver, sparse):
        self.driver, self.dtype, self.indices = driver, np.dtype(sparse.dtype), list(sparse.elements)
        size = sparse.size * self.dtype.itemsize
        self.address = driver.allocate(size)
        driver.zero(self.address, size)
        for index, value in sparse.elements.items():
            driver.write(self.address + index * self.dtype.itemsize, np.array([value], self.dtype))

    def release(self):
        self.driver.free(self.address)

    def result(self):
        size = self.dtype.itemsize
        return np.concatenate([self.driver.read(self.address + index * size, size).view(self.dtype) for index in self.indices])


# ---- the child's side -----------------------------------------------------------------------------

class Host:
    def __init__(self):
        name = device_name()
        self.driver, self.library = HipDriver() if name.startswith("hip") else Driver(), Library()
        self.device = ctypes.c_void_p()
        self.library.check(self.library.device_open_with, name.encode(), b"", ctypes.byref(self.device))
        self.target = self.library.device_target(self.device).decode()
        self.memory = self.choose_memory()

    def choose_memory(self):
        if os.environ.get("TESSERA_TEST_MEMORY") == "exact":
            return Exact(self.driver, guard=0)
        try:
            return Edges(self.driver)
        except (Refused, AttributeError) as problem:
            print(f"no memory with edges ({problem}): arrays lie between guards", file=sys.stderr)
            return Exact(self.driver, guard=FRONT)

    @functools.lru_cache(maxsize=256)
    def loaded(self, *request):
        """(kernel, its arguments). A kernel with tensor maps has the variant for launches that cannot build them."""
        binary = "hsaco" if self.target.startswith("hip") else "cubin" if session.features.ptxas() else "ptx"
        kernel, record = self.library.compiled(*request, self.target, binary)
        loaded = ctypes.c_void_p()
        self.library.check(self.library.load, self.device, kernel, ctypes.byref(loaded))
        if record.get("tensor_maps"):
            *same, options = request
            self.library.check(self.library.loaded_kernel_set_fallback, loaded, self.loaded(*same, session.without_maps(options))[0])
        return loaded, session.passed_arguments(record)

    def launch(self, request, grid, arguments):
        loaded, passed = self.loaded(*request)
        everything = []

        def keep(memory):
            everything.append(memory)
            return memory
        try:
            placed, values = place_arguments(
                passed, arguments, lambda array, alignment: keep(Placed(self.driver, self.memory, array, alignment)),
                lambda sparse: keep(PlacedSparse(self.driver, sparse)))
            call(self.library, loaded, grid, values)
            self.library.check(self.library.synchronize, self.device)
            return results(passed, placed, arguments)
        finally:
            for memory in everything:
                memory.release()


def serve(connection):
    os.setpgid(0, 0)  # a group with the assembler it may start
    try:
        host = Host()
    except Exception:
        host = traceback.format_exc()
    while True:
        try:
            about, request = connection.recv()
        except EOFError:
            return
        if os.environ.get("TESSERA_TEST_ANNOUNCE"):  # so that a log which others write to says what ran when
            print(f"\n[launch] {about}", flush=True)
        if isinstance(host, str):
            connection.send(("Over", f"cannot start on the GPU\n{host}"))
            return
        try:
            answer = ("done", host.launch(*request))
        except (Unsupported, Refused) as problem:
            answer = (type(problem).__name__, str(problem))
        except AssertionError as problem:
            answer = ("Refused", str(problem))
        except Exception:
            answer = ("Refused", traceback.format_exc())
        if host.driver.healthy():
            connection.send(answer)
            continue
        connection.send(("Over", answer[1] if answer[0] == "Refused" else "the device failed afterwards"))
        connection.poll(10)  # until the answer has been read and the other end closed
        os._exit(0)  # a broken context cannot be torn down in order


# ---- the test's side ------------------------------------------------------------------------------

class GPUSession(Session):
    # CUDA does not survive a fork; a new interpreter starts without a trace of the test's own use of it.
    start_method = "spawn"
    serve = staticmethod(serve)
    seconds = SECONDS

    def stop(self):
        os.killpg(self.process.pid, signal.SIGKILL)

    def launch(self, source, kernel, signature, grid, arguments, options=""):
        """Every array argument as it is after the launch."""
        path, text = ("kernel.py", source) if "\n" in source else (os.path.abspath(source), None)
        what = f"{kernel} of {path}, {signature}, grid {grid}, {options or 'no options'}"
        about = os.environ.get("PYTEST_CURRENT_TEST", what).split(" (")[0]
        try:
            kind, answer = self.ask((about, ((path, text, kernel, signature, options), tuple(grid), arguments)))
        except Refused as problem:  # it hung, or its process died
            raise Refused(f"{what}: {problem}" + (f"\n{text}" if text else "")) from None
        if kind == "Over":
            self.connection.close()  # ends it
            self.process.join(10)
            self.process = None
        if kind == "Unsupported":
            raise Unsupported(answer)
        if kind != "done":
            raise Refused(f"{what}: {answer}" + (f"\n{text}" if text else ""))
        return answer
