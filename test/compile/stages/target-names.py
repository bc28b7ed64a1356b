# Triton spells a target backend:arch:warp-size.
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --target cuda:90:32 --emit ptx -o - | FileCheck %s
# CHECK: .target sm_90
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --target hip:gfx942:64 --emit ttgir -o - | FileCheck %s --check-prefix=HIP
# HIP: ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64
# RUN: bash -c 'tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --target hip:gfx906 --emit ttir -o -; test $? = 2' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# UNKNOWN: error: unknown target 'hip:gfx906'; known are
# RUN: bash -c 'tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --target cuda:90:64 --emit ttir -o -; test $? = 2' 2>&1 | FileCheck %s --check-prefix=WARP
# WARP: error: unknown target 'cuda:90:64'
