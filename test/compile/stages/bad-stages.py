# A broken file of any stage is the file's fault: a place in it, exit status 1, never an internal error.
# RUN: split-file %s %t
# RUN: bash -c 'tessera compile %t/parse.llir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=PARSE
# PARSE: parse.llir:2:{{[0-9]+}}: error: expected
# RUN: bash -c 'tessera compile %t/host.llir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=HOST
# HOST: error: the LLVM IR is for 'x86_64-unknown-linux-gnu', not for an NVIDIA GPU
# RUN: bash -c 'tessera compile %t/asm.llir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=ASM
# ASM: error: LLVM cannot compile '{{.*}}asm.llir'
# RUN: bash -c 'tessera compile %t/invalid.llir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=INVALID
# RUN: bash -c 'tessera compile %t/invalid.llir --target cpu --emit asm -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=INVALID
# INVALID: invalid.llir:1:1: error: invalid LLVM IR: Only PHI nodes may reference their own value
# Parsers recurse; a file of brackets must not end the process.
# RUN: bash -c 'printf "[1 x %%.0s" {1..100000} > %t/deep.llir; tessera compile %t/deep.llir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=DEEP
# RUN: bash -c 'printf "module { %%.0s" {1..100000} > %t/deep.ttir; tessera compile %t/deep.ttir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=DEEP
# DEEP: deep.{{llir|ttir}}:1:{{[0-9]+}}: error: this nests too deeply
# RUN: bash -c 'tessera compile %t/verify.ttir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=VERIFY
# VERIFY: verify.ttir:3:{{[0-9]+}}: error:
# RUN: bash -c 'tessera compile %t/garbage.ttgir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=GARBAGE
# GARBAGE: garbage.ttgir:1:1: error:
# RUN: bash -c 'head -c 5000 /dev/zero > %t/zeros.ttir; tessera compile %t/zeros.ttir --emit ptx -o -; test $? = 1' 2>&1 | FileCheck %s --check-prefix=ZEROS
# ZEROS: error:

#--- parse.llir
define void @k() {
  retrn void
}
#--- host.llir
target triple = "x86_64-unknown-linux-gnu"
define void @k() {
  ret void
}
#--- asm.llir
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(i32 %x) {
  call void asm sideeffect "mov.u32 $9, 0;", "r"(i32 %x)
  ret void
}
#--- invalid.llir
define void @k(ptr %p, i1 %c) {
  br i1 %c, label %next, label %out
next:
  %x = add i32 %x, 1
  store i32 %x, ptr %p
  br label %out
out:
  ret void
}
#--- verify.ttir
module {
  tt.func public @k(%p: !tt.ptr<f32>, %x: i32) {
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
}
#--- garbage.ttgir
not a module at all
