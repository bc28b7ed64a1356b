# RUN: tessera compile %s --kernel-name forwards -s "*fp32:S,*fp32:16S" --num-warps 1 --target hip:gfx942 --no-cache --emit amdgcn -o - | FileCheck %s
# RUN: tessera compile %s --kernel-name backwards -s "*fp32:S,*fp32:16S" --num-warps 1 --target hip:gfx942 --no-cache --emit amdgcn -o - | FileCheck %s --check-prefix=NEGATIVE

# The elements of a thread share one register for their offsets: constants are in the instructions.
# CHECK-LABEL: forwards:
# CHECK: buffer_load_dword v{{[0-9]+}}, [[OFFSET:v[0-9]+]], s[{{.*}}], 0 offen{{$}}
# CHECK: buffer_load_dword v{{[0-9]+}}, [[OFFSET]], s[{{.*}}], 0 offen offset:256
# CHECK: buffer_load_dword v{{[0-9]+}}, [[OFFSET]], s[{{.*}}], 0 offen offset:512

# But where the rest would be negative, which is out of range whatever constant is added.
# NEGATIVE-LABEL: backwards:
# NEGATIVE-NOT: offen offset:
# NEGATIVE: s_endpgm
import triton
import triton.language as tl


@triton.jit
def forwards(x, out):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, 1024)), 0))


@triton.jit
def backwards(x, out):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, 1024) * -1 + 1023), 0))
