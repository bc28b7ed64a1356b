# On the CPU the code does not grow with the block: 64 elements or a million give the same number of lines.
# RUN: rm -rf %t && mkdir %t
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --target cpu --emit llir,asm,obj -o %t/small
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,1048576" --target cpu --emit llir,asm,obj -o %t/large
# RUN: bash -c 'small=$(wc -l < %t/small.llir); large=$(wc -l < %t/large.llir); echo "lines $small $large"; test $large -le $((small + small / 2))'
