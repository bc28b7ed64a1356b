"""Kernels whose programs hand data to each other through memory: plain loads and stores, ordered by atomics alone."""
import triton
import triton.language as tl


@triton.jit
def count_under_lock(lock_ptr, count_ptr, sums_ptr, TAKE: tl.constexpr, GIVE: tl.constexpr, BLOCK: tl.constexpr):
    """The lock is given back by an exchange whose result nobody uses."""
    i = tl.arange(0, BLOCK)
    while tl.atomic_cas(lock_ptr, 0, 1, sem=TAKE) == 1:
        pass
    count = tl.load(count_ptr)
    sums = tl.load(sums_ptr + i)
    tl.store(count_ptr, count + 1)
    tl.store(sums_ptr + i, sums + i)
    tl.atomic_xchg(lock_ptr, 0, sem=GIVE)


@triton.jit
def accumulate_in_groups(x_ptr, sums_ptr, locks_ptr, counts_ptr, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """The first program of a group stores its row, the others add theirs: the backward pass of layer norm."""
    program = tl.program_id(0)
    group = program % GROUPS
    i = tl.arange(0, BLOCK)
    row = tl.load(x_ptr + program * BLOCK + i)
    while tl.atomic_cas(locks_ptr + group, 0, 1) == 1:
        pass
    count = tl.load(counts_ptr + group)
    if count == 0:
        tl.atomic_xchg(counts_ptr + group, 1)
    else:
        row += tl.load(sums_ptr + group * BLOCK + i)
    tl.store(sums_ptr + group * BLOCK + i, row)
    tl.atomic_xchg(locks_ptr + group, 0)


# signature: *i32,*i32,*i32,*i32,64
@triton.jit
def semaphore(permits_ptr, inside_ptr, most_ptr, slots_ptr, BLOCK: tl.constexpr):
    """At most as many programs as there are permits are inside at a time."""
    i = tl.arange(0, BLOCK)
    taken = -1
    while taken < 0:
        free = tl.atomic_add(permits_ptr, 0, sem="acquire")
        if free > 0:
            if tl.atomic_cas(permits_ptr, free, free - 1, sem="acq_rel") == free:
                taken = free
    inside = tl.atomic_add(inside_ptr, 1, sem="relaxed") + 1
    tl.atomic_max(most_ptr, inside, sem="relaxed")
    tl.atomic_add(slots_ptr + i, 1, sem="relaxed")
    tl.atomic_add(inside_ptr, -1, sem="relaxed")
    tl.atomic_add(permits_ptr, 1)


# signature: *fp32:16,*fp32:16,*fp32:16,*i32,7,512
@triton.jit
def split_k(x_ptr, partial_ptr, out_ptr, arrived_ptr, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    """Whoever arrives last at a tile adds what the others have stored."""
    tile, split = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, BLOCK)
    tl.store(partial_ptr + (tile * SPLITS + split) * BLOCK + i, tl.load(x_ptr + (tile * SPLITS + split) * BLOCK + i) * 2)
    if tl.atomic_add(arrived_ptr + tile, 1) == SPLITS - 1:
        total = tl.zeros((BLOCK,), tl.float32)
        for other in range(SPLITS):
            total += tl.load(partial_ptr + (tile * SPLITS + other) * BLOCK + i)
        tl.store(out_ptr + tile * BLOCK + i, total)
        tl.atomic_xchg(arrived_ptr + tile, 0)  # for the next launch


@triton.jit
def stream_k(x_ptr, partial_ptr, flags_ptr, out_ptr, DEPTH: tl.constexpr, EACH: tl.constexpr, GIVE: tl.constexpr, BLOCK: tl.constexpr):
    """Programs take EACH steps of tiles that have DEPTH. Whoever ends a tile fixes it up with what others began."""
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    step, end = program * EACH, (program + 1) * EACH
    while step < end:
        tile = step // DEPTH
        stop = tl.minimum(end, (tile + 1) * DEPTH)
        total = tl.zeros((BLOCK,), tl.float32)
        for at in range(step, stop):
            total += tl.load(x_ptr + at * BLOCK + i)
        if stop == (tile + 1) * DEPTH:
            for other in range(tile * DEPTH // EACH, program):
                while tl.atomic_cas(flags_ptr + other, 1, 1, sem="acquire") != 1:
                    pass
                total += tl.load(partial_ptr + other * BLOCK + i)
            tl.store(out_ptr + tile * BLOCK + i, total)
        else:
            tl.store(partial_ptr + program * BLOCK + i, total)
            tl.atomic_xchg(flags_ptr + program, 1, sem=GIVE)
        step = stop


# signature: *i32,*i32,i32,128
@triton.jit
def rounds_of_grid(x_ptr, arrived_ptr, rounds, BLOCK: tl.constexpr):
    """Every program waits for all others, then reads what its neighbour has written."""
    program, programs = tl.program_id(0), tl.num_programs(0)
    i = tl.arange(0, BLOCK)
    for round in range(rounds):
        mine = x_ptr + (round * programs + program) * BLOCK + i
        neighbour = x_ptr + (round * programs + (program + 1) % programs) * BLOCK + i
        value = tl.load(mine) + tl.load(neighbour) % 1000
        tl.store(mine + programs * BLOCK, value)
        tl.atomic_add(arrived_ptr, 1)
        while tl.atomic_add(arrived_ptr, 0, sem="acquire") < (round + 1) * programs:
            pass


@triton.jit
def message(data_ptr, flag_ptr, out_ptr, BLOCK: tl.constexpr):
    """Odd programs poll for what the even ones before them write; the poll is a plain load that says "fetch again"."""
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    pair = program // 2
    if program % 2 == 0:
        tl.store(data_ptr + pair * BLOCK + i, i + pair)
        tl.atomic_xchg(flag_ptr + pair, 1, sem="release")
    else:
        while tl.load(flag_ptr + pair, cache_modifier=".cv") == 0:
            pass
        tl.atomic_add(flag_ptr + pair, 0, sem="acquire")
        tl.store(out_ptr + pair * BLOCK + i, tl.load(data_ptr + pair * BLOCK + i))
