"""Kernels whose programs meet at the same memory."""
import triton
import triton.language as tl


# signature: *i32,*i32
@triton.jit
def take_tickets(counter_ptr, ticket_ptr):
    """Each program takes the next number."""
    tl.store(ticket_ptr + tl.program_id(0), tl.atomic_add(counter_ptr, 1))


# signature: *i32,*i32,*i32,16
@triton.jit
def locked(lock_ptr, sums_ptr, count_ptr, BLOCK: tl.constexpr):
    """Plain loads and stores between taking a lock and giving it back: nobody else is there."""
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    sums = tl.load(sums_ptr + i)
    count = tl.load(count_ptr)
    tl.store(sums_ptr + i, sums * 3 + program * 0 + i + count)
    tl.store(count_ptr, count + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


# signature: *i32,*i32
@triton.jit
def in_turn(turn_ptr, order_ptr):
    """Each program waits for the one before it."""
    program = tl.program_id(0)
    while tl.atomic_add(turn_ptr, 0, sem="acquire") != program:
        pass
    tl.store(order_ptr + program, tl.load(order_ptr + program - 1, mask=program > 0, other=7) * 3 + 1)
    tl.atomic_add(turn_ptr, 1, sem="release")


# signature: *fp32,*fp32,*fp32,*i32,*i32,i32,128
@triton.jit
def last_one_sums(x_ptr, partial_ptr, total_ptr, arrived_ptr, last_ptr, n, BLOCK: tl.constexpr):
    """Programs write their sums; whoever arrives last adds them up."""
    program = tl.program_id(0)
    i = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial_ptr + program, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), 0))
    arrived = tl.atomic_add(arrived_ptr, 1, sem="acq_rel")
    if arrived == tl.num_programs(0) - 1:
        j = tl.arange(0, BLOCK)
        partial = tl.load(partial_ptr + j, mask=j < tl.num_programs(0), other=0.0, volatile=True)
        tl.store(total_ptr, tl.sum(partial, 0))
        tl.store(last_ptr, program)
