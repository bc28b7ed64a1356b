"""What the emulator must know of each AMD chip.

    chip_of("gfx942").lanes, .counter_of["lds"], .fp8
"""
import dataclasses

from ..numbers import Fault

# Which counter an instruction of each kind increments when it is issued. SMEM and flat accesses return in any order.
CDNA = {"load": "vmcnt", "store": "vmcnt", "lds": "lgkmcnt", "scalar": "lgkmcnt"}
RDNA3 = {"load": "vmcnt", "store": "vscnt", "lds": "lgkmcnt", "scalar": "lgkmcnt"}
RDNA4 = {"load": "loadcnt", "store": "storecnt", "lds": "dscnt", "scalar": "kmcnt"}


@dataclasses.dataclass(frozen=True)
class Chip:
    lanes: int
    counter_of: dict
    lds_bytes: int = 65536
    fp8: tuple = ("e4m3", "e5m2")  # what `fp8` and `bf8` in names of instructions mean
    clears_high_half: bool = True  # of the register that a 16-bit instruction writes
    ids_in_ttmp: bool = False  # of the workgroup
    scratch_buffer: bool = False  # private memory is reached through a buffer descriptor in s[0:3]
    compare_writes_both: bool = True  # v_cmpx writes its mask and EXEC


CHIPS = {
    "gfx90a": Chip(64, CDNA, scratch_buffer=True),
    "gfx942": Chip(64, CDNA, fp8=("e4m3fnuz", "e5m2fnuz")),
    "gfx950": Chip(64, CDNA, lds_bytes=160 * 1024),
    **dict.fromkeys(("gfx1100", "gfx1101", "gfx1102"), Chip(32, RDNA3, clears_high_half=False, compare_writes_both=False)),
    **dict.fromkeys(("gfx1200", "gfx1201"), Chip(32, RDNA4, clears_high_half=False, ids_in_ttmp=True, compare_writes_both=False)),
}


def chip_of(name):
    if name not in CHIPS:
        raise Fault(f"no such chip here: {name} (there are: {' '.join(CHIPS)})")
    return CHIPS[name]
