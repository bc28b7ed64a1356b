# The same source and options give the same bytes, whatever else runs.
# RUN: rm -rf %t && mkdir %t
# RUN: bash -c 'for i in 1 2 3 4; do tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" --emit ttir,ttgir,llir,ptx,json -o %t/$i & done; wait'
# RUN: bash -c 'for e in ttir ttgir llir ptx json; do for i in 2 3 4; do cmp %t/1.$e %t/$i.$e || exit 1; done; done'
