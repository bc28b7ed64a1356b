# What is wrong with a signature. The kernel is add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr).

# Too short and too long: what each parameter would need.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64,64"
# $ tessera compile add.py --kernel-name add_kernel --signature ""
# $ tessera compile add.py --kernel-name add_kernel

# Types that do not exist.
# $ tessera compile add.py --kernel-name add_kernel --signature "*float,*fp32,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp31,*fp32,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "fp32*,*fp32,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,int,64"

# Empty and blank entries.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64,"

# Hints that do not exist.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32:8,*fp32,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32:x,*fp32,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32:1,*fp32,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32:,*fp32,*fp32,i32,64"

# A type where the kernel needs a constant, a constant where it takes a value.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,i32"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,*fp32"
# $ tessera compile add.py --kernel-name add_kernel --signature "64,*fp32,*fp32,i32,64"

# A constant that no block can have.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,100"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,0"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,-64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,2097152"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,1.5"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,99999999999999999999"

# A scalar where the kernel reads memory, a pointer where it counts.
# $ tessera compile add.py --kernel-name add_kernel --signature "fp32,*fp32,*fp32,i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,*i32,64"
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,fp32,64"
