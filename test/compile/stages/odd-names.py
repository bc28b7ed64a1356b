# File names that need quoting somewhere on the way; a kernel's name that PTX has taken.
# RUN: rm -rf %t && mkdir %t
# RUN: python3 -c "import shutil, sys; [shutil.copy(sys.argv[1], sys.argv[2] + '/' + name) for name in ['a b.py', 'q\"u\'o.py', 'n\nl.py', 'ünï.py', 'b\\\\s.py']]" %s %t
# RUN: python3 -c "import glob, subprocess, sys; files = glob.glob(sys.argv[1] + '/*.py'); assert len(files) == 5; [subprocess.run(['tessera', 'compile', f, '-n', 'k', '-s', '*i32', '--emit', 'ptx', '-o', f], check=True) for f in files]" %t
# RUN: FileCheck %s < "%t/q\"u'o.py.ptx"
# CHECK: .file{{.*}}q'u'o.py"{{$}}
# RUN: not tessera compile %s -n WARP_SZ -s "*i32" --emit ptx -o - 2>&1 | FileCheck %s --check-prefix=RESERVED
# RESERVED: unsupported: a kernel called 'WARP_SZ', which PTX predefines; rename it
# RUN: not tessera compile %s -n _ -s "*i32" --emit ptx -o - 2>&1 | FileCheck %s --check-prefix=DASH
# DASH: unsupported: a kernel called '_', which PTX cannot name; rename it
# RUN: tessera compile %s -n _ -s "*i32" --target cpu --emit obj -o %t/dash
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.store(p, 1)


@triton.jit
def WARP_SZ(p):
    tl.store(p, 1)


@triton.jit
def _(p):
    tl.store(p, 1)
