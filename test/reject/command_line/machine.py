#: Assemblers and options that do not work on this machine: unsupported, exit status 3.
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.store(p, 1)

# What the machine lacks is told as such, and is no bug of the compiler: exit status 3.
# % cubin() { tessera compile machine.py -s "*i32" --target cuda:90 --emit cubin -o out --no-cache "$@"; }
# $ cubin --ptxas /bin/false
# | machine.py:6:1: unsupported: making a cubin with '/bin/false': it ended with exit status 1 and wrote nothing; is it ptxas, and is there memory enough?
# | def k(p):
# | ^
# = 3
# $ cubin --ptxas /bin/true
# | machine.py:6:1: unsupported: making a cubin with '/bin/true': it ended with exit status 0 and wrote nothing; is it ptxas, and is there memory enough?
# | def k(p):
# | ^
# = 3
# $ cubin --ptxas /bin/cat
# | machine.py:6:1: unsupported: making a cubin with '/bin/cat': it ended with exit status 1 and wrote '/bin/cat: unrecognized option '--gpu-name=sm_90a'
# | Try '/bin/cat --help' for more information.'; is it ptxas, and is there memory enough?
# | def k(p):
# | ^
# = 3
# $ (ulimit -n 6; cubin --ptxas /bin/true)
# | machine.py:6:1: unsupported: running the assembler here: cannot run '/bin/true': Too many open files
# | def k(p):
# | ^
# = 3
# $ TMPDIR=/dev/null cubin --ptxas /bin/true
# | machine.py:6:1: unsupported: making a cubin with '/bin/true': it ended with exit status 0 and wrote nothing; is it ptxas, and is there memory enough?
# | def k(p):
# | ^
# = 3
# $ (printf '#!/bin/sh\nkill -9 $$\n' > killed; chmod +x killed; cubin --ptxas ./killed)
# | machine.py:6:1: unsupported: making a cubin with './killed': it ended with signal 9 (Killed) and wrote nothing; is it ptxas, and is there memory enough?
# | def k(p):
# | ^
# + killed
# = 3
