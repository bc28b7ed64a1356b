// RUN: tessera-opt --cpu-find-sorting-networks --split-input-file %s | FileCheck %s

// Sorting four floats: three steps, of which the first turns at bit 1.

// CHECK-LABEL: tt.func public @floats(
// CHECK-NOT: tt.reduce
// CHECK: %[[X:.*]] = tt.reshape %{{.*}} : tensor<4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: ttc.exchange %[[X]] {bits = array<i32: 0, 1, 0>, downs = array<i1: false, false, false>, turns = array<i32: 1, 2, 2>} : tensor<2x2xf32>
// CHECK-NOT: arith.select
tt.func public @floats(%p: tensor<4x!tt.ptr<f32>>) {
  %loaded = tt.load %p : tensor<4x!tt.ptr<f32>>
  %x = tt.reshape %loaded : tensor<4xf32> -> tensor<2x2xf32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %column = tt.reshape %range : tensor<2xi32> -> tensor<2x1xi32>
  %row = tt.reshape %range : tensor<2xi32> -> tensor<1x2xi32>
  %bit1 = tt.broadcast %column : tensor<2x1xi32> -> tensor<2x2xi32>
  %bit0 = tt.broadcast %row : tensor<1x2xi32> -> tensor<2x2xi32>
  %bits = tt.bitcast %x : tensor<2x2xf32> -> tensor<2x2xi32>
  %sum = "tt.reduce"(%bits) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %tall = tt.expand_dims %sum {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %both = tt.broadcast %tall : tensor<2x1xi32> -> tensor<2x2xi32>
  %other = arith.xori %bits, %both : tensor<2x2xi32>
  %partner = tt.bitcast %other : tensor<2x2xi32> -> tensor<2x2xf32>
  %gt = arith.cmpf ogt, %x, %partner : tensor<2x2xf32>
  %direction = arith.xori %bit1, %bit0 : tensor<2x2xi32>
  %gti = arith.extui %gt : tensor<2x2xi1> to tensor<2x2xi32>
  %ne = arith.cmpi ne, %gti, %direction : tensor<2x2xi32>
  %y = arith.select %ne, %partner, %x : tensor<2x2xi1>, tensor<2x2xf32>

  %bits1 = tt.bitcast %y : tensor<2x2xf32> -> tensor<2x2xi32>
  %sum1 = "tt.reduce"(%bits1) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %wide1 = tt.expand_dims %sum1 {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %both1 = tt.broadcast %wide1 : tensor<1x2xi32> -> tensor<2x2xi32>
  %other1 = arith.xori %bits1, %both1 : tensor<2x2xi32>
  %partner1 = tt.bitcast %other1 : tensor<2x2xi32> -> tensor<2x2xf32>
  %gt1 = arith.cmpf ogt, %y, %partner1 : tensor<2x2xf32>
  %gti1 = arith.extui %gt1 : tensor<2x2xi1> to tensor<2x2xi32>
  %ne1 = arith.cmpi ne, %gti1, %bit1 : tensor<2x2xi32>
  %z = arith.select %ne1, %partner1, %y : tensor<2x2xi1>, tensor<2x2xf32>

  %bits2 = tt.bitcast %z : tensor<2x2xf32> -> tensor<2x2xi32>
  %sum2 = "tt.reduce"(%bits2) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<2x2xi32>) -> tensor<2xi32>
  %tall2 = tt.expand_dims %sum2 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %both2 = tt.broadcast %tall2 : tensor<2x1xi32> -> tensor<2x2xi32>
  %other2 = arith.xori %bits2, %both2 : tensor<2x2xi32>
  %partner2 = tt.bitcast %other2 : tensor<2x2xi32> -> tensor<2x2xf32>
  %gt2 = arith.cmpf ogt, %z, %partner2 : tensor<2x2xf32>
  %gti2 = arith.extui %gt2 : tensor<2x2xi1> to tensor<2x2xi32>
  %ne2 = arith.cmpi ne, %gti2, %bit0 : tensor<2x2xi32>
  %w = arith.select %ne2, %partner2, %z : tensor<2x2xi1>, tensor<2x2xf32>
  %sorted = tt.reshape %w : tensor<2x2xf32> -> tensor<4xf32>
  tt.store %p, %sorted : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

// A cube of one axis: the reduction is a scalar. The constant sorts downwards.

// CHECK-LABEL: tt.func public @unsigned_pair_downwards(
// CHECK: ttc.exchange %{{.*}} {bits = array<i32: 0>, downs = array<i1: true>, isUnsigned, turns = array<i32: 1>} : tensor<2xi8>
tt.func public @unsigned_pair_downwards(%p: tensor<2x!tt.ptr<i8>>) {
  %x = tt.load %p : tensor<2x!tt.ptr<i8>>
  %one = arith.constant dense<1> : tensor<2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i8, %b: i8):
    %r = arith.xori %a, %b : i8
    tt.reduce.return %r : i8
  }) : (tensor<2xi8>) -> i8
  %both = tt.splat %sum : i8 -> tensor<2xi8>
  %partner = arith.xori %x, %both : tensor<2xi8>
  %gt = arith.cmpi ugt, %x, %partner : tensor<2xi8>
  %direction = arith.xori %range, %one : tensor<2xi32>
  %gti = arith.extui %gt : tensor<2xi1> to tensor<2xi32>
  %ne = arith.cmpi ne, %gti, %direction : tensor<2xi32>
  %y = arith.select %ne, %partner, %x : tensor<2xi1>, tensor<2xi8>
  tt.store %p, %y : tensor<2x!tt.ptr<i8>>
  tt.return
}

// -----

// The first result is stored as well: two ops.

// CHECK-LABEL: tt.func public @used_between(
// CHECK: %[[ONCE:.*]] = ttc.exchange %{{.*}} {bits = array<i32: 0>, downs = array<i1: false>
// CHECK: tt.store %{{.*}}, %[[ONCE]]
// CHECK: ttc.exchange %[[ONCE]] {bits = array<i32: 0>, downs = array<i1: true>
tt.func public @used_between(%p: tensor<2x!tt.ptr<i32>>) {
  %x = tt.load %p : tensor<2x!tt.ptr<i32>>
  %one = arith.constant dense<1> : tensor<2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %sum = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<2xi32>) -> i32
  %both = tt.splat %sum : i32 -> tensor<2xi32>
  %partner = arith.xori %both, %x : tensor<2xi32>
  %gt = arith.cmpi sgt, %x, %partner : tensor<2xi32>
  %gti = arith.extui %gt : tensor<2xi1> to tensor<2xi32>
  %ne = arith.cmpi ne, %gti, %range : tensor<2xi32>
  %y = arith.select %ne, %partner, %x : tensor<2xi1>, tensor<2xi32>
  tt.store %p, %y : tensor<2x!tt.ptr<i32>>
  %sum1 = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<2xi32>) -> i32
  %both1 = tt.splat %sum1 : i32 -> tensor<2xi32>
  %partner1 = arith.xori %y, %both1 : tensor<2xi32>
  %gt1 = arith.cmpi sgt, %y, %partner1 : tensor<2xi32>
  %direction1 = arith.xori %range, %one : tensor<2xi32>
  %gti1 = arith.extui %gt1 : tensor<2xi1> to tensor<2xi32>
  %ne1 = arith.cmpi ne, %gti1, %direction1 : tensor<2xi32>
  %z = arith.select %ne1, %partner1, %y : tensor<2xi1>, tensor<2xi32>
  tt.store %p, %z : tensor<2x!tt.ptr<i32>>
  tt.return
}

// -----

// Declines: the sum is no exclusive or; the comparison is another; the axis has
// four elements; the direction does not contain the bit itself.

// CHECK-LABEL: tt.func public @declines(
// CHECK-NOT: ttc.exchange
// CHECK: tt.return
tt.func public @declines(%p: tensor<2x!tt.ptr<i32>>, %q: tensor<4x!tt.ptr<i32>>) {
  %x = tt.load %p : tensor<2x!tt.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %range = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %or = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.ori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<2xi32>) -> i32
  %ors = tt.splat %or : i32 -> tensor<2xi32>
  %no = arith.xori %x, %ors : tensor<2xi32>
  %gt = arith.cmpi sgt, %x, %no : tensor<2xi32>
  %gti = arith.extui %gt : tensor<2xi1> to tensor<2xi32>
  %ne = arith.cmpi ne, %gti, %range : tensor<2xi32>
  %y = arith.select %ne, %no, %x : tensor<2xi1>, tensor<2xi32>
  tt.store %p, %y : tensor<2x!tt.ptr<i32>>

  %xor = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<2xi32>) -> i32
  %xors = tt.splat %xor : i32 -> tensor<2xi32>
  %partner = arith.xori %x, %xors : tensor<2xi32>
  %ge = arith.cmpi sge, %x, %partner : tensor<2xi32>
  %gei = arith.extui %ge : tensor<2xi1> to tensor<2xi32>
  %ne1 = arith.cmpi ne, %gei, %range : tensor<2xi32>
  %y1 = arith.select %ne1, %partner, %x : tensor<2xi1>, tensor<2xi32>
  tt.store %p, %y1 : tensor<2x!tt.ptr<i32>>

  %gt2 = arith.cmpi sgt, %x, %partner : tensor<2xi32>
  %gti2 = arith.extui %gt2 : tensor<2xi1> to tensor<2xi32>
  %ne2 = arith.cmpi ne, %gti2, %zero : tensor<2xi32>
  %y2 = arith.select %ne2, %partner, %x : tensor<2xi1>, tensor<2xi32>
  tt.store %p, %y2 : tensor<2x!tt.ptr<i32>>

  %four = tt.load %q : tensor<4x!tt.ptr<i32>>
  %places = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %all = "tt.reduce"(%four) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    tt.reduce.return %r : i32
  }) : (tensor<4xi32>) -> i32
  %alls = tt.splat %all : i32 -> tensor<4xi32>
  %rest = arith.xori %four, %alls : tensor<4xi32>
  %gt3 = arith.cmpi sgt, %four, %rest : tensor<4xi32>
  %gti3 = arith.extui %gt3 : tensor<4xi1> to tensor<4xi32>
  %ne3 = arith.cmpi ne, %gti3, %places : tensor<4xi32>
  %y3 = arith.select %ne3, %rest, %four : tensor<4xi1>, tensor<4xi32>
  tt.store %q, %y3 : tensor<4x!tt.ptr<i32>>
  tt.return
}
