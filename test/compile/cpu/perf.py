# --perf writes what perf reads to attribute samples to lines: a jitdump file with the code and its line table.
# RUN: rm -rf %t && mkdir %t
# RUN: env JITDUMPDIR=%t tessera run %examples/add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --device cpu --grid 2 --perf --arg x_ptr=zeros:128 --arg y_ptr=zeros:128 --arg output_ptr=zeros:128 --arg n_elements=128
# RUN: find %t -name "jit-*.dump" | xargs cat | od -A n -c -N 4 | FileCheck %s --check-prefix=MAGIC
# MAGIC: D T i J
# RUN: find %t -name "jit-*.dump" | xargs strings | FileCheck %s
# CHECK: {{^}}/{{.*}}examples/add.py{{$}}
# CHECK: {{^}}add_kernel{{$}}
