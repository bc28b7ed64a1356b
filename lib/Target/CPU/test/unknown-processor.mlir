// RUN: not tessera-opt --cpu-convert-ttir-to-llir=cpu=z80 %s 2>&1 | FileCheck %s

// CHECK: error: no processor 'z80' for {{.*}} code; there are native, {{.*}}x86-64-v3
tt.func public @k() {
  tt.return
}
