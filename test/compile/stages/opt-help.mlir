// tessera-opt's help begins with its own passes and pipelines, and leaves LLVM's options out.
// RUN: tessera-opt --help | FileCheck %s
// RUN: tessera-opt --help-hidden | FileCheck %s --check-prefix=HIDDEN
// CHECK: tessera-opt --make-ttir kernel.ttir
// CHECK-NOT: devirt
// CHECK: --ttg-coalesce
// CHECK: --make-ttir
// CHECK: --nvidia-make-ttgir
// CHECK: Options of MLIR:
// CHECK: --mlir-print-ir-after-change
// HIDDEN: abort-on-max-devirt

// The pipelines of stages, from the frontend's TTIR on.
// RUN: tessera compile %S/../../../examples/add.py -s "*fp32:16,*fp32:16,*fp32:16,i32:16,1024" --target cuda:80 --emit ttir -o %t
// RUN: tessera-opt --nvidia-make-ttgir=target=cuda:80 %t.ttir | FileCheck %s --check-prefix=TTGIR
// RUN: tessera-opt --nvidia-make-ttgir=target=cuda:80 --nvidia-make-llir=target=cuda:80 %t.ttir | FileCheck %s --check-prefix=LLIR
// RUN: not tessera-opt --nvidia-make-ttgir=target=cuda:75 %t.ttir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// TTGIR: ttg.target = "cuda:80"
// TTGIR: tt.load {{.*}}#blocked
// LLIR: llvm.func @add_kernel
// UNKNOWN: unknown target 'cuda:75'
