// What the tt dialect rejects. Each case cites the rule that it breaks.
//
// RUN: tessera-opt %s -split-input-file -verify-diagnostics

// [tt.ptr.C1]
// expected-error @below {{a pointer cannot point to 'index'}}
tt.func private @f(!tt.ptr<index>)

// -----

// [tt.ptr.C2]
// expected-error @below {{address space -1 is negative}}
tt.func private @f(!tt.ptr<f32, -1>)

// -----

// [tt.hint.C1]
// expected-error @below {{argument 0: "tt.divisibility" must be a positive integer, or a list of them, but is "16"}}
tt.func private @f(!tt.ptr<f32> {tt.divisibility = "16"})

// -----

tt.func @f() {
  // [tt.hint.C1]
  // expected-error @below {{"tt.contiguity" must be a positive integer}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32, tt.contiguity = dense<0> : tensor<1xi32>} : tensor<4xi32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x4xi32>) {
  // [tt.hint.C2]
  // expected-error @below {{"tt.constancy" has 1 entries for a value of rank 2}}
  %0 = arith.addi %x, %x {tt.constancy = dense<4> : tensor<1xi32>} : tensor<4x4xi32>
  tt.return
}

// -----

// [tt.tensordesc.C1]
// expected-error @below {{needs a static shape of rank 1 or more}}
tt.func private @f(!tt.tensordesc<tensor<f32>>)

// -----

// [tt.tensordesc.C1]
// expected-error @below {{needs a static shape of rank 1 or more}}
tt.func private @f(!tt.tensordesc<tensor<?xf32>>)

// -----

// [tt.tensordesc.C2]
// expected-error @below {{holds integers or floats}}
tt.func private @f(!tt.tensordesc<tensor<4x!tt.ptr<f32>>>)

// -----

tt.func @f(%x: tensor<?xf32>) {
  // [tt.tensor.C1]
  // expected-error @below {{operand #0 must have a static shape}}
  %0 = tt.precise_sqrt %x : tensor<?xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<96xf32>) {
  // [tt.tensor.C2]
  // expected-error @below {{operand #0 must have a power of two elements}}
  %0 = tt.precise_sqrt %x : tensor<96xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<0xf32>) {
  // [tt.tensor.C2]
  // expected-error @below {{operand #0 must have a power of two elements}}
  %0 = tt.precise_sqrt %x : tensor<0xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<1024x2048xf32>) {
  // [tt.tensor.C3]
  // expected-error @below {{operand #0 has more than 1048576 elements}}
  %0 = tt.precise_sqrt %x : tensor<1024x2048xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4611686018427387904x4xf32>) {
  // [tt.tensor.C3]
  // expected-error @below {{operand #0 has more than 1048576 elements}}
  %0 = tt.precise_sqrt %x : tensor<4611686018427387904x4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32, "anywhere">) {
  // [tt.tensor.C4]
  // expected-error @below {{"anywhere" is not a layout of tensors}}
  %0 = tt.precise_sqrt %x : tensor<128xf32, "anywhere">
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // [tt.bitcast.C1]
  // expected-error @below {{changes the address space from 1 to 3}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32, 3>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // [tt.bitcast.C2]
  // expected-error @below {{use tt.ptr_to_int or tt.int_to_ptr}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @f(%x: f32) {
  // [tt.bitcast.C3]
  // expected-error @below {{casts 32 bits to 16}}
  %0 = tt.bitcast %x : f32 -> i16
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32>) {
  // [tt.fp_to_fp.C1]
  // expected-error @below {{narrows 32 bits to 16 and must say how it rounds}}
  %0 = tt.fp_to_fp %x : tensor<128xf32> -> tensor<128xf16>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values}}
  %0 = tt.fp_to_fp %x, rounding = 7 : tensor<128xf32> -> tensor<128xf16>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xi32>) {
  // [tt.elementwise_inline_asm.C1]
  // expected-error @below {{packed_element is 0, but must be at least 1}}
  %0 = tt.elementwise_inline_asm "" {constraints = "", packed_element = 0 : i32, pure = true} %x : tensor<128xi32> -> tensor<128xi32>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xi32>) {
  // [tt.elementwise_inline_asm.C2]
  // expected-error @below {{takes groups of 3 elements}}
  %0 = tt.elementwise_inline_asm "" {constraints = "", packed_element = 3 : i32, pure = true} %x : tensor<128xi32> -> tensor<128xi32>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32>) {
  // [tt.map_elementwise.C1]
  // expected-error @below {{pack is 3, but must be a power of two}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32):
    tt.map_elementwise.return %a, %b, %c : f32, f32, f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32>) {
  // [tt.map_elementwise.C2]
  // expected-error @below {{region takes 1 values, but should take 1073741824}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1073741824 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32>) {
  // [tt.map_elementwise.C2]
  // expected-error @below {{region takes ('i32'), but should take ('f32')}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %b = arith.sitofp %a : i32 to f32
    tt.map_elementwise.return %b : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32>) {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    // [tt.map_elementwise.C3]
    // expected-error @below {{returns ('f32', 'f32'), but should return ('f32')}}
    tt.map_elementwise.return %a, %a : f32, f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<128xf32>, %p: !tt.ptr<f32>) {
  // [tt.map_elementwise.C4]
  // expected-error @below {{region writes memory}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    // expected-note @below {{written here}}
    tt.store %p, %a : !tt.ptr<f32>
    tt.map_elementwise.return %a : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.return
}

// -----

tt.func @f() {
  // [tt.make_range.C1]
  // expected-error @below {{start 4 must be less than end 4}}
  %0 = tt.make_range {end = 4 : i32, start = 4 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func @f() {
  // [tt.make_range.C2]
  // expected-error @below {{makes a tensor of rank 1}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<2x2xi32>
  tt.return
}

// -----

tt.func @f() {
  // [tt.make_range.C3]
  // expected-error @below {{from 0 to 4 has 4 elements}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @f() {
  // [tt.make_range.C3]
  // expected-error @below {{from -2147483648 to 2147483647 has 4294967295 elements}}
  %0 = tt.make_range {end = 2147483647 : i32, start = -2147483648 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.expand_dims.C1]
  // expected-error @+2 {{axis 2 is not in [0, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x1xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<4xf32> -> tensor<1x4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x1xf32>) {
  // [tt.broadcast.C1]
  // expected-error @below {{changes the rank from 2 to 1}}
  %0 = tt.broadcast %x : tensor<4x1xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x1xf32>) {
  // [tt.broadcast.C2]
  // expected-error @below {{cannot change dimension 0 from 4 to 8}}
  %0 = tt.broadcast %x : tensor<4x1xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<2xf32>) {
  // [tt.unsplat.C1]
  // expected-error @below {{needs a tensor of one element}}
  %0 = tt.unsplat %x : tensor<2xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x4xf32>) {
  // [tt.reshape.C1]
  // expected-error @below {{changes the number of elements from 16 to 8}}
  %0 = tt.reshape %x : tensor<4x4xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x4xf32>) {
  // [tt.trans.C1]
  // expected-error @+2 {{order [0, 0] is not a permutation of 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.trans %x {order = array<i32: 0, 0>} : tensor<4x4xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x4xf32>) {
  // [tt.trans.C1]
  // expected-error @+2 {{order [-1, 7] is not a permutation of 2 dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.trans %x {order = array<i32: -1, 7>} : tensor<4x4xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x4xf32>) {
  // [tt.split.C1]
  // expected-error @+2 {{needs a last dimension of size 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0, %1 = tt.split %x : tensor<4x4xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.cat.C1]
  // expected-error @below {{joins two tensors of 4 elements into one of 4}}
  %0 = tt.cat %x, %x : tensor<4xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.cat.C2]
  // expected-error @below {{changes the rank from 1 to 2}}
  %0 = tt.cat %x, %x : tensor<4xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x4xf32>, %i: tensor<4xi32>) {
  // [tt.gather.C1]
  // expected-error @below {{has a source of rank 2 and indices of rank 1}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<4x4xf32>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // [tt.gather.C2]
  // expected-error @below {{axis 1 is not in [0, 1)}}
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4x4xf32>, %i: tensor<4x8xi32>) {
  // [tt.gather.C3]
  // expected-error @below {{has sizes 4 and 8 in dimension 1}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<4x4xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xi32>) {
  // [tt.histogram.C1]
  // expected-error @below {{counts into a tensor of rank 1}}
  %0 = tt.histogram %x : tensor<4xi32> -> tensor<4x4xi32>
  tt.return
}

// -----

tt.func @f() {
  // [tt.call.C1]
  // expected-error @below {{'g' is not a tt.func in this module}}
  tt.call @g() : () -> ()
  tt.return
}

// -----

// expected-note @below {{callee is here}}
tt.func private @g(%x: f32) {
  tt.return
}
tt.func @f() {
  // [tt.call.C2]
  // expected-error @below {{passes () to 'g', which takes ('f32')}}
  tt.call @g() : () -> ()
  tt.return
}

// -----

// expected-note @below {{callee is here}}
tt.func private @g() {
  tt.return
}
tt.func @f() {
  // [tt.call.C3]
  // expected-error @below {{expects ('f32') from 'g', which returns ()}}
  %0 = tt.call @g() : () -> f32
  tt.return
}

// -----

tt.func @f() -> f32 {
  // [tt.return.C1]
  // expected-error @below {{returns () from 'f', which returns ('f32')}}
  tt.return
}

// -----

tt.func @f(%x: f32) {
  // [tt.print.C1]
  // expected-error @below {{has 1 values, but isSigned has 0}}
  tt.print "x" {hex = false, isSigned = array<i32>} : %x : f32
  tt.return
}

// -----

tt.func @f(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>) {
  // [tt.load.C1]
  // expected-error @below {{has 'other' but no mask}}
  %0 = "tt.load"(%p, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%p: tensor<4x!tt.ptr<f32>>) {
  // [tt.load.C2]
  // expected-error @below {{checks boundaries, which needs a block pointer}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<tensor<4xf32>>, %m: tensor<4xi1>) {
  // [tt.load.C3]
  // expected-error @below {{takes boundaryCheck, not a mask}}
  %0 = tt.load %p, %m : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<tensor<4xf32>>) {
  // [tt.load.C4]
  // expected-error @below {{boundaryCheck names dimension 1 of a block of rank 1}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>) {
  // [tt.load.C5]
  // expected-error @below {{has padding, which needs a block pointer}}
  %0 = tt.load %p {padding = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: tensor<4xf32>) {
  // expected-error @below {{'ptr' must be pointer or ranked tensor of pointer values or block pointer, but got 'tensor<4xf32>'}}
  %0 = tt.load %p : tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %x: f32) {
  // [tt.store.C1]
  // expected-error @below {{checks boundaries, which needs a block pointer}}
  tt.store %p, %x {boundaryCheck = array<i32: 0>} : !tt.ptr<f32>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<tensor<4xf32>>, %x: tensor<4xf32>, %m: tensor<4xi1>) {
  // [tt.store.C2]
  // expected-error @below {{takes boundaryCheck, not a mask}}
  tt.store %p, %x, %m : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<tensor<4xf32>>, %x: tensor<4xf32>) {
  // [tt.store.C3]
  // expected-error @below {{boundaryCheck names dimension -1 of a block of rank 1}}
  tt.store %p, %x {boundaryCheck = array<i32: -1>} : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %x: f32) {
  // [tt.atomic_rmw.C1]
  // expected-error @below {{add does not take 'f32'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // [tt.atomic_rmw.C1]
  // expected-error @below {{fadd does not take 'i32'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %x : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32, 3>, %x: i32) {
  // expected-error @below {{must be pointer to global memory}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i32, 3>, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // [tt.make_tensor_ptr.C1]
  // expected-error @below {{has 1 sizes for a block of rank 2}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<4x4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // [tt.make_tensor_ptr.C2]
  // expected-error @below {{order [1] is not a permutation of 1 dimensions}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 1>} : <tensor<4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<tensor<4xf32>>, %i: i32) {
  // [tt.advance.C1]
  // expected-error @below {{has 2 offsets for a block of rank 1}}
  %0 = tt.advance %p, [%i, %i] : <tensor<4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // [tt.make_tensor_descriptor.C1]
  // expected-error @below {{has 1 sizes for a block of rank 2}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<4x4xf32>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // [tt.make_tensor_descriptor.C2]
  // expected-error @below {{describes 'f16' through a pointer to 'f32'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<4xf16>>
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %n: i32, %s: i64) {
  // [tt.make_tensor_descriptor.C3]
  // expected-error @below {{cannot pad 'i32' with NaN}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <i32>, <tensor<4xui32>>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<4x4xf32>>, %i: i32) {
  // [tt.descriptor.C1]
  // expected-error @below {{has 1 indices for a block of rank 2}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<4x4xf32>> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<4xf32>>, %i: i32, %x: tensor<4xf16>) {
  // [tt.descriptor.C2]
  // expected-error @below {{moves 'f16' through a descriptor of 'f32'}}
  tt.descriptor_store %d[%i], %x : !tt.tensordesc<tensor<4xf32>>, tensor<4xf16>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<2x4xf32>>, %i: i32, %x: tensor<4xf32>) {
  // [tt.descriptor.C3]
  // expected-error @below {{moves 'tensor<4xf32>' through a descriptor of 'tensor<2x4xf32>'}}
  tt.descriptor_reduce add, %d[%i, %i], %x : !tt.tensordesc<tensor<2x4xf32>>, tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<2x64xf16>>, %r: tensor<32xi32>, %i: i32) {
  // [tt.descriptor_rows.C1]
  // expected-error @below {{needs a descriptor of one row}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<tensor<2x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<1x64xf16>>, %r: tensor<16xi32>, %i: i32) {
  // [tt.descriptor_rows.C2]
  // expected-error @below {{has 'tensor<16xi32>' as row numbers of 'tensor<32x64xf16>'}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<16xi32>, i32) -> tensor<32x64xf16>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<1x64xf16>>, %r: tensor<32xi32>, %i: i32, %x: tensor<32x32xf16>) {
  // [tt.descriptor_rows.C3]
  // expected-error @below {{moves 'tensor<32x32xf16>' through a descriptor of 'tensor<1x64xf16>'}}
  tt.descriptor_scatter %d[%r, %i], %x : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x32xf16>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<1x8xf16>>, %r: tensor<8xi32>, %i: i32) {
  // [tt.descriptor_rows.C4]
  // expected-error @below {{needs at least 8 rows of 16 elements}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<tensor<1x8xf16>>, tensor<8xi32>, i32) -> tensor<8x8xf16>
  tt.return
}

// -----

tt.func @f(%d: !tt.tensordesc<tensor<1x64xf64>>, %r: tensor<8xi32>, %i: i32) {
  // [tt.descriptor_rows.C4]
  // expected-error @below {{moves elements of at most 32 bits}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<tensor<1x64xf64>>, tensor<8xi32>, i32) -> tensor<8x64xf64>
  tt.return
}

// -----

tt.func @f(%a: tensor<4xf32>, %c: tensor<4xf32>) {
  // [tt.dot.C1]
  // expected-error @below {{needs three tensors of rank 2 or 3, but got ranks 1, 1 and 1}}
  %0 = tt.dot %a, %a, %c : tensor<4xf32> * tensor<4xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %c: tensor<4x8xf32>) {
  // [tt.dot.C2]
  // expected-error @below {{inner sizes differ: 8 and 4}}
  %0 = tt.dot %a, %a, %c : tensor<4x8xf32> * tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x8xf32>) {
  // [tt.dot.C3]
  // expected-error @below {{adds a product of size 4x4 to one of size 4x8}}
  %0 = tt.dot %a, %b, %c : tensor<4x8xf32> * tensor<8x4xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<2x4x4xf32>, %b: tensor<1x4x4xf32>, %c: tensor<2x4x4xf32>) {
  // [tt.dot.C4]
  // expected-error @below {{batch sizes differ: 2, 1 and 2}}
  %0 = tt.dot %a, %b, %c : tensor<2x4x4xf32> * tensor<1x4x4xf32> -> tensor<2x4x4xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf16>, %c: tensor<4x4xf32>) {
  // [tt.dot.C5]
  // expected-error @below {{operands have elements of 32 and 16 bits}}
  %0 = tt.dot %a, %b, %c : tensor<4x4xf32> * tensor<4x4xf16> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<64x64xf8E5M2>, %c: tensor<64x64xf32>) {
  // [tt.dot_scaled.C1]
  // expected-error @below {{e2m1 operands are i8}}
  %0 = tt.dot_scaled %a, %a, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<64x64xf8E5M2> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<64xf8E5M2>, %c: tensor<64x64xf32>) {
  // [tt.dot_scaled.C2]
  // expected-error @below {{needs three tensors of rank 2 or 3}}
  %0 = tt.dot_scaled %a, %a, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<64xf8E5M2> * tensor<64xf8E5M2> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<64x64xi8>, %b: tensor<64x64xf8E5M2>, %c: tensor<64x64xf32>) {
  // [tt.dot_scaled.C2]
  // expected-error @below {{inner sizes differ: 128 and 64}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<64x64xi8> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @f(%a: tensor<64x64xf8E5M2>, %s: tensor<64x4xi8>, %c: tensor<64x64xf32>) {
  // [tt.dot_scaled.C3]
  // expected-error @below {{a's scale should be 64x2, but is 'tensor<64x4xi8>'}}
  %0 = tt.dot_scaled %a scale %s, %a, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<64x64xf8E5M2>, tensor<64x4xi8> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.reduce.C1]
  // expected-error @+2 {{axis 1 is not in [0, 1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.reduce.C2]
  // expected-error @below {{region takes ('f32'), but should take ('f32', 'f32')}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.reduce.C3]
  // expected-error @below {{region returns ('f32', 'f32'), but should return ('f32')}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{returned here}}
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @f() {
  // expected-error @below {{expected 1 or more operands, but found 0}}
  "tt.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.scan.C1]
  // expected-error @below {{axis -1 is not in [0, 1)}}
  %0 = "tt.scan"(%x) <{axis = -1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>) {
  // [tt.scan.C2]
  // expected-error @below {{region takes ('f32', 'i32'), but should take ('f32', 'f32')}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: i32):
    tt.scan.return %a : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @f(%x: tensor<4xf32>, %i: i32) {
  // [tt.scan.C3]
  // expected-error @below {{region returns ('i32'), but should return ('f32')}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-note @below {{returned here}}
    tt.scan.return %i : i32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}
