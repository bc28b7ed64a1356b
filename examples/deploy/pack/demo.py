"""Runs a kernel of a pack on the CPU through ctypes: python3 demo.py libtessera_pack.so demo.tpack"""
import array
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.tessera_pack_last_error.restype = ctypes.c_char_p


def check(status):
    if status:
        sys.exit(library.tessera_pack_last_error().decode())


pack = ctypes.c_void_p()
check(library.tessera_pack_open(sys.argv[2].encode(), None, ctypes.byref(pack)))
n = 10000
x, y, total = (array.array("f", [k * i for i in range(n)]) for k in (1, 2, 0))
pointers = [ctypes.c_void_p(each.buffer_info()[0]) for each in (x, y, total)]
number = ctypes.c_int32(n)
values = (ctypes.c_void_p * 5)(*map(ctypes.addressof, (*pointers, number)), None)
grid = (ctypes.c_uint32 * 3)(-(-n // 1024), 1, 1)
check(library.tessera_pack_launch(pack, b"add", grid, values, 5, 0))
print("add:", sum(total[i] != 3 * i for i in range(n)), "of", n, "are wrong")
library.tessera_pack_close(pack)
