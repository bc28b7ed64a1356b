# --remarks prints what each pass decided, with the Python line and the reason, also when the kernel is in the cache.
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32:16,*fp32:16,i32,1024" --emit ptx -o %t/add --cache-dir %t/cache
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32:16,*fp32:16,i32,1024" --emit ptx -o %t/add --cache-dir %t/cache --remarks 2>&1 | FileCheck %s
# CHECK: add.py:20: ttg-coalesce: each thread gets 4 neighbouring elements of 32 bits of the load (another access to these values moves 4 at once, this one 1)
# CHECK: add.py:21: ttg-coalesce: each thread gets 4 neighbouring elements of 32 bits of the load (dim 0 is contiguous in runs of 1024 elements, divisible by 16 bytes)
# CHECK: add.py:20: ttg-assign-access-width: vectorization fails: the load moves 1 of 8 elements of 32 bits at once: addresses are only known to be divisible by 1 bytes
# CHECK: add.py:21: ttg-assign-access-width: the load moves 4 elements of 32 bits at once

# Only the passes whose name matches; as JSON at the end of a file.
# RUN: echo "{}" > %t/remarks.json
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32:16,*fp32:16,i32,1024" --emit ptx -o %t/add --remarks=access-w --remarks-file %t/remarks.json 2>&1 | FileCheck %s --check-prefix=WIDTH
# WIDTH-NOT: ttg-coalesce
# WIDTH: ttg-assign-access-width
# WIDTH-NOT: ttg-coalesce
# RUN: FileCheck %s --check-prefix=JSON < %t/remarks.json
# JSON: {{^}}{}{{$}}
# JSON-NEXT: {"column":9,"kind":"remark","line":20,"message":"vectorization fails: {{[^"]*}}","name":"vector-width","numbers":{"bits":32,"elements":1,"elements-per-thread":8},"outcome":"declined","pass":"ttg-assign-access-width","path":"{{[^"]*}}add.py","reason":"addresses are only known to be divisible by 1 bytes","text":"{{[^"]*}}add.py:20: ttg-assign-access-width: vectorization fails{{.*}}"}
# JSON-NEXT: "outcome":"decided"

# A file alone prints nothing; the code is the same with remarks.
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32:16,*fp32:16,i32,1024" --emit ptx -o %t/quiet --remarks-file %t/all.json --no-cache 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# QUIET-NOT: ttg-
# RUN: FileCheck %s --check-prefix=ALL < %t/all.json
# ALL: "pass":"ttg-coalesce"
# RUN: cmp %t/add.ptx %t/quiet.ptx

# Of a reduction in tl.max, the line that calls it. The CPU has remarks of its own.
# RUN: tessera compile %examples/softmax.py -n softmax_kernel -s "*fp32:16,*fp32:16,i32,i32,i32,i32,1024" --emit asm -o %t/softmax --target cpu --remarks 2>&1 | FileCheck %s --check-prefix=CPU
# CPU: softmax.py:35: cpu-convert-ttir-to-llir: one loop nest has these loads: {{[0-9]+}}, stores: 0, reductions: 1

# RUN: not tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add "--remarks=[" 2>&1 | FileCheck %s --check-prefix=REGEX
# REGEX: error: remarks: '[' is not a regular expression: brackets ([ ]) not balanced
# RUN: not tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ptx -o %t/add --remarks-file %t/no/such 2>&1 | FileCheck %s --check-prefix=FOLDER
# FOLDER: error: cannot write to '{{.*}}/no/such' for --remarks-file: No such file or directory
