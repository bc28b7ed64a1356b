#: Grids of C launchers that are no expressions over the kernel's parameters.
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, n, scale, TEXT: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.program_id(0) * BLOCK, n * scale)

# The grid of a C launcher: expressions over the kernel's parameters and numbers, and nothing else.
# % c() { tessera compile launcher_grid.py -s "*fp32,i32,fp16,'abc',64" --target cpu --emit c -o out --no-cache "$@"; }
# $ c --grid=a,b
# | tessera: error: --grid: 'a': 'a' is no parameter of 'k'; there are n, TEXT, BLOCK
# = 2
# $ c --grid x_ptr
# | tessera: error: --grid: 'x_ptr': 'x_ptr' is a *fp32, which is no number in C
# = 2
# $ c --grid scale
# | tessera: error: --grid: 'scale': 'scale' is a fp16, which is no number in C
# = 2
# $ c --grid TEXT
# | tessera: error: --grid: 'TEXT': 'TEXT' is 'abc', which is no number
# = 2
# $ c --grid 0
# | tessera: error: --grid: '0' is 0, and a grid has at least one program along each axis
# = 2
# $ c --grid 1,0
# | tessera: error: --grid: '0' is 0, and a grid has at least one program along each axis
# = 2
# $ c --grid 0.5
# | tessera: error: --grid: '0.5' is not from 1 to 2147483647 programs
# = 2
# $ c --grid 1,3e9
# | tessera: error: --grid: '3e9' is not from 1 to 2147483647 programs
# = 2
# $ c --grid 1e
# | tessera: error: --grid: '1e': '1e' is no number
# = 2
# $ c --grid "BLOCK - 64"
# | tessera: error: --grid: 'BLOCK - 64' is 0, and a grid has at least one program along each axis
# = 2
# $ c --grid "n;"
# | tessera: error: --grid: 'n;': ';' stands where an operator is expected; an expression has the kernel's parameters, numbers, + - * / %, comparisons, ?:, cdiv(a, b), min, max and parentheses
# = 2
# $ c --grid "n//"
# | tessera: error: --grid: 'n//': it ends where a parameter or a number is expected
# = 2
# $ c --grid "1/*"
# | tessera: error: --grid: '1/*': '*' stands where a parameter or a number is expected; an expression has the kernel's parameters, numbers, + - * / %, comparisons, ?:, cdiv(a, b), min, max and parentheses
# = 2
# $ c --grid '/*(*/1)};int INJECT=system("id");const uint32_t g2[3]={(1/*)*/'
# | tessera: error: --grid: '/*(*/1)};int INJECT=system("id");const uint32_t g2[3]={(1/*)*/': '/*(*/1)};int INJ' stands where a parameter or a number is expected; an expression has the kernel's parameters, numbers, + - * / %, comparisons, ?:, cdiv(a, b), min, max and parentheses
# = 2
# $ c --grid '1,1,1);system("id");//'
# | tessera: error: --grid: '1,1,1);system("id");//' is not one to three expressions separated by commas
# = 2
# $ c --grid 'system("id")'
# | tessera: error: --grid: 'system("id")': 'system(' is a call; there are cdiv(a, b), min(a, b) and max(a, b)
# = 2
# $ c --grid "$(printf 'n\nX')"
# | tessera: error: --grid: 'n
# | X': '
# | X' stands where an operator is expected; an expression has the kernel's parameters, numbers, + - * / %, comparisons, ?:, cdiv(a, b), min, max and parentheses
# = 2
# $ c --grid '%s%n'
# | tessera: error: --grid: '%s%n': '%s%n' stands where a parameter or a number is expected; an expression has the kernel's parameters, numbers, + - * / %, comparisons, ?:, cdiv(a, b), min, max and parentheses
# = 2
# $ c --grid 'n = 5'
# | tessera: error: --grid: 'n = 5': '= 5' stands where an operator is expected; an expression has the kernel's parameters, numbers, + - * / %, comparisons, ?:, cdiv(a, b), min, max and parentheses
# = 2
# $ c --grid 'n / 0'
# | tessera: error: --grid: 'n / 0': it divides by zero
# = 2
# $ c --grid "$(printf '\033[31m\377')"
# | tessera: error: --grid: '\x1b[31m\xff': '\x1b[31m\xff' stands where a parameter or a number is expected; an expression has the kernel's parameters, numbers, + - * / %, comparisons, ?:, cdiv(a, b), min, max and parentheses
# = 2

# Names that an #include of C cannot hold.
# $ c --grid n -o 'a"b'
# | tessera: error: --out-path: 'a"b.h' cannot stand in an #include of C; choose a name without quotes, backslashes and control characters
# = 1
# $ c --grid n -o "$(printf 'a\nX')"
# | tessera: error: --out-path: 'a X.h' cannot stand in an #include of C; choose a name without quotes, backslashes and control characters
# = 1
