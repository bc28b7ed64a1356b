#: Names that only a refused statement binds: match, try, starred targets.
import triton
import triton.language as tl

MODE = "fast"
match MODE:
    case "fast":
        BLOCK = tl.constexpr(64)
    case [first, *others]:
        BLOCK = tl.constexpr(32)


@triton.jit
def tried(p):
    try:
        x = 1
    except ValueError as e:
        y = 2
    else:
        z = 3
    finally:
        w = 4
    tl.store(p, x + y + z + w)


@triton.jit
def matched(p, n):
    match n:
        case 1:
            x = 1
        case [first, *rest]:
            x = 2
        case {"a": 1, **others}:
            x = 3
    tl.store(p, x + first + rest + others)


@triton.jit
def unpacked(p):
    a, *b = (1, 2, 3)
    tl.store(p, b)


@triton.jit
def walrus(p):
    a = (b := 1) + 1
    tl.store(p, b + a)


@triton.jit
def definitions(p):
    async def later():
        pass
    type Alias = int
    tl.store(p, later + Alias)


@triton.jit
def global_in_match(p):
    tl.store(p, BLOCK)
    tl.store(p, others)


@triton.constexpr_function
def used_too_early():
    try:
        y = x
        x = 1
    finally:
        pass
    return y


@triton.jit
def calls(p):
    tl.store(p, used_too_early())


# What a refused statement would have bound gets no second error where it is used.
# $ tessera compile names_in_refused_statements.py -n tried -s "*i32" --emit ttir -o -
# | names_in_refused_statements.py:14:5: error: 'try' is not part of the kernel language
# |     try:
# |     ^~~~
# = 1
# $ tessera compile names_in_refused_statements.py -n matched -s "*i32,i32" --emit ttir -o -
# | names_in_refused_statements.py:27:5: error: 'match' is not part of the kernel language; use 'if'
# |     match n:
# |     ^~~~~~~~
# = 1
# $ tessera compile names_in_refused_statements.py -n unpacked -s "*i32" --emit ttir -o -
# | names_in_refused_statements.py:39:8: error: a starred target is not part of the kernel language; name each element
# |     a, *b = (1, 2, 3)
# |        ^~
# = 1
# $ tessera compile names_in_refused_statements.py -n walrus -s "*i32" --emit ttir -o -
# | names_in_refused_statements.py:45:10: error: an assignment expression (:=) is not part of the kernel language; assign in a statement of its own
# |     a = (b := 1) + 1
# |          ^~~~~~
# = 1
# $ tessera compile names_in_refused_statements.py -n definitions -s "*i32" --emit ttir -o -
# | names_in_refused_statements.py:51:5: error: a function inside a function is not part of the kernel language
# |     async def later():
# |     ^~~~~~~~~~~~~~~~~~
# | names_in_refused_statements.py:53:5: error: 'type' is not part of the kernel language
# |     type Alias = int
# |     ^~~~~~~~~~~~~~~~
# = 1

# A module's 'match' binds names that only Python knows.
# $ tessera compile names_in_refused_statements.py -n global_in_match -s "*i32" --emit ttir -o -
# | names_in_refused_statements.py:59:17: error: 'BLOCK' cannot be used in a kernel (line 5: assigned from an expression that only Python can evaluate: code that runs at compile time has no 'Match' statement here)
# |     tl.store(p, BLOCK)
# |                 ^~~~~
# | names_in_refused_statements.py:60:17: error: 'others' cannot be used in a kernel (line 5: assigned from an expression that only Python can evaluate: code that runs at compile time has no 'Match' statement here)
# |     tl.store(p, others)
# |                 ^~~~~~
# = 1

# An assignment inside a 'try' is found where a name is used too early.
# $ tessera compile names_in_refused_statements.py -n calls -s "*i32" --emit ttir -o -
# | names_in_refused_statements.py:66:13: error: 'x' is used before it is assigned, at line 67
# |         y = x
# |             ^
# | names_in_refused_statements.py:75:17: note: in the call of 'used_too_early' here
# = 1
