# No 16-bit integer operation works on two halves of a register: a vectoriser that pairs scalars may leave one of them
# undefined, and ptxas then drops constants that the other half needs. fp4 is unpacked with scalars.
# RUN: tessera compile %kernels/packed.py -n unpack_fp4 -s "*u8:16,*bf16:16,512" --emit ptx -o - | FileCheck %s
# RUN: tessera compile %kernels/packed.py -n unpack_fp4 -s "*u8:16,*bf16:16,512" -t cuda:80 --emit ptx -o - | FileCheck %s

# CHECK-LABEL: .entry unpack_fp4(
# CHECK-NOT: 16x2
# CHECK: st.global.v4
# CHECK-NOT: 16x2
# CHECK: ret;
