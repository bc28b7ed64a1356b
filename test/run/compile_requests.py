#!/usr/bin/python3
"""Compiles what the tests launch on the CPU for the GPUs, where there is none to run it.

    TESSERA_TEST_REQUESTS=/tmp/requests python3 -m pytest test/run/tensors/test_dot.py   notes what tests would launch on a GPU
    test/run/compile_requests.py /tmp/requests [--cubins chips]                  compiles it

Each different kernel becomes PTX for every chip and, where there is ptxas, a CUBIN for one of them; which one, and with how
many warps, is drawn from the kernel's text, so that over the suite every chip and every number of warps has its share.
One kernel in eight also becomes a code object for an AMD chip, drawn likewise, which must equal that of ld.lld; with --hip each
does, for that chip or for all.
PTX that ptxas would need many seconds for stays PTX. With --cubins chips every chip gets a CUBIN, with --cubins all for every
number of warps (hours). What a chip cannot do is skipped with its reason. Nothing is launched: that the values are right is for a GPU to show (scripts/test-gpu).
"""
import argparse
import concurrent.futures
import ctypes
import json
import os
import re
import sys
import traceback
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.dirname(HERE), HERE]
import code_objects  # noqa: E402
import features  # noqa: E402
from launch import ROOT  # noqa: E402
from session import Library, Refused, Session, Unsupported, why_not_here  # noqa: E402

CHIPS = ["80", "86", "89", "90"]
AMD_CHIPS = ["gfx942", "gfx90a", "gfx950", "gfx1100", "gfx1201"]
AMD_SHARE = 8  # one kernel of so many is compiled for an AMD chip by default
AMD_WARPS = [4, 1, 8, 2]
PACKED_INTEGERS = re.compile(rb"\b[a-z]+(\.\w+)*\.[su]16x2\b")
LARGE = 400_000  # bytes of PTX; ptxas takes about ten seconds for a megabyte
WARPS = [4, 1, 8, 2, 16, 32]


# ---- the child's side -----------------------------------------------------------------------------

def artifact(library, kernel, extension):
    size = ctypes.c_size_t()
    data = library.kernel_artifact(kernel, extension.encode(), ctypes.byref(size))
    if not size.value:
        raise Refused(f"no {extension} came of it")
    return ctypes.string_at(data, size.value)


def compile_once(library, path, text, kernel, signature, options, target, largest):
    """What was made: "hsaco", "ptx" or, of PTX up to the largest size, "cubin"."""
    if target.startswith("hip:"):
        compiled, _ = library.compiled(path, text, kernel, signature, options, target, "amdgcn,hsaco")
        assembly, binary = artifact(library, compiled, "amdgcn"), artifact(library, compiled, "hsaco")
        library.kernel_free(compiled)
        if code_objects.can_compare() and (problem := code_objects.difference_to_lld(assembly, binary, target[4:])):
            raise Refused(f"the code object is not ld.lld's: {problem}")
        return "hsaco"
    compiled, _ = library.compiled(path, text, kernel, signature, options, target, "ptx")
    ptx = artifact(library, compiled, "ptx")
    library.kernel_free(compiled)
    # A vectoriser that forms these may leave half of a register undefined, and ptxas then drops what the other half needs.
    if packed := PACKED_INTEGERS.search(ptx):
        raise Refused(f"the PTX has packed 16-bit integers, of which nobody made sure that both halves are defined: {packed[0].decode()}")
    if len(ptx) > largest:
        return "ptx"
    compiled, _ = library.compiled("kernel.ptx", ptx.decode(), kernel, "", options, target, "cubin")
    artifact(library, compiled, "cubin")
    library.kernel_free(compiled)
    return "cubin"


def serve(connection):
    library = Library()
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        try:
            connection.send(("done", compile_once(library, *request)))
        except (Unsupported, Refused) as problem:
            connection.send((type(problem).__name__, str(problem)))
        except Exception:
            connection.send(("Refused", traceback.format_exc()))


# ---- the plan -------------------------------------------------------------------------------------

class CompileSession(Session):
    serve = staticmethod(serve)
    seconds = 120


def read_requests(paths):
    """Every kernel once, with the first test that asked for it."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                *request, test = json.loads(line)
                found.setdefault(tuple(request), test)
    return found


def plan(request, cubins, hip):
    """(options, target, the largest PTX to make a CUBIN of) of each compilation."""
    path, text, kernel, signature, options = request
    draw = zlib.crc32(json.dumps([os.path.basename(path), text, kernel, signature]).encode())
    kept = [part for part in options.split(",") if part and not part.startswith("mcpu")]
    fixed = any(part.startswith("num-warps") for part in kept)
    amd_chips = AMD_CHIPS if hip == "all" else [AMD_CHIPS[draw % len(AMD_CHIPS)]]
    if hip in AMD_CHIPS:
        amd_chips = [hip]
    if hip != "some" or draw // 64 % AMD_SHARE == 0:
        count = [] if fixed else [f"num-warps={AMD_WARPS[draw % len(AMD_WARPS)]}"]
        for chip in amd_chips:
            yield ",".join(kept + count), f"hip:{chip}", 0
    if hip in ("only", *AMD_CHIPS):
        return
    warps = WARPS if cubins == "all" else [WARPS[draw % len(WARPS)]]
    for count in [None] if fixed else warps:
        chosen = ",".join(kept + ([] if fixed else [f"num-warps={count}"]))
        for number, chip in enumerate(CHIPS):
            own = draw // len(WARPS) % len(CHIPS) == number
            largest = {"one": LARGE if own else 0, "chips": LARGE, "all": 1 << 40}[cubins]
            yield chosen, f"cuda:{chip}", largest if features.ptxas() else 0


def compile_request(session, request, cubins, hip):
    """([(status, detail, where)], outputs) of one kernel over its plan: passed where it compiled, skipped where a chip cannot."""
    skipped, made = {}, []
    for options, target, largest in plan(request, cubins, hip):
        try:
            kind, answer = session.ask((*request[:4], options, target, largest))
        except Refused as problem:  # the process died
            kind, answer = "Refused", str(problem)
        reason = why_not_here(answer) if kind != "done" else None
        if kind != "done" and target.startswith("hip:") and "inline assembly constraint" in answer:
            reason = "its inline assembly is PTX"
        if kind != "done" and reason is None:
            return [("failed", f"{target}, {options}: {answer}" + (f"\n{request[1]}" if request[1] else ""), "")], made
        if reason:
            skipped.setdefault(reason, []).append(target)
        else:
            made.append(answer)
    passed = [("passed", "", "")] if made else []
    return passed + [("skipped", reason, f" on {','.join(sorted(set(targets)))}") for reason, targets in skipped.items()], made


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("requests", nargs="+", help="files that $TESSERA_TEST_REQUESTS named")
    parser.add_argument("--cubins", choices=["one", "chips", "all"], default="one", help="for one chip, for each, or for each and each number of warps")
    parser.add_argument("--hip", choices=["some", "each", "all", "only", *AMD_CHIPS], default="some",
                        help="AMD: some kernels for one chip, each for one, each for all, or only that; or each for this chip alone")
    parser.add_argument("-j", type=int, default=len(os.sched_getaffinity(0)), help="processes")
    parser.add_argument("--json", help="file for the results: [[name, status, detail], ...]")
    options = parser.parse_args()
    requests = list(read_requests(options.requests).items())
    sessions, outputs, results = [CompileSession() for _ in range(options.j)], [], []
    idle = list(sessions)

    def work(item):
        (request, test), session = item, idle.pop()
        try:
            outcomes, made = compile_request(session, request, options.cubins, options.hip)
        finally:
            idle.append(session)
        name = f"{test} {request[2]}({request[3]})".replace(ROOT + os.sep, "")
        return name, outcomes, made

    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for name, outcomes, made in pool.map(work, requests):
            outputs += made
            for status, detail, where in outcomes:
                results.append([name + where, status, detail])
                if status == "failed":
                    print(f"FAILED {name}\n{detail}\n")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file)
    totals = {status: sum(r[1] == status for r in results) for status in ("passed", "failed", "skipped")}
    print(f"{outputs.count('ptx')} PTX, {outputs.count('cubin')} CUBIN and {outputs.count('hsaco')} HSACO files of {len(requests)} kernels")
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    sys.exit(1 if totals["failed"] else 0)


if __name__ == "__main__":
    main()
