#: Conditions, branches and loops whose types or conditions do not fit.
import triton
import triton.language as tl


@triton.jit
def if_text(p, n, MODE: tl.constexpr):
    if MODE:
        tl.store(p, n)


@triton.jit
def if_float(p, n, C: tl.constexpr):
    if C:
        tl.store(p, n)


@triton.jit
def if_type(p, n):
    if n.dtype:
        tl.store(p, n)


@triton.jit
def if_block(p, n):
    i = tl.arange(0, 8)
    if i < n:
        tl.store(p + i, i)


@triton.jit
def branch_changes_type(p, n):
    x = n
    if n > 3:
        x = 1.5
    tl.store(p, x)


@triton.jit
def branch_changes_shape(p, n):
    x = tl.zeros((8,), tl.int32)
    if n > 3:
        tl.store(p, n)
    else:
        x = tl.zeros((16,), tl.int32)
    tl.store(p, tl.sum(x))


@triton.jit
def branch_changes_constant(p, n, C: tl.constexpr):
    if n > 3:
        C = n
    tl.store(p, C)


@triton.jit
def branch_changes_tuple(p, n):
    t = (n, 1)
    if n > 3:
        t = (n, 1.5)
    tl.store(p, t[0])


@triton.jit
def branches_disagree(p, n):
    if n > 3:
        x = 1.5
    else:
        x = 1
    tl.store(p, x)


@triton.jit
def defined_in_one_branch(p, n):
    if n > 3:
        x = n
    elif n > 1:
        x = 1
    tl.store(p, x)


@triton.jit
def none_in_one_branch(p, n):
    x = None
    if n > 3:
        x = n
    if x is not None:
        tl.store(p, x)


@triton.jit
def constants_differ(p, n):
    if n > 3:
        SIZE: tl.constexpr = 8
    else:
        SIZE: tl.constexpr = 16
    tl.store(p + tl.arange(0, SIZE), n)


@triton.jit
def loop_over_tuple(p, n):
    for i in (1, 2):
        tl.store(p, i)


@triton.jit
def loop_over_call(p, n):
    for i in tl.arange(0, 8):
        tl.store(p, i)


@triton.jit
def loop_two_targets(p, n):
    for i, j in range(n):
        tl.store(p, i)


@triton.jit
def loop_else(p, n):
    for i in range(n):
        tl.store(p, i)
    else:
        tl.store(p, n)


@triton.jit
def loop_break(p, n):
    for i in range(n):
        break


@triton.jit
def loop_continue(p, n):
    while n > 0:
        continue


@triton.jit
def range_keyword(p, n):
    for i in range(n, num_stages=3):
        tl.store(p, i)


@triton.jit
def range_unknown_hint(p, n):
    for i in tl.range(n, stages=3):
        tl.store(p, i)


@triton.jit
def range_run_time_hint(p, n):
    for i in tl.range(n, num_stages=n):
        tl.store(p, i)


@triton.jit
def range_float(p, n):
    for i in range(0, 2.5):
        tl.store(p, n)


@triton.jit
def range_block(p, n):
    for i in range(tl.arange(0, 8)):
        tl.store(p, n)


@triton.jit
def range_step_zero(p, n):
    for i in range(0, n, 0):
        tl.store(p, i)


@triton.jit
def static_range_run_time(p, n):
    for i in tl.static_range(n):
        tl.store(p, i)


@triton.jit
def range_outside(p, n):
    tl.store(p, tl.range(n))


@triton.jit
def loop_changes_type(p, n):
    total = 0
    for i in range(n):
        total += tl.load(p + i)
    tl.store(p, total)


@triton.jit
def loop_changes_shape(p, n):
    total = 0.0
    while n > 0:
        total += tl.load(p + tl.arange(0, 8))
        n -= 1


@triton.jit
def loop_changes_constant(p, n, C: tl.constexpr):
    for i in range(n):
        C = C + i
    tl.store(p, C)


@triton.jit
def loop_changes_none(p, n):
    x = None
    for i in range(n):
        x = i
    tl.store(p, n)


@triton.jit
def loop_changes_tuple(p, n):
    t = (n, 0)
    for i in range(n):
        t = (n, 0.5)
    tl.store(p, t[0])


@triton.jit
def loop_changes_index(p, n):
    for i in tl.static_range(2):
        tl.store(p, i)
    for j in range(n):
        tl.store(p, i)
        for i in tl.static_range(3):
            tl.store(p, i)


@triton.jit
def defined_in_loop(p, n):
    for i in range(n):
        x = i
    tl.store(p, x)


@triton.jit
def while_true(p, n):
    while True:
        tl.store(p, n)


@triton.jit
def while_constant(p, n):
    while n > 0:
        n -= 1


@triton.jit
def while_block(p, n):
    i = tl.arange(0, 8)
    while i > 0:
        i -= 1


@triton.jit
def return_in_loop(p, n):
    for i in range(n):
        if tl.load(p + i) == 0:
            return


@triton.jit
def return_in_loop_constant(p, n, C: tl.constexpr):
    for i in range(n):
        if C:
            return


@triton.jit
def return_in_while(p, n):
    while n > 0:
        return


@triton.jit
def return_value_of_kernel(p, n):
    return n


@triton.jit
def code_after_constant_return(p, n, C: tl.constexpr):
    if C:
        return
    tl.store(p, nowhere)

# % compile() { tessera compile control.py --kernel-name "$1" --signature "$2" --emit ttir -o -; }
# Conditions.
# $ compile if_text "*i32,i32,'relu'"
# | control.py:7:8: error: the condition of an 'if' is a bool, an int or None, not the string 'relu'; write a comparison
# |     if MODE:
# |        ^~~~
# = 1
# $ compile if_float "*i32,i32,0.5"
# | control.py:13:8: error: the condition of an 'if' is a bool, an int or None, not the float 0.5; write a comparison
# |     if C:
# |        ^
# = 1
# $ compile if_type "*i32,i32"
# | control.py:19:8: error: the condition of an 'if' is a bool, an int or None, not the type i32; write a comparison
# |     if n.dtype:
# |        ^~~~~~~
# = 1
# $ compile if_block "*i32,i32"
# | control.py:26:8: error: the block u1[8] has no single truth value; reduce it (tl.max, tl.sum), or choose element by element with tl.where
# |     if i < n:
# |        ^~~~~
# = 1

# Names after an 'if' whose condition is known at run time.
# $ compile branch_changes_type "*i32,i32"
# | control.py:34:9: error: 'x' is i32 before the 'if' and fp32 after its 'if' branch; a run-time condition needs one type
# |         x = 1.5
# |         ^
# = 1
# $ compile branch_changes_shape "*i32,i32"
# | control.py:44:9: error: 'x' is i32[8] before the 'if' and i32[16] after its 'else' branch; a run-time condition needs one type
# |         x = tl.zeros((16,), tl.int32)
# |         ^
# = 1
# $ compile branch_changes_constant "*i32,i32,1"
# | control.py:51:9: error: 'C' is the int 1 before the 'if' and i32 after its 'if' branch; a run-time condition needs one type
# |         C = n
# |         ^
# = 1
# $ compile branch_changes_tuple "*i32,i32"
# | control.py:59:9: error: 't' is (i32, i32) before the 'if' and (i32, fp32) after its 'if' branch; a run-time condition needs one type
# |         t = (n, 1.5)
# |         ^
# = 1
# $ compile branches_disagree "*i32,i32"
# | control.py:68:9: error: 'x' is fp32 in the 'if' branch and i32 in the 'else' branch; a run-time condition needs one type
# |         x = 1
# |         ^
# = 1
# $ compile defined_in_one_branch "*i32,i32"
# | control.py:78:17: error: 'x' is not defined here: it is assigned only inside one branch of an 'if'; give it a value before
# |     tl.store(p, x)
# |                 ^
# | control.py:75:9: note: 'x' is assigned here
# = 1
# $ compile none_in_one_branch "*i32,i32"
# | control.py:86:8: error: 'x' is not defined here: one branch of an 'if' leaves it None
# |     if x is not None:
# |        ^
# | control.py:85:9: note: 'x' is assigned here
# = 1
# $ compile constants_differ "*i32,i32"
# | control.py:96:31: error: 'SIZE' is not defined here: the branches of an 'if' leave it different compile-time values
# |     tl.store(p + tl.arange(0, SIZE), n)
# |                               ^~~~
# | control.py:93:9: note: 'SIZE' is assigned here
# = 1

# What loops run over.
# $ compile loop_over_tuple "*i32,i32"
# | control.py:101:14: error: a 'for' loops over a call of range, tl.range or tl.static_range
# |     for i in (1, 2):
# |              ^~~~~~
# = 1
# $ compile loop_over_call "*i32,i32"
# | control.py:107:14: error: a 'for' loops over a call of range, tl.range or tl.static_range, not of the function tl.arange
# |     for i in tl.arange(0, 8):
# |              ^~~~~~~~~~~~~~~
# = 1
# $ compile loop_two_targets "*i32,i32"
# | control.py:113:9: error: a loop's index is one name, which counts through range, tl.range or tl.static_range
# |     for i, j in range(n):
# |         ^~~~
# = 1
# $ compile loop_else "*i32,i32"
# | control.py:122:9: error: the 'else' of a loop is not part of the kernel language
# |         tl.store(p, n)
# |         ^~~~~~~~~~~~~~
# = 1
# $ compile loop_break "*i32,i32"
# | control.py:128:9: error: 'break' is not part of the kernel language; mask the rest of the iteration, or loop with 'while' and a flag in its condition
# |         break
# |         ^~~~~
# = 1
# $ compile loop_continue "*i32,i32"
# | control.py:134:9: error: 'continue' is not part of the kernel language; mask the rest of the iteration, or loop with 'while' and a flag in its condition
# |         continue
# |         ^~~~~~~~
# = 1
# $ compile range_keyword "*i32,i32"
# | control.py:139:23: error: range takes no keywords; tl.range takes hints such as num_stages
# |     for i in range(n, num_stages=3):
# |                       ^~~~~~~~~~~~
# = 1
# $ compile range_unknown_hint "*i32,i32"
# | control.py:145:26: error: range has no parameter 'stages'; it takes arg1, arg2, step, num_stages, loop_unroll_factor, disallow_acc_multi_buffer, flatten, warp_specialize, disable_licm
# |     for i in tl.range(n, stages=3):
# |                          ^~~~~~~~
# = 1
# $ compile range_run_time_hint "*i32,i32"
# | control.py:151:14: error: num_stages is a compile-time int, not a run-time scalar i32
# |     for i in tl.range(n, num_stages=n):
# |              ^~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile range_float "*i32,i32"
# | control.py:157:14: error: the bounds and the step of a range are integer scalars, not the float 2.5
# |     for i in range(0, 2.5):
# |              ^~~~~~~~~~~~~
# = 1
# $ compile range_block "*i32,i32"
# | control.py:163:14: error: the bounds and the step of a range are integer scalars, not a block i32[8]
# |     for i in range(tl.arange(0, 8)):
# |              ^~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ compile range_step_zero "*i32,i32"
# | control.py:169:14: error: the step of a range cannot be 0
# |     for i in range(0, n, 0):
# |              ^~~~~~~~~~~~~~
# = 1
# $ compile static_range_run_time "*i32,i32"
# | control.py:175:14: error: tl.static_range takes compile-time ints, not a run-time scalar i32; range and tl.range loop at run time
# |     for i in tl.static_range(n):
# |              ^~~~~~~~~~~~~~~~~~
# = 1
# $ compile range_outside "*i32,i32"
# | control.py:181:17: error: tl.range and tl.static_range are the iterators of a 'for', and nothing else
# |     tl.store(p, tl.range(n))
# |                 ^~~~~~~~~~~
# | control.py:180:22: note: 'n' is a run-time scalar i32, from here
# = 1

# What loops carry.
# $ compile loop_changes_type "*fp32,i32"
# | control.py:188:9: error: 'total' is i32 before the loop and fp32 after an iteration; a loop keeps the types of its variables; begin with a float, such as 0.0
# |         total += tl.load(p + i)
# |         ^~~~~
# | control.py:186:5: note: 'total' got its type here
# = 1
# $ compile loop_changes_shape "*fp32,i32"
# | control.py:196:9: error: 'total' is fp32 before the loop and fp32[8] after an iteration; a loop keeps the types of its variables; begin with a tensor, such as tl.zeros(...)
# |         total += tl.load(p + tl.arange(0, 8))
# |         ^~~~~
# | control.py:194:5: note: 'total' got its type here
# = 1
# $ compile loop_changes_constant "*i32,i32,1"
# | control.py:203:9: error: 'C' is the int 1 before the loop, and the loop assigns a run-time scalar i32; a loop changes run-time values only: give the constant to another name first
# |         C = C + i
# |         ^
# | control.py:201:33: note: 'C' got its type here
# = 1
# $ compile loop_changes_none "*i32,i32"
# | control.py:211:9: error: 'x' is None before the loop, and the loop assigns a run-time scalar i32; a loop changes run-time values only
# |         x = i
# |         ^
# | control.py:209:5: note: 'x' got its type here
# = 1
# $ compile loop_changes_tuple "*i32,i32"
# | control.py:219:9: error: 't' is (i32, i32) before the loop and (i32, fp32) after an iteration; a loop keeps the types of its variables
# |         t = (n, 0.5)
# |         ^
# | control.py:217:5: note: 't' got its type here
# = 1
# $ compile loop_changes_index "*i32,i32"
# | control.py:229:13: error: 'i' is the int 1 before the loop, and the loop assigns the int 2; a loop changes run-time values only: give the constant to another name first
# |         for i in tl.static_range(3):
# |             ^
# | control.py:225:9: note: 'i' got its type here
# = 1
# $ compile defined_in_loop "*i32,i32"
# | control.py:237:17: error: 'x' is not defined here: it is assigned only inside a loop; give it a value before
# |     tl.store(p, x)
# |                 ^
# | control.py:236:9: note: 'x' is assigned here
# = 1

# While.
# $ compile while_true "*i32,i32"
# | control.py:242:11: error: the condition of a 'while' is a run-time scalar, not True, with which it would never end
# |     while True:
# |           ^~~~
# = 1
# $ compile while_constant "*i32,i32:1"
# | control.py:248:11: error: the condition of a 'while' is a run-time scalar, not True, with which it would never end
# |     while n > 0:
# |           ^~~~~
# | control.py:247:23: note: 'n' is the int 1, a compile-time value; m = n makes a run-time one, which the loop can change
# = 1
# $ compile while_block "*i32,i32"
# | control.py:255:11: error: the block u1[8] has no single truth value; reduce it (tl.max, tl.sum), or choose element by element with tl.where
# |     while i > 0:
# |           ^~~~~
# = 1

# Return.
# $ compile return_in_loop "*i32,i32"
# | control.py:263:13: error: a 'return' inside a loop is not part of the kernel language; loop with 'while' and a flag in its condition
# |             return
# |             ^~~~~~
# = 1
# $ compile return_in_loop_constant "*i32,i32,True"
# | control.py:270:13: error: a 'return' inside a loop is not part of the kernel language; loop with 'while' and a flag in its condition
# |             return
# |             ^~~~~~
# = 1
# $ compile return_in_while "*i32,i32"
# | control.py:276:9: error: a 'return' inside a loop is not part of the kernel language; loop with 'while' and a flag in its condition
# |         return
# |         ^~~~~~
# = 1
# $ compile return_value_of_kernel "*i32,i32"
# | control.py:281:5: error: a kernel returns nothing; store the result through a pointer
# |     return n
# |     ^~~~~~~~
# = 1
# $ compile code_after_constant_return "*i32,i32,True"
# | control.py:288:17: error: 'nowhere' is not defined
# |     tl.store(p, nowhere)
# |                 ^~~~~~~
# = 1
