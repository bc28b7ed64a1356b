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
# $ scale --arg x_ptr=zeros:64 --arg n=64
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --arg m=3
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --arg n=63
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --arg BLOCK=64

# Not NAME=SPEC.
# $ scale --arg x_ptr
# $ scale --arg =zeros:64
# $ scale --arg x_ptr=
# $ scale --arg

# A scalar for a pointer, an array for a scalar, text for a number.
# $ scale --arg x_ptr=64 --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros:64 --arg factor=zeros:64 --arg n=64
# $ scale --arg x_ptr=zeros:64 --arg factor=two --arg n=64
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=1.5
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=2147483648
# $ tessera run arguments.py --kernel-name scale --signature "*fp32,fp32,i8,64" --grid 1 --device cpu --arg x_ptr=zeros:64 --arg factor=2 --arg n=-129

# Generators and shapes.
# $ scale --arg x_ptr=ones:64 --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros: --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros:-4 --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros:4x --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros:4*16 --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros:9999999999999999999999 --arg factor=2 --arg n=64
# $ scale --arg x_ptr=zeros:4000000000x4000000000x4000000000 --arg factor=2 --arg n=64
# $ scale --arg x_ptr=randint:0:64 --arg factor=2 --arg n=64
# $ scale8 --arg x_ptr=randint:0:1000:64 --arg factor=2 --arg n=64
# $ scale8 --arg x_ptr=randint:5:5:64 --arg factor=2 --arg n=64
# $ scale8 --arg x_ptr=randn:64 --arg factor=2 --arg n=64
# $ scale8 --arg x_ptr=arange:1000 --arg factor=2 --arg n=64

# Array files: missing, a folder, not one, of another type, cut short.
# $ scale --arg x_ptr=@missing.npy --arg factor=2 --arg n=64
# $ scale --arg x_ptr=@. --arg factor=2 --arg n=64
# $ scale --arg x_ptr=@add.py --arg factor=2 --arg n=64
# $ scale --arg x_ptr=@/dev/null --arg factor=2 --arg n=64
# & python3 -c 'import numpy; numpy.save("x.npy", numpy.zeros(64))'
# $ scale --arg x_ptr=@x.npy --arg factor=2 --arg n=64
# & python3 -c 'import numpy; numpy.save("x.npy", numpy.zeros(64, numpy.float32)); open("x.npy", "r+b").truncate(200)'
# $ scale --arg x_ptr=@x.npy --arg factor=2 --arg n=64
# & python3 -c 'import numpy; numpy.save("x.npy", numpy.zeros((8, 8), numpy.float32).T.copy("F"))'
# $ scale --arg x_ptr=@x.npy --arg factor=2 --arg n=64

# Saving: an argument that does not exist, a scalar, a folder that does not exist.
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save y_ptr=y.npy
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save n=n.npy
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save x_ptr
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save x_ptr=
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --save x_ptr=missing/x.npy

# Numbers of repetitions and seeds.
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --time 0
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --time soon
# $ scale --arg x_ptr=zeros:64 --arg factor=2 --arg n=64 --seed -1
