#: Arguments of `tessera run` that do not fit the kernel's parameters.
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)

# % scale() { tessera run arguments.py --kernel-name scale --signature "*fp32,fp32,i32,64" --grid 1 --device cpu "$@"; }
# % scale8() { tessera run arguments.py --kernel-name scale --signature "*i8,i32,i32,64" --grid 1 --device cpu "$@"; }

# Arguments that are missing, unknown, given twice, or constants.
# $ scale
# | tessera: error: --arg x_ptr: missing; give it as --arg x_ptr=zeros:SHAPE
# = 2
# $ scale --arg x_ptr=zeros:64 --arg n=64
# | tessera: error: --arg factor: missing; give it as --arg factor=NUMBER
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --arg m=3
# | tessera: error: --arg m: 'scale' has no such parameter; it has x_ptr, factor, n
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --arg n=63
# | tessera: error: --arg n: given twice
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --arg BLOCK=64
# | tessera: error: --arg BLOCK: fixed to 64 by the signature
# = 2

# Not NAME=SPEC.
# $ scale --arg x_ptr
# | tessera: error: --arg: 'x_ptr' is not NAME=SPEC
# = 2
# $ scale --arg =zeros:64
# | tessera: error: --arg: '=zeros:64' is not NAME=SPEC
# = 2
# $ scale --arg x_ptr=
# | tessera: error: --arg: 'x_ptr=' is not NAME=SPEC
# = 2
# $ scale --arg
# | tessera: error: --arg needs a value: --arg NAME=SPEC
# = 2

# A scalar for a pointer, an array for a scalar, text for a number.
# $ scale --arg x_ptr=64 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: '64' is no array; a pointer takes zeros:SHAPE, empty:SHAPE, arange:SHAPE, rand:SHAPE, randn:SHAPE, randint:LO:HI:SHAPE or @file.npy
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=zeros:64 --arg n=64
# | tessera: error: --arg factor: 'zeros:64' is an array, and fp32 is a single value
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=two --arg n=64
# | tessera: error: --arg factor: 'two' is not a number
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=1.5
# | tessera: error: --arg n: '1.5' is not an integer, which i32 needs
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=2147483648
# | tessera: error: --arg n: 2147483648 does not fit i32 (-2147483648 to 2147483647)
# = 2
# $ tessera run arguments.py --kernel-name scale --signature "*fp32,fp32,i8,64" --grid 1 --device cpu --arg x_ptr=zeros:64 --arg factor=2 --arg n=-129
# | tessera: error: --arg n: -129 does not fit i8 (-128 to 127)
# = 2

# Generators and shapes.
# $ scale --arg x_ptr=ones:64 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: 'ones:64' is no array; a pointer takes zeros:SHAPE, empty:SHAPE, arange:SHAPE, rand:SHAPE, randn:SHAPE, randint:LO:HI:SHAPE or @file.npy
# = 2
# $ scale --arg x_ptr=zeros --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: '' is not a shape such as 4096 or 4x64x28
# = 2
# $ scale --arg x_ptr=zeros: --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: '' is not a shape such as 4096 or 4x64x28
# = 2
# $ scale --arg x_ptr=zeros:-4 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: '-4' is not a shape such as 4096 or 4x64x28
# = 2
# $ scale --arg x_ptr=zeros:4x --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: '4x' is not a shape such as 4096 or 4x64x28
# = 2
# $ scale --arg x_ptr=zeros:4*16 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: '4*16' is not a shape such as 4096 or 4x64x28
# = 2
# $ scale --arg x_ptr=zeros:9999999999999999999999 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: the shape 9999999999999999999999 has too many elements
# = 2
# $ scale --arg x_ptr=zeros:4000000000x4000000000x4000000000 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: the shape 4000000000x4000000000x4000000000 has too many elements
# = 2
# $ scale --arg x_ptr=randint:0:64 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: '' is not a shape such as 4096 or 4x64x28
# = 2
# $ scale8 --arg x_ptr=randint:0:1000:64 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: randint from 0 to 999 does not fit *i8
# = 2
# $ scale8 --arg x_ptr=randint:5:5:64 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: randint draws from LO <= value < HI, and 5:5 is empty
# = 2
# $ scale8 --arg x_ptr=randn:64 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: randn makes fractions, which *i8 cannot hold; use randint:LO:HI:SHAPE
# = 2
# $ scale8 --arg x_ptr=arange:1000 --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: arange counts to 999, which *i8 cannot hold
# = 2

# Array files: missing, a folder, not one, of another type, cut short.
# $ scale --arg x_ptr=@missing.npy --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: cannot read 'missing.npy': there is no such file
# = 2
# $ scale --arg x_ptr=@. --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: cannot read '.': it is a directory
# = 2
# $ scale --arg x_ptr=@add.py --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: cannot read 'add.py': it is not a .npy file
# = 2
# $ scale --arg x_ptr=@/dev/null --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: cannot read '/dev/null': it is not a .npy file
# = 2
# & python3 -c 'import numpy; numpy.save("x.npy", numpy.zeros(64))'
# $ scale --arg x_ptr=@x.npy --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: cannot read 'x.npy': it holds '<f8', and fp32 needs '<f4'; save x.astype(np.float32)
# = 2
# & python3 -c 'import numpy; numpy.save("x.npy", numpy.zeros(64, numpy.float32)); open("x.npy", "r+b").truncate(200)'
# $ scale --arg x_ptr=@x.npy --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: cannot read 'x.npy': it is cut short: 256 bytes of data are announced and 72 bytes are there
# = 2
# & python3 -c 'import numpy; numpy.save("x.npy", numpy.zeros((8, 8), numpy.float32).T.copy("F"))'
# $ scale --arg x_ptr=@x.npy --arg factor=2 --arg n=64
# | tessera: error: --arg x_ptr: cannot read 'x.npy': it is in Fortran order; save np.ascontiguousarray(x)
# = 2

# Saving: an argument that does not exist, a scalar, a folder that does not exist.
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save y_ptr=y.npy
# | tessera: error: --save y_ptr: not an array of 'scale'; it has x_ptr
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save n=n.npy
# | tessera: error: --save n: not an array of 'scale'; it has x_ptr
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save x_ptr
# | tessera: error: --save: 'x_ptr' is not NAME=FILE.npy
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save x_ptr=
# | tessera: error: --save: 'x_ptr=' is not NAME=FILE.npy
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save x_ptr=missing/x.npy
# | tessera: error: --save x_ptr: cannot write 'missing/x.npy': there is no folder 'missing'
# = 1

# Numbers of repetitions and seeds.
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --time 0
# | tessera: error: --time: a whole number from 1 to 1000000, not '0'
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --time soon
# | tessera: error: --time: a whole number from 1 to 1000000, not 'soon'
# = 2
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --seed -1
# | tessera: error: --seed: a whole number from 0 to 18446744073709551615, not '-1'
# = 2
