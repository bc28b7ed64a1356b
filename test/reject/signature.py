# What is wrong with a signature. The kernel is add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr).
# % compile() { tessera compile add.py --kernel-name add_kernel "$@"; }

# Too short and too long: what each parameter would need.
# $ compile --signature "*fp32,*fp32,*fp32,i32"
# $ compile --signature "*fp32"
# $ compile --signature "*fp32,*fp32,*fp32,i32,64,64"
# $ compile --signature ""
# $ compile

# Types that do not exist.
# $ compile --signature "*float,*fp32,*fp32,i32,64"
# $ compile --signature "*fp31,*fp32,*fp32,i32,64"
# $ compile --signature "fp32*,*fp32,*fp32,i32,64"
# $ compile --signature "*fp32,*fp32,*fp32,int,64"

# Empty and blank entries.
# $ compile --signature "*fp32,,*fp32,i32,64"
# $ compile --signature "*fp32,*fp32,*fp32,i32,64,"

# Hints that do not exist.
# $ compile --signature "*fp32:8,*fp32,*fp32,i32,64"
# $ compile --signature "*fp32:x,*fp32,*fp32,i32,64"
# $ compile --signature "*fp32:1,*fp32,*fp32,i32,64"
# $ compile --signature "*fp32:,*fp32,*fp32,i32,64"

# A type where the kernel needs a constant, a constant where it takes a value.
# $ compile --signature "*fp32,*fp32,*fp32,i32,i32"
# $ compile --signature "*fp32,*fp32,*fp32,i32,*fp32"
# $ compile --signature "64,*fp32,*fp32,i32,64"

# A constant that no block can have.
# $ compile --signature "*fp32,*fp32,*fp32,i32,100"
# $ compile --signature "*fp32,*fp32,*fp32,i32,0"
# $ compile --signature "*fp32,*fp32,*fp32,i32,-64"
# $ compile --signature "*fp32,*fp32,*fp32,i32,2097152"
# $ compile --signature "*fp32,*fp32,*fp32,i32,1.5"
# $ compile --signature "*fp32,*fp32,*fp32,i32,99999999999999999999"

# A scalar where the kernel reads memory, a pointer where it counts.
# $ compile --signature "fp32,*fp32,*fp32,i32,64"
# $ compile --signature "*fp32,*fp32,*fp32,*i32,64"
# $ compile --signature "*fp32,*fp32,*fp32,fp32,64"
