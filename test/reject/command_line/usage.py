# The command line itself.
# % compile() { tessera compile add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" "$@"; }
# $ tessera frobnicate
# | tessera: error: unknown command 'frobnicate'; tessera --help lists them
# = 2
# $ tessera compil add.py
# | tessera: error: unknown command 'compil'; did you mean 'compile'?
# = 2
# $ tessera --frobnicate
# | tessera: error: unknown command '--frobnicate'; tessera --help lists them
# = 2

# Flags: unknown, one letter off, without a value, of another command.
# $ compile --frobnicate
# | tessera: error: unknown option '--frobnicate'; --help lists them
# = 2
# $ tessera compile add.py --kernel-nam add_kernel --signature "*fp32,*fp32,*fp32,i32,64"
# | tessera: error: unknown option '--kernel-nam'; did you mean --kernel-name?
# = 2
# $ tessera compile add.py --signature "*fp32,*fp32,*fp32,i32,64" --kernel-name
# | tessera: error: --kernel-name needs a value: --kernel-name NAME
# = 2
# $ compile --save x=y.npy
# | tessera: error: unknown option '--save'; --help lists them
# = 2
# $ tessera run
# | tessera: error: run needs a FILE; see tessera run --help
# = 2
# $ tessera compile
# | tessera: error: compile needs a FILE; see tessera compile --help
# = 2
# $ tessera compile add.py add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64"
# | tessera: error: compile takes one FILE, not 'add.py' too
# = 2

# Numbers that are none, or out of range.
# $ compile --num-warps four
# | tessera: error: --num-warps: a whole number, not 'four'
# = 2
# $ compile --num-warps 0
# | tessera: error: --num-warps: a power of two from 1 to 32, not 0
# = 2
# $ compile --num-warps 3
# | tessera: error: --num-warps: a power of two from 1 to 32, not 3
# = 2
# $ compile --num-warps 64
# | tessera: error: --num-warps: a power of two from 1 to 32, not 64
# = 2
# $ compile --num-warps -4
# | tessera: error: --num-warps: a whole number, not '-4'
# = 2
# $ compile --num-warps 99999999999999999999
# | tessera: error: --num-warps: a whole number, not '99999999999999999999'
# = 2
# $ compile --signature "*float,fp32*,half,n"
# | error: --signature: entry 1 '*float': not a type and not a constant; types are u1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e5 fp8e4nv fp8e4b15 fp8e4b8 fp8e5b16 fp16 bf16 fp32 fp64, each with * in front for a pointer; did you mean '*fp32'?
# = 1
# $ compile --num-stages 0
# | tessera: error: --num-stages: from 1 to 64, not 0
# = 2
# $ compile --num-ctas 0
# | tessera: error: --num-ctas: a power of two from 1 to 16, not 0
# = 2

# Targets.
# $ compile --target cuda
# | tessera: error: unknown target 'cuda'; known are cuda:80, cuda:86, cuda:89, cuda:90, hip:gfx90a, hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102, hip:gfx1200, hip:gfx1201, cpu
# = 2
# $ compile --target cuda:91
# | tessera: error: unknown target 'cuda:91'; known are cuda:80, cuda:86, cuda:89, cuda:90, hip:gfx90a, hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102, hip:gfx1200, hip:gfx1201, cpu
# = 2
# $ compile --target cuda:ninety
# | tessera: error: unknown target 'cuda:ninety'; known are cuda:80, cuda:86, cuda:89, cuda:90, hip:gfx90a, hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102, hip:gfx1200, hip:gfx1201, cpu
# = 2
# $ compile --target tpu
# | tessera: error: unknown target 'tpu'; known are cuda:80, cuda:86, cuda:89, cuda:90, hip:gfx90a, hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102, hip:gfx1200, hip:gfx1201, cpu
# = 2
# $ compile --target hip:gfx803
# | tessera: error: unknown target 'hip:gfx803'; known are cuda:80, cuda:86, cuda:89, cuda:90, hip:gfx90a, hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102, hip:gfx1200, hip:gfx1201, cpu
# = 2
# $ compile --target ""
# | tessera: error: unknown target ''; known are cuda:80, cuda:86, cuda:89, cuda:90, hip:gfx90a, hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102, hip:gfx1200, hip:gfx1201, cpu
# = 2
# $ compile --target sm90
# | tessera: error: unknown target 'sm90'; known are cuda:80, cuda:86, cuda:89, cuda:90, hip:gfx90a, hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102, hip:gfx1200, hip:gfx1201, cpu; did you mean 'cuda:90'?
# = 2

# What to emit, and where to.
# $ compile --emit sas
# | tessera: error: --emit: cuda:90 has no output 'sas'; it has all, json, ttir, ttgir, llir, ptx, cubin, sass, c; did you mean 'sass'?
# = 2
# $ compile --emit hsaco
# | tessera: error: --emit: cuda:90 has no output 'hsaco'; it has all, json, ttir, ttgir, llir, ptx, cubin, sass, c
# = 2
# $ compile --emit ""
# | tessera: error: --emit: nothing to write; choose from all, json, ttir, ttgir, llir, ptx, cubin, sass, c
# = 2
# $ compile --emit ttir,
# + add_kernel.ttir
# = 0
# $ compile --emit obj --target cuda:90
# | tessera: error: --emit: cuda:90 has no output 'obj'; it has all, json, ttir, ttgir, llir, ptx, cubin, sass, c
# = 2
# $ compile --emit ptx --target cpu
# | tessera: error: --emit: cpu has no output 'ptx'; it has all, json, ttir, llir, asm, obj, c
# = 2
# $ compile --emit ttir,ptx -o -
# | tessera: error: --out-path -: prints one output, and --emit asks for several; name one, as in --emit ttir
# = 2
# $ compile -o -
# | tessera: error: --out-path -: prints one output, and --emit c, the default, writes several; name one, as in --emit ttir
# = 2
# $ compile --target cpu --mcpu skylak --emit asm -o out/add
# | add.py:13:1: unsupported: --mcpu: no processor 'skylak' for x86_64-pc-linux-gnu code; did you mean 'skylake'?
# | def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
# | ^
# = 3
# $ compile --emit ttir -o missing/folder/add
# | tessera: error: cannot write 'missing/folder/add.ttir': there is no folder 'missing/folder'
# = 1
# $ compile --emit ttir -o add.py/add
# | tessera: error: cannot write 'add.py/add.ttir': Not a directory
# = 1

# A device that no machine has.
# $ tessera run add.py --kernel-name add_kernel --signature "*fp32,*fp32,*fp32,i32,64" --grid 1 --device gpu --arg x_ptr=zeros:64 --arg y_ptr=zeros:64 --arg output_ptr=zeros:64 --arg n_elements=64
# | tessera: error: --device: unknown device 'gpu': the devices are cpu, cuda and cuda:N, hip and hip:N
# = 2

# Output that cannot be written.
# $ compile --emit ttir -o - > /dev/full
# | tessera: error: cannot write to standard output
# = 1

# Misspelt commands, and arguments that nobody reads.
# $ tessera comple add.py
# | tessera: error: unknown command 'comple'; did you mean 'compile'?
# = 2
# $ tessera frobnicate
# | tessera: error: unknown command 'frobnicate'; tessera --help lists them
# = 2
# $ tessera targets all
# | tessera: error: targets takes no 'all': it lists all
# = 2
