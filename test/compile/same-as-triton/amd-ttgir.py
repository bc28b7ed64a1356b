# Triton compiles Tessera's TTGIR of a product for AMD GPUs to matrix instructions, and Tessera reads Triton's. Two have accesses of
# buffers.
# REQUIRES: triton
# RUN: tessera compile %s --kernel-name product -s "*fp16:16S,*fp16:16S,*fp32:16S,64,64,32" --target hip:gfx942 --no-cache --emit ttgir -o - > %t.942.ttgir
# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,64,64,32" --target hip:gfx950 --no-cache --emit ttgir -o - > %t.950.ttgir
# RUN: tessera compile %s --kernel-name product -s "*fp16:16S,*fp16:16S,*fp32:16S,64,64,32" --target hip:gfx1100 --no-cache --emit ttgir -o - > %t.1100.ttgir
# RUN: tessera compile %s --kernel-name product -s "*fp16:16,*fp16:16,*fp32:16,64,64,32" --target hip:gfx1201 --no-cache --emit ttgir -o - > %t.1201.ttgir
# RUN: FileCheck %s --check-prefix=BUFFERS < %t.942.ttgir
# BUFFERS: amdg.buffer_load
# BUFFERS: amdg.buffer_store
# RUN: %triton_python -B %s gfx942:%t.942.ttgir gfx950:%t.950.ttgir gfx1100:%t.1100.ttgir gfx1201:%t.1201.ttgir | FileCheck %s
# CHECK: gfx942 4 v_mfma_f32_32x32x8_f16
# CHECK: gfx950 2 v_mfma_f32_32x32x16_f16
# CHECK: gfx1100 8 v_wmma_f32_16x16x16_f16
# CHECK: gfx1201 8 v_wmma_f32_16x16x16_f16
# RUN: tessera-opt %t.942.ttgir.theirs | FileCheck %s --check-prefix=MFMA
# MFMA: #ttg.amd_mfma<{version = 3
# RUN: tessera-opt %t.1100.ttgir.theirs | FileCheck %s --check-prefix=WMMA
# WMMA: #ttg.amd_wmma<{version = 1
import re
import sys

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x = tl.load(a + m * K + k[None, :])
    y = tl.load(b + k[:, None] + n * K)
    tl.store(c + m * N + n, tl.dot(x, y))


def main():
    from triton.backends.compiler import GPUTarget
    sizes = {"M": 64, "N": 64, "K": 32}
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32"} | dict.fromkeys(sizes, "constexpr")
    source = triton.compiler.ASTSource(product, signature, {(3 + i,): size for i, size in enumerate(sizes.values())})
    for argument in sys.argv[1:]:
        chip, path = argument.split(":", 1)
        target = GPUTarget("hip", chip, 64 if chip.startswith("gfx9") else 32)
        found = re.findall(r"v_(?:mfma|wmma)_\w+", triton.compile(path, target=target).asm["amdgcn"])
        print(chip, len(found), found[0])
        with open(path + ".theirs", "w", encoding="utf-8") as file:
            file.write(triton.compile(source, target=target).asm["ttgir"])


if __name__ == "__main__":
    main()
