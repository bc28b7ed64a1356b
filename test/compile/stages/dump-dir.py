# The IR after every pass, a folder a stage, also when the kernel is in the cache.
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --cache-dir %t/cache
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --cache-dir %t/cache --dump-dir %t/dump
# RUN: find %t/dump -name "*.mlir" | sort | FileCheck %s
# CHECK: make_llir/{{.*}}.mlir
# CHECK: make_ttgir/{{.*}}0_convert-ttir-to-ttgir.mlir
# RUN: touch %t/file
# RUN: not tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --dump-dir %t/file 2>&1 | FileCheck %s --check-prefix=FILE
# FILE: error: cannot create the folder '{{.*}}/file/make_ttir' for --dump-dir: Not a directory
# RUN: not tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --cache-dir %t/file 2>&1 | FileCheck %s --check-prefix=CACHE
# CACHE: error: --cache-dir: '{{.*}}/file' is not a folder
