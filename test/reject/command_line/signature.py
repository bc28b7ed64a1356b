# What is wrong with a signature. The kernel is add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr).
# % compile() { tessera compile add.py --kernel-name add_kernel "$@"; }

# Too short and too long: what each parameter would need.
# $ compile --signature "*fp32,*fp32,*fp32,i32"
# | add.py:13:1: error: the signature has 4 entries and 'add_kernel' takes 5:
# |   1. x_ptr: a type, such as *fp32 or *fp16:16
# |   2. y_ptr: a type, such as *fp32 or *fp16:16
# |   3. output_ptr: a type, such as *fp32 or *fp16:16
# |   4. n_elements: a type, such as i32 or *fp32
# |   5. BLOCK_SIZE: a constant, such as 64   <- missing
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# | ^
# = 1
# $ compile --signature "*fp32"
# | add.py:13:1: error: the signature has 1 entry and 'add_kernel' takes 5:
# |   1. x_ptr: a type, such as *fp32 or *fp16:16
# |   2. y_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   3. output_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   4. n_elements: a type, such as i32 or *fp32   <- missing
# |   5. BLOCK_SIZE: a constant, such as 64   <- missing
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# | ^
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,64,64"
# | add.py:13:1: error: the signature has 6 entries and 'add_kernel' takes 5:
# |   1. x_ptr: a type, such as *fp32 or *fp16:16
# |   2. y_ptr: a type, such as *fp32 or *fp16:16
# |   3. output_ptr: a type, such as *fp32 or *fp16:16
# |   4. n_elements: a type, such as i32 or *fp32
# |   5. BLOCK_SIZE: a constant, such as 64
# |   6. 64   <- one too many
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# | ^
# = 1
# $ compile --signature ""
# | add.py:13:1: error: the signature has 0 entries and 'add_kernel' takes 5:
# |   1. x_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   2. y_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   3. output_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   4. n_elements: a type, such as i32 or *fp32   <- missing
# |   5. BLOCK_SIZE: a constant, such as 64   <- missing
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# | ^
# = 1
# $ compile
# | add.py:13:1: error: the signature has 0 entries and 'add_kernel' takes 5:
# |   1. x_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   2. y_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   3. output_ptr: a type, such as *fp32 or *fp16:16   <- missing
# |   4. n_elements: a type, such as i32 or *fp32   <- missing
# |   5. BLOCK_SIZE: a constant, such as 64   <- missing
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# | ^
# = 1

# Types that do not exist.
# $ compile --signature "*float,*fp32,*fp32,i32,64"
# | error: --signature: entry 1 '*float': not a type and not a constant; types are u1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e5 fp8e4nv fp8e4b15 fp8e4b8 fp8e5b16 fp16 bf16 fp32 fp64, each with * in front for a pointer; did you mean '*fp32'?
# = 1
# $ compile --signature "*fp31,*fp32,*fp32,i32,64"
# | error: --signature: entry 1 '*fp31': not a type and not a constant; types are u1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e5 fp8e4nv fp8e4b15 fp8e4b8 fp8e5b16 fp16 bf16 fp32 fp64, each with * in front for a pointer
# = 1
# $ compile --signature "fp32*,*fp32,*fp32,i32,64"
# | error: --signature: entry 1 'fp32*': not a type and not a constant; types are u1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e5 fp8e4nv fp8e4b15 fp8e4b8 fp8e5b16 fp16 bf16 fp32 fp64, each with * in front for a pointer; did you mean '*fp32'?
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,int,64"
# | error: --signature: entry 4 'int': not a type and not a constant; types are u1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e5 fp8e4nv fp8e4b15 fp8e4b8 fp8e5b16 fp16 bf16 fp32 fp64, each with * in front for a pointer; did you mean 'i32'?
# = 1

# Empty and blank entries.
# $ compile --signature "*fp32,,*fp32,i32,64"
# | error: --signature: entry 2 '': empty; each parameter needs a type or a constant
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,64,"
# | error: --signature: entry 6 '': empty; each parameter needs a type or a constant
# = 1

# Hints that do not exist.
# $ compile --signature "*fp32:8,*fp32,*fp32,i32,64"
# | error: --signature: entry 1 '*fp32:8': the hint after ':' is 16 (divisible by 16), or 1 (always 1) for an integer; for a pointer also S (its tensor has less than 2 GiB) or 16S
# = 1
# $ compile --signature "*fp32:x,*fp32,*fp32,i32,64"
# | error: --signature: entry 1 '*fp32:x': the hint after ':' is 16 (divisible by 16), or 1 (always 1) for an integer; for a pointer also S (its tensor has less than 2 GiB) or 16S
# = 1
# $ compile --signature "*fp32:1,*fp32,*fp32,i32,64"
# | error: --signature: entry 1 '*fp32:1': the hint after ':' is 16 (divisible by 16), or 1 (always 1) for an integer; for a pointer also S (its tensor has less than 2 GiB) or 16S
# = 1
# $ compile --signature "*fp32:,*fp32,*fp32,i32,64"
# | error: --signature: entry 1 '*fp32:': the hint after ':' is 16 (divisible by 16), or 1 (always 1) for an integer; for a pointer also S (its tensor has less than 2 GiB) or 16S
# = 1

# A type where the kernel needs a constant, a constant where it takes a value.
# $ compile --signature "*fp32,*fp32,*fp32,i32,i32"
# | add.py:13:54: error: 'BLOCK_SIZE' is a tl.constexpr: its signature entry is a constant such as 64, not the type 'i32'; a dtype is written tl.int32
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# |                                                      ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,*fp32"
# | add.py:13:54: error: 'BLOCK_SIZE' is a tl.constexpr: its signature entry is a constant such as 64, not the type '*fp32'
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# |                                                      ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile --signature "64,*fp32,*fp32,i32,64"
# | add.py:20:9: error: load takes a pointer or a block of pointers, not a block i32[64]; add the offsets to a pointer: array arguments are pointers
# |     x = tl.load(x_ptr + offsets, mask=mask)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | add.py:19:5: note: 'mask' is a block u1[64], from here
# = 1

# A constant that no block can have.
# $ compile --signature "*fp32,*fp32,*fp32,i32,100"
# | add.py:17:29: error: arange's length must be a power of two, got 100; next_power_of_2(100) is 128, with a mask for the rest
# |     offsets = block_start + tl.arange(0, BLOCK_SIZE)
# |                             ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,0"
# | add.py:17:29: error: arange needs end > start; got 0 and 0
# |     offsets = block_start + tl.arange(0, BLOCK_SIZE)
# |                             ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,-64"
# | add.py:17:29: error: arange needs end > start; got 0 and -64
# |     offsets = block_start + tl.arange(0, BLOCK_SIZE)
# |                             ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,2097152"
# | add.py:17:29: error: a block has at most 1048576 elements; shape [2097152] has more
# |     offsets = block_start + tl.arange(0, BLOCK_SIZE)
# |                             ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,1.5"
# | add.py:17:29: error: arange takes compile-time ints, not the float 1.5
# |     offsets = block_start + tl.arange(0, BLOCK_SIZE)
# |                             ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,i32,99999999999999999999"
# | add.py:16:19: error: the int 99999999999999999999 does not fit in 64 bits
# |     block_start = pid * BLOCK_SIZE
# |                   ^~~~~~~~~~~~~~~~
# | add.py:15:5: note: 'pid' is a run-time scalar i32, from here
# = 1

# A scalar where the kernel reads memory, a pointer where it counts.
# $ compile --signature "fp32,*fp32,*fp32,i32,64"
# | add.py:20:9: error: load takes a pointer or a block of pointers, not a block fp32[64]
# |     x = tl.load(x_ptr + offsets, mask=mask)
# |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# | add.py:19:5: note: 'mask' is a block u1[64], from here
# = 1
# $ compile --signature "*fp32,*fp32,*fp32,*i32,64"
# | add.py:19:12: error: operator '<' does not take a block i32[64] and a run-time scalar *i32; tl.load reads what a pointer points to, .to(tl.int64) gives its address
# |     mask = offsets < n_elements
# |            ^~~~~~~~~~~~~~~~~~~~
# | add.py:17:5: note: 'offsets' is a block i32[64], from here
# | add.py:13:42: note: 'n_elements' is a run-time scalar *i32, from here
# = 1
