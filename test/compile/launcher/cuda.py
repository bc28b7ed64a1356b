# What a C launcher asks of the driver: clusters, cooperative and dependent launches, and the record beside it.
#
# REQUIRES: ptxas
# RUN: tessera compile %s -s "*fp32:16,*fp32:16,i32:16,1024" --target cuda:90 --emit c,json -o %t.plain
# RUN: FileCheck %s --check-prefix=PLAIN < %t.plain.c
# RUN: tessera compile %s -s "*fp32:16,*fp32:16,i32:16,1024" --target cuda:90 --num-ctas 2 --launch-cooperative-grid --launch-pdl --emit c,json -o %t.full
# RUN: FileCheck %s --check-prefix=FULL < %t.full.c
# RUN: FileCheck %s --check-prefix=RECORD < %t.full.json
# RUN: clang-22 -fsyntax-only -Wall -Wextra -Werror %t.plain.c %t.full.c
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


# PLAIN-NOT: cuLaunchKernelEx
# PLAIN: status = cuLaunchKernel({{.*}}_func, gX * 1, gY, gZ, 128, 1, 1, 0, stream, args, NULL);
# PLAIN-NEXT: return status;

# FULL: CUlaunchConfig config = {gX * 2, gY, gZ, 128, 1, 1, 0, stream, attributes, 4};
# FULL: attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
# FULL-NEXT: attributes[0].value.clusterDim.x = 2;
# FULL: attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
# FULL: attributes[2].value.cooperative = 1;
# FULL: attributes[3].value.programmaticStreamSerializationAllowed = 1;
# FULL-NEXT: status = cuLaunchKernelEx(&config, {{.*}}_func, args, NULL);

# RECORD: "cooperative": true,
# RECORD: "dependent_launch": true,
# RECORD: "num_ctas": 2,
