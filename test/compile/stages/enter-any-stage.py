# Any stage's file can be entered, and leads to the same code.
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32:16,1024" --emit ttir,ttgir,llir,ptx -o %t/a
# RUN: tessera compile %t/a.ttir --emit ttgir,llir,ptx -o %t/b
# RUN: tessera compile %t/a.ttgir --emit llir,ptx -o %t/c
# RUN: tessera compile %t/a.llir --emit ptx -o %t/d
# RUN: diff %t/a.ptx %t/b.ptx
# RUN: diff %t/a.ptx %t/c.ptx
# RUN: diff %t/a.ptx %t/d.ptx
