# `--emit all` writes every form of the kernel, and the header and source that embed it.
# REQUIRES: ptxas
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: tessera compile --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid=1024,1024,1024 %examples/add.py --emit all -o %t/add
# RUN: ls %t | FileCheck %s
# CHECK:      {{^}}add{{.*}}.c{{$}}
# CHECK-NEXT: {{^}}add.cubin{{$}}
# CHECK-NEXT: {{^}}add{{.*}}.h{{$}}
# CHECK-NEXT: {{^}}add.json{{$}}
# CHECK-NEXT: {{^}}add.llir{{$}}
# CHECK-NEXT: {{^}}add.ptx{{$}}
# CHECK-NEXT: {{^}}add.ttgir{{$}}
# CHECK-NEXT: {{^}}add.ttir{{$}}
# CHECK-NOT:  {{.}}
