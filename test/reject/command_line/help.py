#: What --help shows, in groups, with the defaults; at most 100 columns wide.
# $ tessera --help
# | usage: tessera COMMAND [options]
# |
# | A compiler and runtime for Triton kernels.
# |
# | commands:
# |   compile    compile a kernel ahead of time: TTIR, TTGIR, LLVM IR, PTX, CUBIN, C
# |   build      make a C library of many kernels for many chips, from a manifest
# |   pack       compile a manifest's kernels into one file for programs to launch
# |   link       write C functions that choose among kernels that 'compile' wrote
# |   run        compile a kernel and run it on a GPU or the CPU
# |   record     run a program and write a manifest of the kernels that it launches
# |   tune       tune a manifest's autotuned kernels ahead of time, on all GPUs
# |   explain    show what every pass does to a kernel, and why
# |   lab        check, measure and compare versions of an operator against torch
# |   parse      check a Python file's syntax, or print its tree
# |   targets    what can be compiled for, and what is here to run on
# |   cache      stat, clear, prune or verify: the compiled kernels on disk
# |   version    which Tessera this is; --json for programs
# |
# | 'tessera COMMAND --help' tells more. Try:
# |   tessera run examples/add.py -s "*fp32,*fp32,*fp32,i32,1024" --grid 96 \
# |       --arg x_ptr=randn:98304 --arg y_ptr=randn:98304 \
# |       --arg output_ptr=zeros:98304 --arg n_elements=98304 --time 100
# = 0
# $ tessera compile --help
# | usage: tessera compile FILE [options]
# |
# | Compiles a kernel ahead of time. FILE is a Python file, or any stage's output.
# |
# | options:
# |   -n,  --kernel-name NAME            the kernel to compile; may be left out if the file has one
# |   -s,  --signature LIST              a type or constant per parameter: "*fp32:16,*fp32,i32,64"
# |   -g,  --grid X,Y,Z                  expressions over parameters and numbers, for the C launcher
# |   -t,  --target LIST                 cuda:90 (default), cuda:80, cuda:86, cuda:89, hip:gfx90a,
# |                                      hip:gfx942, hip:gfx950, hip:gfx1100, hip:gfx1101, hip:gfx1102,
# |                                      hip:gfx1200, hip:gfx1201 or cpu; or several, with commas
# |   -e,  --emit LIST                   ttir, ttgir, llir, ptx, cubin, sass, amdgcn, hsaco, asm, obj,
# |                                      json, c or all; default c
# |   -o,  --out-path PATH               outputs are PATH.ttir and so on; - prints
# |   -on, --out-name NAME               the name in generated C; default the kernel's
# |
# | code generation:
# |   -w,  --num-warps N                 warps per program: a power of two from 1 to 32; default 4
# |   -ns, --num-stages N                software pipeline depth; default 3
# |        --num-ctas N                  thread blocks per program (a cluster); default 1
# |        --maxnreg N                   registers per thread at most; 0 lets the assembler choose
# |        --launch-cooperative-grid     all programs run at once and may wait for each other (GPU)
# |        --launch-pdl                  start before the previous kernel has ended: programmatic
# |                                      dependent launch (GPU)
# |        --[no-]enable-fp-fusion       contract a*b+c into one rounding; default on
# |        --default-dot-precision NAME  input_precision of tl.dot where the kernel gives none; default
# |                                      the target's
# |        --[no-]enable-reflect-ftz     libdevice's functions may flush subnormal numbers to zero
# |                                      (GPU); default on
# |        --wgmma MODE                  auto or off: whether dots use the matrix instruction of warp
# |                                      groups (Hopper); default auto
# |        --tma MODE                    auto or off: whether tensor maps copy tiles (Hopper); default
# |                                      auto
# |        --warp-specialize MODE        auto, on or off: whether warps of their own start the copies of
# |                                      --tma auto (Hopper); auto: where only one CTA fits an SM;
# |                                      default auto
# |        --ptx-version N               version of the PTX ISA: 90 for 9.0; 0 lets the chip decide
# |        --ptxas-options OPTIONS       more options for ptxas, separated by spaces
# |        --waves-per-eu N              warps that must fit on each SIMD unit at once; 0 lets the
# |                                      compiler choose (AMD)
# |        --matrix-instr-nonkdim N      rows and columns of the matrix instruction: 16 or 32; 0 lets
# |                                      the compiler choose (AMD)
# |        --kpack N                     how many instructions' operands of a dot a lane reads at once:
# |                                      1 or 2 (AMD); default 1
# |        --allow-flush-denorm          f32 operations may flush subnormal numbers to zero (AMD)
# |        --schedule-hint NAME          accepted for compatibility; the compiler's schedule is always
# |                                      its own (AMD); default none
# |        --mcpu CPU                    the processor to compile for, or portable: several, chosen at
# |                                      run time; default this machine's
# |        --symbol NAME                 the name of the function in an object; * stands for the
# |                                      kernel's name, the default
# |
# | checks, debuggers and profilers:
# |        --debug                       keep tl.device_assert and check integer overflow at run time
# |        --print-every-thread          tl.device_print prints the values of every thread, as in Triton
# |                                      (GPU)
# |        --print-rows                  tl.device_print prints one line per call and program, long
# |                                      tensors shortened (CPU)
# |        --[no-]sanitize-overflow      with --debug: check + - * of integers for overflow; default on
# |        --sanitize                    check every memory access while the kernel runs (tessera run,
# |                                      on the CPU)
# |        --[no-]line-info              line tables: profilers show the Python line; default on
# |        --debug-info                  DWARF for debuggers: lines, arguments, program ids (CPU)
# |        --debug-dir DIR               the folder that file names in DWARF are relative to; default
# |                                      the current one
# |
# | what the compiler shows:
# |        --ir-override FILE            use this file instead of the output of the stage of its
# |                                      extension: k.ttgir, k.ptx
# |        --time-stages                 print how long each stage took
# |        --verbose                     print the assembler's report, and what was tried if registers
# |                                      were spilled
# |        --verify-each                 verify the IR after every pass, not only after every stage
# |        --print-passes KERNEL         print the IR of this kernel after every pass that changes it; 1
# |                                      for every kernel
# |        --print-path FILE             append what --print-passes prints to this file
# |        --remarks[=REGEX]             print what each pass decided, and why; of the passes whose name
# |                                      matches
# |        --remarks-file FILE           append the remarks to this file, as JSON, one per line
# |        --dump-dir DIR                write the IR to this folder after every pass that changes it
# |
# | tools and cache:
# |        --ptxas FILE                  the assembler to use instead of the one found
# |        --cache-dir DIR               where compiled kernels are kept
# |        --no-cache                    compile anew and keep nothing
# = 0
# $ tessera run --help | sed -n '1,/^code generation/p'
# | usage: tessera run FILE --grid X,Y,Z --arg NAME=SPEC ... [options]
# |
# | Compiles a kernel and runs it here. SHAPE is 4096 or 4x64x28; the element type is the signature's.
# |
# | options:
# |   -n,  --kernel-name NAME            the kernel to run; may be left out if the file has one
# |   -s,  --signature LIST              a type or constant per parameter: "*fp32:16,*fp32,i32,64"
# |   -g,  --grid X,Y,Z                  how many programs to run: one to three numbers
# |   -d,  --device NAME                 cpu, cuda:0 or hip:0; default a GPU if there is one
# |   -a,  --arg NAME=SPEC               123, 1.5, @file.npy, randn:SHAPE, rand:SHAPE, arange:SHAPE,
# |                                      zeros:SHAPE, empty:SHAPE, randint:LO:HI:SHAPE; NAME is x, or
# |                                      t.0 in a tuple
# |        --save NAME=FILE              write an array to a .npy file after the run
# |        --time N                      launch N times more and print how long it took
# |        --seed K                      of the random arguments; default 0
# |        --threads N                   of the CPU device; default all cores
# |        --perf                        tell perf about the code: perf record -k 1, then perf inject
# |                                      --jit
# |
# | code generation:
# = 0
# $ tessera explain --help | awk 'length > 100'
# = 0
# $ tessera run --help | awk 'length > 100'
# = 0

# The commands without options of their own.
# $ tessera cache --help
# | usage: tessera cache stat|clear|prune|verify [options]
# |
# | Prints how many compiled kernels are kept on disk; removes all of them; removes those that were not
# | used for longest; or reads all of them, and removes damaged ones.
# |
# | options:
# |        --limit SIZE     prune: the bytes that stay at most, as 500M or 10G
# |
# | tools and cache:
# |        --ptxas FILE     the assembler to use instead of the one found
# |        --cache-dir DIR  where compiled kernels are kept
# |        --no-cache       compile anew and keep nothing
# = 0
# $ tessera targets --help
# | usage: tessera targets [options]
# |
# | Lists the chips that kernels can be compiled for, the devices of this machine that can run them, and
# | the tools that are used.
# |
# | tools and cache:
# |        --ptxas FILE     the assembler to use instead of the one found
# |        --cache-dir DIR  where compiled kernels are kept
# |        --no-cache       compile anew and keep nothing
# = 0
# $ tessera version --help
# | usage: tessera version [--json]
# |
# | Prints the versions of Tessera and of LLVM.
# |
# | options:
# |        --json  as a JSON object
# = 0
