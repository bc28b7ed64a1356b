// Encodings, buffers and module attributes that the ttg dialect rejects. Each case cites the rule
// that it breaks; those without a rule are malformed text.
//
// RUN: tessera-opt %s -split-input-file -verify-diagnostics

// [ttg.cga_layout.C1]
// expected-error @below {{expected 'CGALayout' to be a list of vectors of 2 numbers}}
#x = #ttg.cga_layout<{rank = 2, CGALayout = [[1]]}>

// -----

// [ttg.cga_layout.C2]
// expected-error @below {{CGALayout leaves out some parts of the tensor}}
#x = #ttg.cga_layout<{rank = 2, CGALayout = [[2, 0]]}>

// -----

// [ttg.cga_layout.C2]
// expected-error @below {{CGALayout component 2147483647 is out of range}}
#x = #ttg.cga_layout<{rank = 1, CGALayout = [[2147483647]]}>

// -----

// [ttg.blocked.C1]
// expected-error @below {{sizePerThread has 3, which is not a power of two}}
#x = #ttg.blocked<{sizePerThread = [3], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// [ttg.blocked.C1]
// expected-error @below {{sizePerThread has 0, which is not a power of two}}
#x = #ttg.blocked<{sizePerThread = [0], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// [ttg.blocked.C1]
// expected-error @below {{threadsPerWarp multiplies to 2^30, which is above 2^6}}
#x = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [1073741824], warpsPerCTA = [4], order = [0]}>

// -----

// [ttg.blocked.C1]
// expected-error @below {{warpsPerCTA has 2 entries for rank 1}}
#x = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4, 1], order = [0]}>

// -----

// [ttg.blocked.C1]
// expected-error @below {{order [1, 1] is not a permutation of 0 to 1}}
#x = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 1]}>

// -----

// [ttg.blocked.C1]
// expected-error @below {{rank 0 is not between 1 and 64}}
#x = #ttg.blocked<{sizePerThread = [], threadsPerWarp = [], warpsPerCTA = [], order = []}>

// -----

// expected-error @below {{expected 'order' to be a list of numbers from 0 to 2147483647}}
#x = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4]}>

// -----

// expected-error @below {{expected 'order' to be a list of numbers from 0 to 2147483647}}
#x = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [-1]}>

// -----

// expected-error @below {{expected 'order' to be a list of numbers from 0 to 2147483647}}
#x = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = 0}>

// -----

// expected-error @below {{expected 'sizePerThread' to be a list of numbers from 0 to 2147483647}}
#x = #ttg.blocked<{sizePerThread = [99999999999], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @below {{expected 'sizePerThread' to be a list of numbers from 0 to 2147483647}}
#x = #ttg.blocked<{sizePerThread = [true], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// -----

// expected-error @below {{unexpected field 'CTAOrder'}}
#x = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CTAOrder = [0]}>

// -----

// expected-error @below {{expected attribute value}}
#x = #ttg.blocked<sizePerThread>

// -----

// expected-error @below {{unknown attribute `blokked` in dialect `ttg`}}
#x = #ttg.blokked<{}>

// -----

// [ttg.slice.C1]
// expected-error @below {{cannot slice a layout of rank 1}}
#x = #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>}>

// -----

// [ttg.slice.C2]
// expected-error @below {{dim 2 is not below the parent's rank 2}}
#x = #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>}>

// -----

// expected-error @below {{expected 'parent' to be a layout over threads}}
#x = #ttg.slice<{dim = 0, parent = #ttg.shared_memory}>

// -----

// [ttg.linear.C1]
// expected-error @below {{expected basis vectors of 1 to 64 numbers}}
#x = #ttg.linear<{register = [], lane = [], warp = [], block = []}>

// -----

// [ttg.linear.C2]
// expected-error @below {{expected basis vectors of 2 numbers, and at most 62 bits in all}}
#x = #ttg.linear<{register = [[0, 1], [0]], lane = [], warp = [], block = []}>

// -----

// [ttg.linear.C3]
// expected-error @below {{basis 0 of register moves along more than one dimension}}
#x = #ttg.linear<{register = [[1, 1]], lane = [[0, 1]], warp = [], block = []}>

// -----

// [ttg.linear.C3]
// expected-error @below {{the bases do not reach every element}}
#x = #ttg.linear<{register = [[2]], lane = [], warp = [], block = []}>

// -----

// expected-error @below {{expected 'block' to be a list of lists of numbers}}
#x = #ttg.linear<{register = [[1]], lane = [], warp = []}>

// -----

// [ttg.nvidia_mma.C1]
// expected-error @below {{nvidia_mma version 4 has no layout here}}
#x = #ttg.nvidia_mma<{versionMajor = 4, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>

// -----

// [ttg.nvidia_mma.C1]
// expected-error @below {{of mma.sync is not [.., 16, 8]}}
#x = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 16]}>

// -----

// [ttg.nvidia_mma.C1]
// expected-error @below {{instrShape has 2 entries}}
#x = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64]}>

// -----

// [ttg.dot_op.C1]
// expected-error @below {{opIdx 2 is neither 0 nor 1}}
#x = #ttg.dot_op<{opIdx = 2, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>

// -----

// [ttg.dot_op.C2]
// expected-error @below {{kWidth 2 with a blocked parent, which has none}}
#x = #ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = [1, 0]}>, kWidth = 2}>

// -----

// [ttg.dot_op.C2]
// expected-error @below {{a dot operand needs a parent of rank 2 or more}}
#x = #ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>}>

// -----

// [ttg.dot_op.C3]
// expected-error @below {{kWidth 0 is not a power of two from 1 to 64}}
#x = #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>}>

// -----

// [ttg.dot_op.C3]
// expected-error @below {{wgmma takes only operand 0 from registers}}
#x = #ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>, kWidth = 2}>

// -----

// [ttg.dot_op.C4]
// expected-error @below {{kWidth 4 with WMMA version 1 is not one of 8, 16}}
#x = #ttg.dot_op<{opIdx = 0, parent = #ttg.amd_wmma<{version = 1, isTranspose = true, warpsPerCTA = [2, 1]}>, kWidth = 4}>

// -----

// [ttg.dot_op.C4]
// expected-error @below {{kWidth 0 is not a power of two from 1 to 64}}
#x = #ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>}>

// -----

// [ttg.dot_op.C5]
// expected-error @below {{the parent of a dot operand is blocked or of a matrix unit}}
#x = #ttg.dot_op<{opIdx = 0, parent = #ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>, kWidth = 2}>

// -----

// [ttg.amd_mfma.C1]
// expected-error @below {{MFMA version 9 is not in [0, 4]}}
#x = #ttg.amd_mfma<{version = 9, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>

// -----

// [ttg.amd_mfma.C2]
// expected-error @below {{is not [M, N, K] with M x N among}}
#x = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 32, 8], isTransposed = true}>

// -----

// [ttg.amd_mfma.C3]
// expected-error @below {{elementBitWidth 16 is neither 32 nor 64}}
#x = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 8], isTransposed = true, elementBitWidth = 16}>

// -----

// [ttg.amd_mfma.C4]
// expected-error @below {{a matrix unit's layout has rank 2 or 3, not 1}}
#x = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2], instrShape = [16, 16, 8], isTransposed = true}>

// -----

// [ttg.amd_mfma.C4]
// expected-error @below {{tilesPerWarp [1] is not 2 powers of two}}
#x = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 8], isTransposed = true, tilesPerWarp = [1]}>

// -----

// [ttg.amd_wmma.C1]
// expected-error @below {{WMMA version 0 is not in [1, 3]}}
#x = #ttg.amd_wmma<{version = 0, isTranspose = false, warpsPerCTA = [2, 1]}>

// -----

// [ttg.amd_wmma.C2]
// expected-error @below {{instrShape [16, 16, 32] is not one of WMMA version 1}}
#x = #ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [2, 1], instrShape = [16, 16, 32]}>

// -----

// [ttg.amd_wmma.C3]
// expected-error @below {{warpsPerCTA has 3, which is not a power of two}}
#x = #ttg.amd_wmma<{version = 2, isTranspose = false, warpsPerCTA = [3, 1]}>

// -----

// [ttg.swizzled_shared.C1]
// expected-error @below {{vec 3 is not a power of two up to 2^20}}
#x = #ttg.swizzled_shared<{vec = 3, perPhase = 1, maxPhase = 1, order = [0]}>

// -----

// [ttg.swizzled_shared.C1]
// expected-error @below {{maxPhase 0 is not a power of two up to 2^20}}
#x = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 0, order = [0]}>

// -----

// [ttg.amd_rotating_shared.C1]
// expected-error @below {{order [1] is not a permutation}}
#x = #ttg.amd_rotating_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1]}>

// -----

// [ttg.nvmma_shared.C1]
// expected-error @below {{swizzlingByteWidth 48 is not 0, 32, 64 or 128}}
#x = #ttg.nvmma_shared<{swizzlingByteWidth = 48, transposed = false, elementBitWidth = 16}>

// -----

// [ttg.nvmma_shared.C1]
// expected-error @below {{elementBitWidth 12 is not 8, 16, 32 or 64}}
#x = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 12}>

// -----

// [ttg.nvmma_shared.C1]
// expected-error @below {{a transposed nvmma layout has rank 2, not 3}}
#x = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16, rank = 3}>

// -----

// [ttg.nvmma_shared.C1]
// expected-error @below {{rank 0 is not between 1 and 64}}
#x = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 0}>

// -----

// expected-error @below {{expected 'transposed' to be true or false}}
#x = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = 1, elementBitWidth = 16}>

// -----

// [ttg.shared_linear.C1]
// expected-error @below {{alignment 3 is not a power of two}}
#x = #ttg.shared_linear<{offset = [[1]]}, alignment = 3>

// -----

// [ttg.shared_linear.C2]
// expected-error @below {{the bases do not reach every element exactly once}}
#x = #ttg.shared_linear<{offset = [[1], [1]]}, alignment = 16>

// -----

// [ttg.padded_shared.C1]
// expected-error @below {{at least one interval}}
#x = #ttg.padded_shared<[] {order = [0], shape = [4]}>

// -----

// [ttg.padded_shared.C2]
// expected-error @below {{interval or padding 3 is not a power of two}}
#x = #ttg.padded_shared<[4:+3] {order = [0], shape = [4]}>

// -----

// [ttg.padded_shared.C3]
// expected-error @below {{interval 4 occurs twice}}
#x = #ttg.padded_shared<[4:+1, 4:+2] {order = [0], shape = [4]}>

// -----

// [ttg.padded_shared.C4]
// expected-error @below {{the bases do not reach every element exactly once}}
#x = #ttg.padded_shared<[4:+1] {offset = [[2]], block = []}>

// -----

// [ttg.padded_shared.C4]
// expected-error @below {{a padded layout has no zero bases}}
#x = #ttg.padded_shared<[4:+1] {offset = [[1], [0]], block = []}>

// -----

// [ttg.padded_shared.C5]
// expected-error @below {{offset basis 1 moves along more than one dimension}}
#x = #ttg.padded_shared<[4:+1] {offset = [[0, 1], [1, 1]], block = []}>

// -----

// [ttg.padded_shared.C6]
// expected-error @below {{size 3 of dimension 0 is not a power of two}}
#x = #ttg.padded_shared<[4:+1] {order = [0], shape = [3]}>

// -----

// [ttg.padded_shared.C6]
// expected-error @below {{the layout has rank 1 and the tensor rank 2}}
#x = #ttg.padded_shared<[4:+1] {order = [0], shape = [4, 4]}>

// -----

// [ttg.memdesc.C1]
// expected-error @below {{a buffer needs rank 1 or more}}
tt.func private @f(!ttg.memdesc<f16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory>)

// -----

// [ttg.memdesc.C2]
// expected-error @below {{a buffer holds integers, floats or pointers, not 'index'}}
tt.func private @f(!ttg.memdesc<4xindex, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory>)

// -----

// [ttg.memdesc.C3]
// expected-error @below {{a buffer needs a shared-memory encoding, not 3}}
tt.func private @f(!ttg.memdesc<4xf16, 3, #ttg.shared_memory>)

// -----

// [ttg.memdesc.C4]
// expected-error @below {{a buffer lies in #ttg.shared_memory, not in 3}}
tt.func private @f(!ttg.memdesc<4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, 3>)

// -----

// [ttg.memdesc.C5]
// expected-error @below {{an encoding of rank 1 on a buffer of rank 3}}
tt.func private @f(!ttg.memdesc<4x4x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory>)

// -----

// [ttg.memdesc.C6]
// expected-error @below {{a buffer of rank 1 has no view of rank 2}}
tt.func private @f(!ttg.memdesc<4x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, 4>)

// -----

// [ttg.memdesc.C6]
// expected-error @below {{a view of size 4 in a buffer of size 2}}
tt.func private @f(!ttg.memdesc<4x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, 4x2>)

// -----

// [ttg.memdesc.C7]
// expected-error @below {{size 3 of dimension 0 is not a power of two}}
tt.func private @f(!ttg.memdesc<3x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory>)

// -----

// [ttg.memdesc.C7]
// expected-error @below {{size 3 is not a power of two}}
tt.func private @f(!ttg.memdesc<3x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, 4x4>)

// -----

// [ttg.memdesc.C7]
// expected-error @below {{size 0 is not positive}}
tt.func private @f(!ttg.memdesc<0x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory>)

// -----

// [ttg.memdesc.C7]
// expected-error @below {{elements are more than 2^40}}
tt.func private @f(!ttg.memdesc<1099511627776x4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory>)

// -----

// [ttg.memdesc.C8]
// expected-error @below {{the encoding lays out [2], but the buffer is [4]}}
tt.func private @f(!ttg.memdesc<4xf16, #ttg.shared_linear<{offset = [[1]]}, alignment = 16>, #ttg.shared_memory>)

// -----

// [ttg.module.C1]
// expected-error @below {{'ttg.num-warps' must be a non-negative i32}}
module attributes {"ttg.num-warps" = "four"} {}

// -----

// [ttg.module.C1]
// expected-error @below {{'ttg.shared' must be a non-negative i32, but is -1}}
module attributes {ttg.shared = -1 : i32} {}

// -----

// [ttg.module.C1]
// expected-error @below {{'ttg.num-ctas' must be a non-negative i32}}
module attributes {"ttg.num-ctas" = 1 : i64} {}

// -----

// [ttg.module.C2]
// expected-error @below {{'ttg.num-warps' must be a power of two, but is 3}}
module attributes {"ttg.num-warps" = 3 : i32} {}

// -----

// [ttg.module.C3]
// expected-error @below {{'ttg.target' must be a string}}
module attributes {ttg.target = 90 : i32} {}
