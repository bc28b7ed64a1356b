# The same source and options give the same bytes, whatever else runs.
# RUN: rm -rf %t && mkdir -p %t/1 %t/2 %t/3 %t/4
# RUN: bash -c 'for i in 1 2 3 4; do tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" --emit ttir,ttgir,llir,ptx,json -o %t/$i/add & done; wait'
# RUN: bash -c 'for e in ttir ttgir llir ptx json; do for i in 2 3 4; do cmp %t/1/add.$e %t/$i/add.$e || exit 1; done; done'
