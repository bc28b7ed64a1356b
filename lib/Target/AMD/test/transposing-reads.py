# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,1,i32:16,i32:16,1,128,128,64" --target hip:gfx950 --num-warps 4 --num-stages 2 --no-cache --emit amdgcn -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name product -s "*i8:16,*i8:16,*i32:16,1,i32:16,i32:16,1,128,128,128" --target hip:gfx950 --num-warps 4 --num-stages 2 --no-cache --emit amdgcn -o - | FileCheck %s --check-prefix=BYTES
# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,i32:16,1,1,i32:16,128,128,64" --target hip:gfx950 --num-warps 4 --num-stages 2 --no-cache --emit amdgcn -o - | FileCheck %s --check-prefix=ALONG
# RUN: tessera compile %s --kernel-name product -s "*fp32:16,*fp32:16,*fp32:16,1,i32:16,i32:16,1,64,64,32" --target hip:gfx950 --num-warps 4 --num-stages 2 --no-cache --emit amdgcn -o - | FileCheck %s --check-prefix=WORDS

# Neither operand is contiguous along K: lanes write 16 bytes of a row to LDS, and the reads transpose. Nothing is rearranged in
# registers. A of 64 rows and B of 64 columns for a warp are 64 * 64 elements each: 16 reads of 64 lanes with 4 elements.
# CHECK-LABEL: product:
# CHECK-NOT: v_perm_b32
# CHECK-DAG: ds_write_b128
# CHECK-COUNT-32: ds_read_b64_tr_b16
# CHECK-NOT: ds_read_b64_tr_b16
# CHECK: s_endpgm

# Bytes: 64 * 128 elements each, 8 in a lane.
# BYTES-LABEL: product:
# BYTES-NOT: v_perm_b32
# BYTES-DAG: ds_write_b128
# BYTES-COUNT-32: ds_read_b64_tr_b8
# BYTES-NOT: ds_read_b64_tr_b8
# BYTES: s_endpgm

# Contiguous along K: plain reads of 16 bytes. Elements of 32 bits have no transposing read.
# ALONG-LABEL: product:
# ALONG-NOT: ds_read_b64_tr
# ALONG: ds_read_b128
# ALONG-NOT: ds_read_b64_tr
# ALONG: s_endpgm
# WORDS-LABEL: product:
# WORDS-NOT: ds_read_b64_tr
# WORDS: s_endpgm
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, sam, sak, sbk, sbn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + rows[:, None] * sam + inner[None, :] * sak)
    b = tl.load(b_ptr + inner[:, None] * sbk + columns[None, :] * sbn)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], tl.dot(a, b))
