#: A kernel that accesses memory outside of its arrays.
import triton
import triton.language as tl


@triton.jit
def far_away(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.int64)
    tl.store(x_ptr + (tl.program_id(0).to(tl.int64) + 2) * 20000000000 + i, 1.0)


@triton.jit
def just_behind(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)

# A kernel that leaves its arrays, on the calling thread and on the pool's.
# % run() { tessera run outside.py --kernel-name far_away --signature "*fp32,64" --arg x_ptr=zeros:64 --device cpu "$@"; }
# $ run --grid 1
# | tessera: error: 'far_away' read or wrote memory outside its arrays; run it with --sanitize to see where: a mask, a stride, an array's shape, or an offset that passes 2^31 (a program id times a block size is 32 bits wide)
# = 1
# $ run --grid 4096 --threads 2
# | tessera: error: 'far_away' read or wrote memory outside its arrays; run it with --sanitize to see where: a mask, a stride, an array's shape, or an offset that passes 2^31 (a program id times a block size is 32 bits wide)
# = 1
# $ tessera run outside.py -n just_behind -s "*fp32,128" --arg x_ptr=zeros:100 --device cpu --threads 1 --grid 1
# | tessera: error: 'just_behind' wrote past the end of 'x_ptr'; run it with --sanitize to see where
# = 1
# $ tessera run outside.py -n just_behind -s "*fp32,128" --arg x_ptr=zeros:128 --device cpu --threads 1 --grid 1
# | just_behind: grid (1, 1, 1) on PROCESSOR, 1 thread
# = 0
