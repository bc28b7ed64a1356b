// A phase's postcondition: silent if it holds, an error at the first op that violates it.
//
// RUN: tessera-opt %s --tt-verify-phase="phase=p forbidden-ops=tt.advance,tt.dot forbidden-types=block-pointer,descriptor dialects=builtin,tt" | FileCheck %s
// RUN: not tessera-opt %s --tt-verify-phase="phase=phase-one forbidden-ops=tt.splat" 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not tessera-opt %s --tt-verify-phase="phase=phase-one forbidden-types=tensor" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tessera-opt %s --tt-verify-phase="phase=phase-one forbidden-types=tensor-without-layout" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tessera-opt %s --tt-verify-phase="phase=phase-one dialects=builtin,llvm" 2>&1 | FileCheck %s --check-prefix=DIALECT
// RUN: not tessera-opt %s --tt-verify-phase="phase=phase-one forbidden-types=pointer" 2>&1 | FileCheck %s --check-prefix=KIND

// OP: error: 'tt.splat' op is left after phase 'phase-one'
// TYPE: error: 'tt.splat' op defines a value of type 'tensor<4xf32>' after phase 'phase-one'
// DIALECT: error: 'tt.splat' op is left after phase 'phase-one', which leaves only the dialects builtin, llvm
// KIND: error: forbidden-types: there is no kind 'pointer'

// CHECK: tt.func public @f
tt.func public @f(%x: f32) {
  %s = tt.splat %x : f32 -> tensor<4xf32>
  tt.return
}
