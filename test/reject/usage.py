# The command line itself.
# % compile() { tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" "$@"; }
# $ tessera frobnicate
# $ tessera compil add.py
# $ tessera --frobnicate

# Flags: unknown, one letter off, without a value, twice, of another command.
# $ compile --frobnicate
# $ tessera compile add.py --kernel-nam add_kernel --signature "*fp32,*fp32,*fp32,i32,64"
# $ tessera compile add.py --signature "*fp32,*fp32,*fp32,i32,64" --kernel-name
# $ compile --kernel-name add_kernel
# $ compile --save x=y.npy
# $ tessera run
# $ tessera compile
# $ tessera compile add.py add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64"

# Numbers that are none, or out of range.
# $ compile --num-warps four
# $ compile --num-warps 0
# $ compile --num-warps 3
# $ compile --num-warps 64
# $ compile --num-warps -4
# $ compile --num-warps 99999999999999999999
# $ compile --num-stages 0
# $ compile --num-ctas 0

# Targets.
# $ compile --target cuda
# $ compile --target cuda:91
# $ compile --target cuda:ninety
# $ compile --target tpu
# $ compile --target hip:gfx942
# $ compile --target ""

# What to emit, and where to.
# $ compile --emit sass
# $ compile --emit ""
# $ compile --emit ttir,
# $ compile --emit obj --target cuda:90
# $ compile --emit ptx --target cpu
# $ compile --emit ttir,ptx -o -
# $ compile --emit ttir -o missing/folder/add
# $ compile --emit ttir -o add.py/add

# Devices.
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1 --device gpu --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1 --device cuda:99 --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64

# Output that cannot be written.
# $ compile --emit ttir -o - > /dev/full
