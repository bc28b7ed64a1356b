# Without ptxas, a CUBIN cannot be made (exit status 3: this machine cannot do it), and PTX still can.
# UNSUPPORTED: ptxas
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add
# RUN: bash -c 'tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit cubin -o %t/cubin; echo "status $?"' 2>&1 | FileCheck %s
# RUN: ls %t | FileCheck %s --check-prefix=LEFT
# CHECK: ptxas
# CHECK: status 3
# LEFT:     add.ptx
# LEFT-NOT: {{.}}
