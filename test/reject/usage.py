# The command line itself.
# $ tessera frobnicate
# $ tessera compil add.py
# $ tessera --frobnicate

# Flags: unknown, one letter off, without a value, twice, of another command.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --frobnicate
# $ tessera compile add.py --kernel-nam add_kernel --signature "*fp32,*fp32,*fp32,i32,64"
# $ tessera compile add.py --signature "*fp32,*fp32,*fp32,i32,64" --kernel-name
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --kernel-name add_kernel
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --save x=y.npy
# $ tessera run
# $ tessera compile
# $ tessera compile add.py add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64"

# Numbers that are none, or out of range.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-warps four
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-warps 0
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-warps 3
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-warps 64
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-warps -4
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-warps 99999999999999999999
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-stages 0
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --num-ctas 0

# Targets.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --target cuda
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --target cuda:91
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --target cuda:ninety
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --target tpu
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --target hip:gfx942
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --target ""

# What to emit, and where to.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit sass
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ""
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ttir,
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit obj --target cuda:90
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ptx --target cpu
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ttir,ptx -o -
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ttir -o missing/folder/add
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ttir -o add.py/add

# Devices.
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1 --device gpu --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1 --device cuda:99 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64

# Output that cannot be written.
# $ tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --emit ttir -o - > /dev/full
