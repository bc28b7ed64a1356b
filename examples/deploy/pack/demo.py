"""Runs a kernel of a pack through ctypes, with nothing of Tessera but the library:

    python3 demo.py libtessera_pack.so demo.tpack           on the CPU
    python3 demo.py libtessera_pack.so demo.tpack cuda      on a GPU, with arrays of torch
"""
import array
import ctypes
import sys


class Place(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("stream", ctypes.c_void_p), ("threads", ctypes.c_uint)]


library = ctypes.CDLL(sys.argv[1])
library.tessera_pack_last_error.restype = ctypes.c_char_p


def check(status):
    if status:
        sys.exit(library.tessera_pack_last_error().decode())


pack = ctypes.c_void_p()
check(library.tessera_pack_open(sys.argv[2].encode(), None, ctypes.byref(pack)))
device = sys.argv[3] if len(sys.argv) > 3 else "cpu"
n = 10000
if device == "cpu":
    place = Place()
    x, y, total = (array.array("f", [k * i for i in range(n)]) for k in (1, 2, 0))
    addresses = [each.buffer_info()[0] for each in (x, y, total)]
else:
    import torch
    x, y, total = (torch.arange(n, dtype=torch.float32, device="cuda") * k for k in (1, 2, 0))
    addresses = [each.data_ptr() for each in (x, y, total)]
    place = Place(device.encode(), torch.cuda.current_stream().cuda_stream, 0)
pointers = [ctypes.c_void_p(address) for address in addresses]
number = ctypes.c_int32(n)
values = (ctypes.c_void_p * 5)(*map(ctypes.addressof, (*pointers, number)), None)
grid = (ctypes.c_uint32 * 3)(-(-n // 1024), 1, 1)
check(library.tessera_pack_launch(pack, b"add", grid, values, 5, ctypes.byref(place)))
print(f"add on {device}:", sum(float(total[i]) != 3 * i for i in range(n)), "of", n, "are wrong")
library.tessera_pack_close(pack)
