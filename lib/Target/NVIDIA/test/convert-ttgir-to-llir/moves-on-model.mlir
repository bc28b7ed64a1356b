// Moves between random layouts and buffers give the right values, without races, on a model of the hardware that knows
// the instructions and the barriers.
// RUN: python3 %S/Inputs/random_moves.py 1 80 %t | FileCheck %s

// CHECK-NOT: failed:
// CHECK: bar.sync
// CHECK: bar.warp.sync
// CHECK: barrier.cluster.wait.aligned
// CHECK: ld.shared.v4.b32
// CHECK: ld.shared::cluster
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: mapa.shared::cluster.u32
// CHECK: shfl.sync
// CHECK: st.shared.v4.b32
// CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: 80 passed, 0 failed
