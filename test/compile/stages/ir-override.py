# A file takes the place of what a stage made; the rest of the kernel, its arguments included, stays.
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --emit ttir,ttgir,llir,ptx -o %t/a --no-cache
# RUN: sed 's/arith.addf/arith.mulf/' %t/a.ttgir > %t/b.ttgir
# RUN: sed 's/fadd/fsub/' %t/a.llir > %t/b.llir
# RUN: tessera compile %examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --emit ttir,ttgir,ptx,json -o %t/c --ir-override %t/b.ttgir --cache-dir %t/cache
# RUN: diff %t/a.ttir %t/c.ttir
# RUN: FileCheck %s --check-prefix=MUL < %t/c.ptx
# MUL: mul{{.*}}f32
# RUN: FileCheck %s --check-prefix=RECORD < %t/c.json
# RECORD: "n_elements"
# RUN: tessera compile %examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --emit ptx -o - --ir-override %t/b.llir --no-cache | FileCheck %s --check-prefix=SUB
# SUB: sub{{.*}}f32

# The key has the file's text, not its name alone.
# RUN: cp %t/a.ttgir %t/b.ttgir
# RUN: tessera compile %examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --emit ptx -o - --ir-override %t/b.ttgir --cache-dir %t/cache | FileCheck %s --check-prefix=ADD
# ADD: add{{.*}}f32

# Mistakes in it are the user's, not Tessera's.
# RUN: echo nonsense > %t/d.ttgir
# RUN: not tessera compile %examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --emit ptx -o - --ir-override %t/d.ttgir --no-cache 2>&1 | FileCheck %s --check-prefix=WRONG
# WRONG: d.ttgir:1:1: error: {{.*}}nonsense
# RUN: not tessera compile %examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --emit ptx -o - --ir-override %t/a.xyz --no-cache 2>&1 | FileCheck %s --check-prefix=ENDING
# ENDING: error: ir-override: '{{.*}}a.xyz' does not end like an output of cuda:90
# RUN: not tessera compile %examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32,64" --emit ptx -o - --ir-override %t/none.ptx --no-cache 2>&1 | FileCheck %s --check-prefix=MISSING
# MISSING: error: ir-override: {{.*}}none.ptx
