// RUN: tessera-opt --test-axis-info %s 2>&1 >/dev/null | FileCheck %s

// What is known of a vector add's indices, addresses and mask. Beside each op, its remark.

module {
  tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                      %n: i32 {tt.divisibility = 16 : i32}, %m: i32) {
    // CHECK: argument 0 in tt.func: contiguity = [1], divisibility = [16], constancy = [1], constant_value = <none>
    // CHECK: argument 1 in tt.func: contiguity = [1], divisibility = [16]
    // CHECK: argument 2 in tt.func: contiguity = [1], divisibility = [1]
    // CHECK: arith.constant: contiguity = [1], divisibility = [1024], constancy = [1], constant_value = 1024
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    // CHECK: arith.muli: contiguity = [1], divisibility = [1024], constancy = [1]
    %base = arith.muli %pid, %c1024 : i32
    // CHECK: tt.make_range: contiguity = [1024], divisibility = [4611686018427387904], constancy = [1]
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    // CHECK: tt.splat: contiguity = [1], divisibility = [1024], constancy = [1024]
    %splat = tt.splat %base : i32 -> tensor<1024xi32>
    // CHECK: arith.addi: contiguity = [1024], divisibility = [1024], constancy = [1]
    %offsets = arith.addi %splat, %range : tensor<1024xi32>
    // CHECK: tt.splat: contiguity = [1], divisibility = [16], constancy = [1024]
    %bound = tt.splat %n : i32 -> tensor<1024xi32>
    // CHECK: arith.cmpi: contiguity = [1], divisibility = [1], constancy = [16]
    %mask = arith.cmpi slt, %offsets, %bound : tensor<1024xi32>
    // A bound of which nothing is known cuts anywhere.
    // CHECK: tt.splat: contiguity = [1], divisibility = [1], constancy = [1024]
    %free = tt.splat %m : i32 -> tensor<1024xi32>
    // CHECK: arith.cmpi: contiguity = [1], divisibility = [1], constancy = [1],
    %ragged = arith.cmpi slt, %offsets, %free : tensor<1024xi32>
    // CHECK: tt.splat: contiguity = [1], divisibility = [16], constancy = [1024]
    %pointers = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    // CHECK: tt.addptr: contiguity = [1024], divisibility = [16], constancy = [1]
    %addresses = tt.addptr %pointers, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    // CHECK: tt.load: contiguity = [1], divisibility = [1], constancy = [1]
    %v = tt.load %addresses, %mask : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
