# What was printed and did not arrive is an error; a path has a name in it.
# RUN: bash -c 'tessera targets > /dev/full; test $? = 1' 2>&1 | FileCheck %s
# RUN: bash -c 'tessera --help > /dev/full; test $? = 1' 2>&1 | FileCheck %s
# RUN: bash -c 'tessera version >&-; test $? = 1' 2>&1 | FileCheck %s
# RUN: bash -c 'tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ttir -o - > /dev/full; test $? = 1' 2>&1 | FileCheck %s
# CHECK: tessera: error: cannot write to standard output
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ttir -o %t/
# RUN: ls -A %t | FileCheck %s --check-prefix=FOLDER
# FOLDER: {{^}}add_kernel.ttir
# RUN: not tessera compile %examples/add.py -s "*fp32,*fp32,*fp32,i32,64" --emit ttir -o "" 2>&1 | FileCheck %s --check-prefix=EMPTY
# EMPTY: error: --out-path: empty
# RUN: bash -c 'env -i $(command -v tessera) cache stat; test $? = 2' 2>&1 | FileCheck %s --check-prefix=CACHE
# CACHE: error: cache: no folder
