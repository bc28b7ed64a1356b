# Pointers to single elements that a loop moves on together: it carries their base; what each
# adds to it stays in 32 bits. A few pointers are carried as they are.
# RUN: tessera compile %s --kernel-name rows --signature "*fp16,*fp16,i32,i32,64,64" --target cuda:80 --num-stages 1 --emit llir -o - | FileCheck %s --check-prefix=MANY --implicit-check-not="phi ptr"
# RUN: tessera compile %s --kernel-name rows --signature "*fp16,*fp16,i32,i32,16,64" --target cuda:80 --num-stages 1 --emit llir -o - | FileCheck %s --check-prefix=FEW
# RUN: tessera compile %s --kernel-name rows --signature "*fp16,*fp16,i32,i32,64,64" --target cuda:80 --num-stages 1 --emit llir --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
# RUN: tessera compile %s --kernel-name rows --signature "*fp16,*fp16,i32,i32,16,64" --target cuda:80 --num-stages 1 --emit llir --remarks=llir- -o /dev/null 2>&1 | FileCheck %s --check-prefix=DECLINED
# REMARK: llir-share-carried-pointers: the loop carries one base instead of 32 pointers (the pointers take 64 registers, a base and their distances 20)
# DECLINED: llir-share-carried-pointers: the loop carries 8 pointers that advance together: fewer than 16 leave enough registers
import triton
import triton.language as tl


# MANY: %[[BASE:[0-9]+]] = phi ptr addrspace(1) [ %{{[0-9]+}}, %{{.*}} ], [ %[[NEXT:[0-9]+]], %{{.*}} ]
# MANY: %[[ROW:[0-9]+]] = sext i32 %{{[0-9]+}} to i64
# MANY-NEXT: getelementptr half, ptr addrspace(1) %[[BASE]], i64 %[[ROW]]
# MANY: %[[NEXT]] = getelementptr i8, ptr addrspace(1) %[[BASE]], i64 128
# FEW-COUNT-8: phi ptr addrspace(1)
@triton.jit
def rows(x, out, n, stride, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    lanes = tl.arange(0, N)
    p = x + m[:, None] * stride + lanes[None, :]
    total = tl.zeros((M, N), tl.float32)
    for _ in range(n):
        total += tl.load(p)
        p += N
    tl.store(out + m[:, None] * N + lanes[None, :], total)
