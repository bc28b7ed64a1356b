# The vector add in TTIR: what Triton 3.6 prints for it, up to value names and locations.
# RUN: tessera compile %examples/add.py --kernel-name add_kernel --signature "*fp32:16,*fp32:16,*fp32:16,i32,1024" --emit ttir -o - | FileCheck %s

# CHECK-LABEL: tt.func public @add_kernel(
# CHECK-SAME:    %[[X:[a-z0-9_]+]]: !tt.ptr<f32> {tt.divisibility = 16 : i32}
# CHECK-SAME:    %[[Y:[a-z0-9_]+]]: !tt.ptr<f32> {tt.divisibility = 16 : i32}
# CHECK-SAME:    %[[OUT:[a-z0-9_]+]]: !tt.ptr<f32> {tt.divisibility = 16 : i32}
# CHECK-SAME:    %[[N:[a-z0-9_]+]]: i32
# CHECK-NOT:     tt.divisibility
# CHECK-SAME:    attributes {noinline = false}
# CHECK-NEXT:    %[[BLOCK:.+]] = arith.constant 1024 : i32
# CHECK-NEXT:    %[[PID:.+]] = tt.get_program_id x : i32
# CHECK-NEXT:    %[[START:.+]] = arith.muli %[[PID]], %[[BLOCK]] : i32
# CHECK-NEXT:    %[[RANGE:.+]] = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
# CHECK-NEXT:    %[[STARTS:.+]] = tt.splat %[[START]] : i32 -> tensor<1024xi32>
# CHECK-NEXT:    %[[OFFSETS:.+]] = arith.addi %[[STARTS]], %[[RANGE]] : tensor<1024xi32>
# CHECK-NEXT:    %[[LIMIT:.+]] = tt.splat %[[N]] : i32 -> tensor<1024xi32>
# CHECK-NEXT:    %[[MASK:.+]] = arith.cmpi slt, %[[OFFSETS]], %[[LIMIT]] : tensor<1024xi32>
# CHECK-NEXT:    %[[XS:.+]] = tt.splat %[[X]] : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
# CHECK-NEXT:    %[[XP:.+]] = tt.addptr %[[XS]], %[[OFFSETS]] : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
# CHECK-NEXT:    %[[XV:.+]] = tt.load %[[XP]], %[[MASK]] : tensor<1024x!tt.ptr<f32>>
# CHECK-NEXT:    %[[YS:.+]] = tt.splat %[[Y]] : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
# CHECK-NEXT:    %[[YP:.+]] = tt.addptr %[[YS]], %[[OFFSETS]] : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
# CHECK-NEXT:    %[[YV:.+]] = tt.load %[[YP]], %[[MASK]] : tensor<1024x!tt.ptr<f32>>
# CHECK-NEXT:    %[[SUM:.+]] = arith.addf %[[XV]], %[[YV]] : tensor<1024xf32>
# CHECK-NEXT:    %[[OS:.+]] = tt.splat %[[OUT]] : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
# CHECK-NEXT:    %[[OP:.+]] = tt.addptr %[[OS]], %[[OFFSETS]] : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
# CHECK-NEXT:    tt.store %[[OP]], %[[SUM]], %[[MASK]] : tensor<1024x!tt.ptr<f32>>
# CHECK-NEXT:    tt.return
