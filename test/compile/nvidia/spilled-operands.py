# What a kernel spills decides how it is compiled again; the best way is kept. The kernels are those whose results test_spills.py checks.
# REQUIRES: ptxas
# RUN: tessera compile %S/../../run/kernels/spills.py -n shared_operands -s "*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,fp32,fp32,64" --emit cubin -o %t --cache-dir %t.cache --verbose 2>&1 | FileCheck %s --check-prefix=SHARED
# RUN: tessera compile %S/../../run/kernels/spills.py -n unaligned -s "*fp16,*fp16,*fp16,*i32:16,i32,128,128,32" --emit cubin -o %t --cache-dir %t.cache --verbose 2>&1 | FileCheck %s --check-prefix=ARITHMETIC

# Each tile is kept in one buffer, from which all of its products read it; two CTAs of 112 KiB still fit on an SM.
# SHARED: shared_operands: ptxas {{.*}} 0 bytes spilled, 114688 bytes of shared memory
# SHARED-NEXT: tried the usual way: 255 registers, {{[1-9][0-9]+}} bytes spilled; {{.*}}; kept with all registers, and keeping operands in shared memory

# The addresses of the epilogue's stores are computed store by store.
# ARITHMETIC: unaligned: ptxas {{.*}} 0 bytes spilled
# ARITHMETIC-NEXT: tried the usual way: 255 registers, {{[1-9][0-9]+}} bytes spilled; {{.*}}; kept {{.*}}with arithmetic in front of its uses
