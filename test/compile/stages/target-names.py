# Triton spells a target backend:arch:warp-size; AMD's do not exist yet, and that is not a typing error.
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --target cuda:90:32 --emit ptx -o - | FileCheck %s
# CHECK: .target sm_90
# RUN: bash -c 'tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --target hip:gfx942 --emit ttir -o -; test $? = 3' 2>&1 | FileCheck %s --check-prefix=HIP
# HIP: unsupported: the target 'hip:gfx942': there is no AMD target yet
# RUN: bash -c 'tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --target cuda:90:64 --emit ttir -o -; test $? = 2' 2>&1 | FileCheck %s --check-prefix=WARP
# WARP: error: unknown target 'cuda:90:64'
