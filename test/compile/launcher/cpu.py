# --emit c on the CPU: an object, and the header and source of typed functions around it.
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: tessera compile %s --kernel-name types --signature "*fp32:16,*kbf16,*i1,fp16,i32:16,i64,i1,i32:1,'a */ b'" --target cpu --mcpu x86-64-v2 --emit c -o t
# RUN: ls %t | FileCheck %s --check-prefix=FILES
# FILES:      {{^}}t.c{{$}}
# FILES-NEXT: {{^}}t.h{{$}}
# FILES-NEXT: {{^}}t.obj{{$}}
# FILES-NOT: {{.}}
# RUN: clang-22 -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -c t.c
# RUN: clang-22 -std=c99 -pedantic -DTESSERA_NO_THREADS -Wall -Wextra -Werror -c t.c
# RUN: clang-22 -std=c++11 -Wall -Wextra -Werror -x c++ -c t.c
# RUN: FileCheck %s --check-prefix=TYPES < t.h
# TYPES: types for the CPU (x86-64-v2), made by Tessera
# TYPES-DAG: out: aligned to 16 bytes
# TYPES-DAG: half: the bits of bf16
# TYPES-DAG: flags: 0 or 1
# TYPES-DAG: scale: the bits of fp16
# TYPES-DAG: n: a multiple of 16
# TYPES: Compiled in: one = 1, text = 'a * / b'.
# TYPES: int32_t types(uint32_t gridX, uint32_t gridY, uint32_t gridZ, float *out, const uint16_t *half,
# TYPES-NEXT: {{^}}    const uint8_t *flags, uint16_t scale, int32_t n, int64_t m, uint8_t flag);
# TYPES: int32_t types_range(
# TYPES: uint64_t end);
# TYPES: int32_t types_parallel(unsigned threads, uint32_t gridX,

# Any names for parameters, and a grid of them and of constants.
# RUN: tessera compile %s --kernel-name names --signature "*i32,i32,i32,i32,i32,i32,64" --grid "args + BLOCK, begin, (new > 0) + 1" --target cpu --emit c,json --out-name other -o n
# RUN: clang-22 -std=c99 -pedantic -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -c n.c
# RUN: clang-22 -std=c++20 -Wall -Wextra -Werror -x c++ -c n.c
# RUN: FileCheck %s --check-prefix=NAMES < n.c
# NAMES: int32_t other_programs(const void *const *args, const uint32_t grid[3]
# NAMES: int32_t other(int32_t *arg_int, int32_t args, int32_t begin, int32_t grid, int32_t threads,
# NAMES-NEXT: int32_t arg_new) {
# NAMES-NEXT: const uint32_t grid_[3] = {(uint32_t)(args + 64), (uint32_t)(begin),
# NAMES-NEXT: (uint32_t)((arg_new > 0) + 1)};
# NAMES-NEXT: const void *const args_[] = {&arg_int, &args, &begin, &grid, &threads, &arg_new};
# NAMES: uint64_t other_count(
# RUN: FileCheck %s --check-prefix=RECORD < n.json
# RECORD: "name": "names"
# RECORD: "symbol": "other_programs"
# RUN: llvm-nm n.obj | FileCheck %s --check-prefix=SYMBOL
# SYMBOL: T other_programs

# Without --emit, the names that the reference's tool gives.
# RUN: tessera compile %s --kernel-name names --signature "*i32,i32,i32:16,i32,i32,i32,64" --grid 1,1,1 --target cpu
# RUN: ls %t | FileCheck %s --check-prefix=VARIANT
# VARIANT: {{^}}names.[[V:cpux[0-9a-f]+_012d3456]].c
# VARIANT: {{^}}names.[[V]].h
# VARIANT: {{^}}names.[[V]].obj
# RUN: llvm-nm names.*_012d3456.obj | FileCheck %s --check-prefix=VSYMBOL
# VSYMBOL: T names_cpux{{[0-9a-f]+}}_012d3456_programs

# Several versions, one function.
# RUN: tessera compile %s --kernel-name names --signature "*i32,i32,i32,i32,i32,i32,64" --target cpu --mcpu portable --debug-info --emit obj,llir,asm -o p
# RUN: llvm-nm p.obj | FileCheck %s --check-prefix=VERSIONS
# VERSIONS-DAG: t names.v2
# VERSIONS-DAG: t names.v3
# VERSIONS-DAG: t names.v4
# VERSIONS-DAG: T names{{$}}
# RUN: llvm-dwarfdump --verify p.obj

# What cannot be.
# RUN: not tessera compile %s --kernel-name names --signature "*i32,i32,i32,i32,i32,i32,64" --target cpu --mcpu z80 --emit obj -o x 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# UNKNOWN: unsupported: --mcpu: no processor 'z80' for {{.*}} code; there are native, portable, alderlake,
# RUN: not tessera compile %s --kernel-name names --signature "*i32,i32,i32,i32,i32,i32,64" --target cpu --mcpu pentium3 --emit obj -o x 2>&1 | FileCheck %s --check-prefix=OLD
# OLD: unsupported: --mcpu: no processor 'pentium3' for
# RUN: not tessera compile %s --kernel-name names --signature "*i32,i32,i32,i32,i32,i32,64" --target cpu --symbol "a b" --emit obj -o x 2>&1 | FileCheck %s --check-prefix=BAD
# BAD: unsupported: --symbol: 'a b'
# RUN: not tessera compile %s --kernel-name names --signature "*i32,i32,i32,i32,i32,i32,64" --target cpu --symbol "*" --emit c -o x 2>&1 | FileCheck %s --check-prefix=SAME
# SAME: error: --symbol: 'names' is the name of the typed C function
# RUN: not tessera compile %s --kernel-name auto --signature "*i32" --target cpu --emit c -o x 2>&1 | FileCheck %s --check-prefix=WORD
# WORD: error: 'auto' cannot be a function's name in C: C or C++ has the name already; choose another with --out-name
# RUN: not ls x.obj x.c x.h
import triton
import triton.language as tl


@triton.jit
def types(out, half, flags, scale, n, m, flag, one, text: tl.constexpr):
    i = tl.arange(0, 16)
    value = tl.load(half + i).to(tl.float32) * scale + n + m + flag + one
    tl.store(out + i, tl.where(tl.load(flags + i), value, 0.0))


@triton.jit
def names(int, args, begin, grid, threads, new, BLOCK: tl.constexpr):
    pointers = int + tl.arange(0, BLOCK)
    for i in range(0, begin):
        pointers += grid
        tl.store(pointers, args + threads + new)


@triton.jit
def auto(out):
    tl.store(out, 1)
