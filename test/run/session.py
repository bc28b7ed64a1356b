"""Compiles and launches many kernels in one process, through the C interface: here on the CPU, in gpu_session.py on a GPU.

    session = Session()
    after = session.launch("kernels/add.py", "add_kernel", "*fp32,*fp32,*fp32,i32,64", (2,),
                           {"x_ptr": x, "y_ptr": y, "output_ptr": poison(FP32, 128), "n_elements": 100}, threads=(1, 2, 7))
    after["output_ptr"]

The first argument is a file or the text of one. The process is a child of its own: if a kernel kills it, the test that
launched the kernel fails with the signal's name, and the next one gets a new process.

Arrays lie between pages that may not be touched, their last element before the second: whoever reads or writes
beyond an array dies. With several numbers of threads the kernel is launched once for each, and must leave the same
bits. `Inside("x_ptr", 5)` passes the address of an element of another argument's array; an array whose name begins with
an underscore is no argument itself, and only there to point into.
"""
import ctypes
import dataclasses
import functools
import json
import mmap
import multiprocessing
import os
import re
import signal
import traceback

import numpy as np

import features
from launch import ROOT

LIBRARY = os.environ.get("TESSERA_LIBRARY", os.path.join(ROOT, os.environ.get("BUILD", "build"), "lib", "libtessera.so"))
SECONDS = 300  # for one request; a kernel that does not end is a failure
PAGE = mmap.PAGESIZE
MAP_NORESERVE = 0x4000  # Linux; Python's mmap has no name for it
M_PERTURB = -6  # <malloc.h>
CANARY = 0xA5  # what lies between the page and the first element
SCALARS = {"i1": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u1": np.uint8, "u8": np.uint8,
           "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "fp16": np.float16, "fp32": np.float32, "fp64": np.float64}


class Unsupported(Exception):
    """The target says that it cannot do this (status 3)."""


class Refused(AssertionError):
    """The kernel was not compiled, or its launch failed."""


def why_not_here(message):
    """Why a target does not take the kernel through no fault of anybody's, or None: it says so, or lacks a type or a precision."""
    found = re.search(r"unsupported: .*|error: (the target has no type .*|input_precision is one of .*)", message)
    return found and (found.group(1) or found.group(0))


@dataclasses.dataclass(frozen=True)
class Inside:
    """A pointer argument: the address of an element of another argument's array."""
    array: str
    index: int


@dataclasses.dataclass(frozen=True)
class Addresses:
    """A pointer argument: an array of int64, the addresses of these elements of other arrays."""
    places: tuple  # of Inside


@dataclasses.dataclass(frozen=True)
class Sparse:
    """A pointer argument: memory of any size that is zero but for some elements. Afterwards it is an array of the
    elements at those indices; touching many pages of it costs their memory."""
    dtype: type
    size: int
    elements: dict


# ---- the child's side -----------------------------------------------------------------------------

class Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_char_p) for name in
                ("path", "text", "kernel_name", "signature", "target", "options", "outputs")]


def passed_arguments(record):
    return [argument for argument in record["arguments"] if "constant" not in argument]


def without_maps(options):
    """The options of the variant that launches take where no tensor map can be built."""
    if options.lstrip().startswith("{"):
        return json.dumps({**json.loads(options), "tma": "off"})
    return ",".join([*filter(None, [options]), "tma=off"])


class Library:
    """The C interface; a status other than 0 is an exception."""

    def __init__(self):
        self.lib = ctypes.CDLL(LIBRARY)
        pointer = ctypes.c_void_p
        for name, result, arguments in [
                ("session_create", pointer, []), ("kernel_metadata", ctypes.c_char_p, [pointer]),
                ("session_set", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.c_char_p, pointer]),
                ("kernel_artifact", pointer, [pointer, ctypes.c_char_p, pointer]), ("synchronize", ctypes.c_int, [pointer] * 2),
                ("device_target", ctypes.c_char_p, [pointer]),
                ("compile", ctypes.c_int, [pointer] * 4), ("kernel_free", None, [pointer]), ("string_free", None, [pointer]),
                ("device_open_with", ctypes.c_int, [ctypes.c_char_p, ctypes.c_char_p, pointer, pointer]),
                ("load", ctypes.c_int, [pointer] * 4), ("loaded_kernel_free", None, [pointer]),
                ("loaded_kernel_set_fallback", ctypes.c_int, [pointer] * 3),
                ("launch", ctypes.c_int, [pointer] + [ctypes.c_uint32] * 3 + [pointer, ctypes.c_size_t, pointer, pointer])]:
            function = getattr(self.lib, "tessera_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.session = self.session_create()
        for tool, path in [("ptxas", features.ptxas()), ("libdevice", features.libdevice()), ("ocml", features.ocml())]:
            if path:
                self.check(self.session_set, self.session, tool.encode(), path.encode())

    def check(self, function, *arguments):
        """Calls a function whose last argument is the message."""
        message = ctypes.c_void_p()
        status = function(*arguments, ctypes.byref(message))
        text = ctypes.string_at(message.value).decode() if message.value else ""
        self.string_free(message)
        if status == 3:
            raise Unsupported(text)
        if status:
            raise Refused(f"status {status}\n{text}")

    @functools.lru_cache(maxsize=8)
    def device(self, threads):
        device = ctypes.c_void_p()
        self.check(self.device_open_with, b"cpu", f"threads={threads}".encode(), ctypes.byref(device))
        return device

    def compiled(self, path, text, name, signature, options, target="cpu", outputs=None):
        """(kernel, its record)."""
        request = Request(ctypes.sizeof(Request), path.encode(), None if text is None else text.encode(), name.encode(),
                          signature.encode(), target.encode(), options.encode() or None, outputs and outputs.encode())
        kernel = ctypes.c_void_p()
        self.check(self.compile, self.session, ctypes.byref(request), ctypes.byref(kernel))
        return kernel, json.loads(self.kernel_metadata(kernel))

    @functools.lru_cache(maxsize=512)
    def kernel(self, *request):
        """(kernel, its passed arguments): kept, since tests launch a kernel with many arguments."""
        kernel, record = self.compiled(*request)
        return kernel, passed_arguments(record)

    @functools.lru_cache(maxsize=512)
    def loaded(self, threads, *request):
        kernel, arguments = self.kernel(*request)
        loaded = ctypes.c_void_p()
        self.check(self.load, self.device(threads), kernel, ctypes.byref(loaded))
        return loaded, arguments


class Guarded:
    """A copy of an array that ends where a page begins that may not be touched, and that begins behind another."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def __init__(self, array, alignment):
        pages = -(-array.nbytes // PAGE)
        self.memory = mmap.mmap(-1, (pages + 2) * PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.begin = pages * PAGE + PAGE - array.nbytes
        self.begin -= self.begin % alignment  # what the signature promised goes before the place at the page
        self.address = base + self.begin
        self.bytes = np.frombuffer(self.memory, np.uint8)
        self.bytes[PAGE:self.begin] = CANARY
        self.array = self.bytes[self.begin:self.begin + array.nbytes].view(array.dtype).reshape(array.shape)
        self.array[...] = array
        for first in (base, base + (pages + 1) * PAGE):
            if self.libc.mprotect(first, PAGE, 0):
                raise OSError(ctypes.get_errno(), "mprotect")

    def result(self):
        assert (self.bytes[PAGE:self.begin] == CANARY).all(), "memory before an array was written to"
        return self.array.copy()


class SparseMemory:
    """The memory of a Sparse: reserved, and given by the system where it is touched."""

    def __init__(self, sparse):
        size = sparse.size * np.dtype(sparse.dtype).itemsize
        self.memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.array, self.indices = np.frombuffer(self.memory, sparse.dtype), list(sparse.elements)
        for index, value in sparse.elements.items():
            self.array[index] = value

    def result(self):
        return self.array[self.indices]


def scalar_bytes(kind, value):
    if kind == "bf16":
        return (np.float32(value).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    if kind[0] in "iu" and kind in SCALARS:
        return (int(value) % (1 << 64)).to_bytes(8, "little")  # little-endian: the low bytes come first
    return SCALARS[kind](value).tobytes()


def place_arguments(passed, arguments, place, reserve):
    """(memories by name, the values to pass). `place(array, alignment)` and `reserve(sparse)` give
    memory with an address, and its contents back as result()."""
    unknown = {name for name in arguments if name[0] != "_"} - {argument["name"] for argument in passed}
    assert not unknown, f"no such parameter, or a constant of the signature: {', '.join(sorted(unknown))}"
    placed, values = {name: place(value, value.itemsize) for name, value in arguments.items() if name[0] == "_"}, []
    for argument in passed:
        value = arguments[argument["name"]]
        if isinstance(value, np.ndarray):
            placed[argument["name"]] = place(value, argument.get("divisibility", value.itemsize))
        elif isinstance(value, Sparse):
            placed[argument["name"]] = reserve(value)

    def address_of(where):
        return placed[where.array].address + where.index * arguments[where.array].itemsize

    for argument in passed:
        value = arguments[argument["name"]]
        if isinstance(value, Addresses):
            placed[argument["name"]] = place(np.array([address_of(where) for where in value.places], np.int64), 8)
        if argument["name"] in placed:
            address = placed[argument["name"]].address
        elif isinstance(value, Inside):
            address = address_of(value)
        else:
            values.append(ctypes.create_string_buffer(scalar_bytes(argument["type"], value), 16))
            continue
        values.append(ctypes.create_string_buffer(address.to_bytes(8, "little"), 8))
    return placed, values


def call(library, loaded, grid, values):
    pointers = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(value) for value in values])
    library.check(library.launch, loaded, *(*grid, 1, 1)[:3], pointers, len(values), None)


def results(passed, placed, arguments):
    """The arrays afterwards. The record's word on what the kernel only reads is checked on the way."""
    found = {name: memory.result() for name, memory in placed.items() if not isinstance(arguments[name], Addresses)}
    places = [place for value in arguments.values() for place in getattr(value, "places", [value])]
    shared = {place.array for place in places if isinstance(place, Inside)}  # others may write to these
    for argument in passed:
        name = argument["name"]
        if argument.get("read_only") and name not in shared and isinstance(arguments[name], np.ndarray):
            assert found[name].tobytes() == arguments[name].tobytes(), f"{name} is read-only by the record, and was written to"
    return found


def launch_once(library, threads, request, grid, arguments):
    loaded, passed = library.loaded(threads, *request)
    placed, values = place_arguments(passed, arguments, Guarded, SparseMemory)
    call(library, loaded, grid, values)
    return results(passed, placed, arguments)


def serve(connection):
    # What malloc gives and what free takes is overwritten: who reads either does not get away with it.
    ctypes.CDLL(None).mallopt(M_PERTURB, CANARY)
    library = Library()
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        try:
            connection.send(("done", request() if callable(request) else launch_once(library, *request)))
        except (Unsupported, Refused) as problem:
            connection.send((type(problem).__name__, str(problem)))
        except Exception:
            connection.send(("Refused", traceback.format_exc()))


# ---- the test's side ------------------------------------------------------------------------------

class Session:
    """A child process and the talk with it. Subclasses say how it is started and what serves in it."""
    start_method = "fork"
    serve = staticmethod(serve)
    seconds = SECONDS

    def __init__(self):
        self.process = None

    def start(self):
        context = multiprocessing.get_context(self.start_method)
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=self.serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def stop(self):
        self.process.kill()

    def ask(self, request):
        if self.process is None:
            self.start()
        try:
            self.connection.send(request)
            if not self.connection.poll(self.seconds):
                self.stop()
                raise Refused(f"hung: killed after {self.seconds} s")
            return self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join()
            code, self.process = self.process.exitcode, None
            raise Refused(f"the process ended: {signal.strsignal(-code) if code < 0 else f'status {code}'}") from None
        except Refused:
            self.process = None
            raise

    def call(self, function):
        """What a function of a module returns in the process."""
        kind, answer = self.ask(function)
        if kind != "done":
            raise Refused(answer)
        return answer

    def launch(self, source, kernel, signature, grid, arguments, threads=(1,), options=""):
        """Every array argument as it is after the launch; for each number of threads the same."""
        path, text = ("kernel.py", source) if "\n" in source else (os.path.abspath(source), None)
        request = (path, text, kernel, signature, options)
        what = f"{kernel} of {path}, {signature}, grid {grid}"
        first = None
        for count in threads:
            try:
                kind, answer = self.ask((count, request, tuple(grid), arguments))
            except Refused as problem:
                kind, answer = "Refused", str(problem)
            if kind == "Unsupported":
                raise Unsupported(answer)
            if kind != "done":
                raise Refused(f"{what}, {count} threads: {answer}" + (f"\n{text}" if text else ""))
            first = first or answer
            for name, array in answer.items():
                assert array.tobytes() == first[name].tobytes(), \
                    f"{what}: {name} with {count} threads is not what it is with {threads[0]}"
        return first


def note_request(source, kernel, signature, options):
    """Adds what a test would launch on a GPU to $TESSERA_TEST_REQUESTS, a file for compile_requests.py."""
    path, text = ("kernel.py", source) if "\n" in source else (os.path.abspath(source), None)
    test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" (")[0]
    with open(os.environ["TESSERA_TEST_REQUESTS"], "a", encoding="utf-8") as log:
        log.write(json.dumps([path, text, kernel, signature, options, test]) + "\n")
