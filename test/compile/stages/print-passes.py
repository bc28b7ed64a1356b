# The IR after every pass on standard error, of one kernel or of all, also when the kernel is in the cache.
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --cache-dir %t/cache
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --cache-dir %t/cache --print-passes 1 2>&1 | FileCheck %s
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --cache-dir %t/cache --print-passes add_kernel 2>&1 | FileCheck %s
# CHECK: IR Dump After {{.*}}convert-ttir-to-ttgir
# CHECK: tt.func public @add_kernel
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --print-passes other 2>&1 | FileCheck %s --check-prefix=OTHER --allow-empty
# OTHER-NOT: IR Dump

# To a file, at its end.
# RUN: echo "// before" > %t/passes.mlir
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --print-passes 1 --print-path %t/passes.mlir 2>&1 | FileCheck %s --check-prefix=OTHER --allow-empty
# RUN: FileCheck %s --check-prefix=PATH < %t/passes.mlir
# PATH: // before
# PATH: IR Dump After
# RUN: not tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --print-passes 1 --print-path %t/no/such 2>&1 | FileCheck %s --check-prefix=FOLDER
# FOLDER: error: cannot write to '{{.*}}/no/such' for --print-path: No such file or directory
