# Without a GPU, asking for one says so (exit status 3), and the default is the CPU.
# UNSUPPORTED: gpu
# RUN: bash -c 'tessera run %examples/add.py -n add_kernel -s "*fp32,*fp32,*fp32,i32,64" --grid 1 --device cuda:0 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64; echo "status $?"' 2>&1 | FileCheck %s
# RUN: tessera run %examples/add.py -n add_kernel -s "*fp32,*fp32,*fp32,i32,64" --grid 1 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64 | FileCheck %s --check-prefix=DEFAULT
# CHECK: --device: no CUDA driver on this machine
# CHECK: status 3
# DEFAULT: add_kernel: grid (1, 1, 1) on
