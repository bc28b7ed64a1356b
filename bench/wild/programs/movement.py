"""Indexed accesses, reductions, scans, histograms, atomics, sequences of different lengths."""
import triton
import triton.language as tl

from corpus import Case, operator, torch


@triton.jit
def embedding_kernel(index_ptr, table_ptr, out_ptr, D, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + row).to(tl.int64)
    tl.store(out_ptr + row.to(tl.int64) * D + i, tl.load(table_ptr + index * D + i, mask=i < D), mask=i < D)


@triton.jit
def embedding_backward_kernel(dy_ptr, index_ptr, grad_ptr, D, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + row).to(tl.int64)
    tl.atomic_add(grad_ptr + index * D + i, tl.load(dy_ptr + row.to(tl.int64) * D + i, mask=i < D), mask=i < D)


@operator()
def embedding(w):
    V, D, T = w.pick(32000, 100), w.pick(4096, 96), w.pick(8192, 50)
    table, index = w.randn(V, D), w.randint(0, V, (T,))

    def call():
        out = torch.empty((T, D), device=table.device, dtype=table.dtype)
        embedding_kernel[(T, triton.cdiv(D, 1024))](index, table, out, D, 1024)
        return out
    return Case(call, lambda: table[index], exact=True)


@operator()
def embedding_backward(w):
    V, D, T = w.pick(32000, 20), w.pick(1024, 96), w.pick(8192, 200)
    dy, index = w.randn(T, D, dtype=torch.float32), w.randint(0, V, (T,))

    def call():
        grad = torch.zeros((V, D), device=dy.device, dtype=torch.float32)
        embedding_backward_kernel[(T, triton.cdiv(D, 1024))](dy, index, grad, D, 1024)
        return grad
    return Case(call, lambda: torch.zeros(V, D, device=dy.device, dtype=torch.float64).index_add_(0, index, dy.double()))


@triton.jit
def gather_kernel(x_ptr, index_ptr, y_ptr, N, K, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + row * K + i, mask=i < K, other=0)
    tl.store(y_ptr + row * K + i, tl.load(x_ptr + row * N + index, mask=i < K), mask=i < K)


@operator()
def gather_columns(w):
    rows, N, K = w.pick(4096, 20), w.pick(4096, 100), w.pick(2048, 70)
    x, index = w.randn(rows, N, dtype=torch.float32), w.randint(0, N, (rows, K))

    def call():
        y = torch.empty((rows, K), device=x.device, dtype=x.dtype)
        gather_kernel[(rows, triton.cdiv(K, 512))](x, index, y, N, K, 512)
        return y
    return Case(call, lambda: x.gather(1, index), exact=True)


@triton.jit
def scatter_add_kernel(x_ptr, index_ptr, y_ptr, n, D: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    index = tl.load(index_ptr + m, mask=m < n, other=0)
    x = tl.load(x_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < n)
    tl.atomic_add(y_ptr + index[:, None] * D + d[None, :], x, mask=m[:, None] < n, sem="relaxed")


@operator(variants=[dict(dtype="float32"), dict(dtype="float16")])
def scatter_add(w, dtype):
    n, nodes, D = w.pick(1 << 18, 300), w.pick(20000, 40), 64
    x, index = w.randn(n, D, dtype=getattr(torch, dtype)), w.randint(0, nodes, (n,), torch.int32)

    def call():
        y = torch.zeros((nodes, D), device=x.device, dtype=x.dtype)
        scatter_add_kernel[(triton.cdiv(n, 32),)](x, index, y, n, D, 32)
        return y
    return Case(call, lambda: torch.zeros(nodes, D, device=x.device, dtype=torch.float64).index_add_(0, index.long(), x.double()),
                tolerance=0.05 if dtype == "float16" else 0.0)


# ---- reductions -----------------------------------------------------------------------------------

@triton.jit
def row_reduce_kernel(x_ptr, sum_ptr, max_ptr, min_ptr, N, BLOCK: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    high = tl.full((BLOCK,), float("-inf"), tl.float32)
    low = tl.full((BLOCK,), float("inf"), tl.float32)
    for start in range(0, N, BLOCK):
        mask = start + i < N
        x = tl.load(x_ptr + row * N + start + i, mask=mask, other=0.0).to(tl.float32)
        total += x
        high = tl.maximum(high, tl.where(mask, x, float("-inf")))
        low = tl.minimum(low, tl.where(mask, x, float("inf")))
    tl.store(sum_ptr + row, tl.sum(total, 0))
    tl.store(max_ptr + row, tl.max(high, 0))
    tl.store(min_ptr + row, tl.min(low, 0))


@operator(variants=[dict(rows=16384, N=256), dict(rows=1024, N=10007), dict(rows=64, N=1 << 18)])
def reduce_rows(w, rows, N):
    rows, N = w.pick(rows, 8), w.pick(N, min(N, 2000))
    x = w.randn(rows, N)

    def call():
        outs = [torch.empty(rows, device=x.device, dtype=torch.float32) for _ in range(3)]
        row_reduce_kernel[(rows,)](x, *outs, N, min(4096, triton.next_power_of_2(N)))
        return outs
    return Case(call, lambda: [x.double().sum(-1), x.double().amax(-1), x.double().amin(-1)])


@triton.jit
def column_sum_kernel(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(tl.program_id(1) * BM, M, tl.num_programs(1) * BM):
        m = start + tl.arange(0, BM)
        total += tl.load(x_ptr + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0.0).to(tl.float32)
    tl.atomic_add(y_ptr + n, tl.sum(total, 0), mask=n < N)


@operator(variants=[dict(M=16384, N=1024), dict(M=1 << 18, N=64), dict(M=1000, N=5001)])
def reduce_columns(w, M, N):
    M, N = w.pick(M, 300), w.pick(N, min(N, 130))
    x = w.randn(M, N)

    def call():
        y = torch.zeros(N, device=x.device, dtype=torch.float32)
        column_sum_kernel[(triton.cdiv(N, 64), w.pick(16, 2))](x, y, M, N, 64, 64)
        return y
    return Case(call, lambda: x.double().sum(0))


@triton.jit
def middle_sum_kernel(x_ptr, y_ptr, B, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """The middle axis of three."""
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    base = tl.program_id(1).to(tl.int64) * M * N
    total = tl.zeros((BN,), tl.float32)
    for start in range(0, M, BM):
        m = start + tl.arange(0, BM)
        x = tl.load(x_ptr + base + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0.0)
        total += tl.sum(x.to(tl.float32), 0)
    tl.store(y_ptr + tl.program_id(1) * N + n, total / M, mask=n < N)


@operator()
def mean_pool(w):
    B, M, N = w.pick(64, 2), w.pick(512, 50), w.pick(768, 100)
    x = w.randn(B, M, N)

    def call():
        y = torch.empty((B, N), device=x.device, dtype=torch.float32)
        middle_sum_kernel[(triton.cdiv(N, 128), B)](x, y, B, M, N, 32, 128)
        return y
    return Case(call, lambda: x.double().mean(1))


# ---- scans ----------------------------------------------------------------------------------------

@triton.jit
def cumsum_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr, REVERSE: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + i, mask=i < N, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * N + i, tl.cumsum(x, 0, reverse=REVERSE), mask=i < N)


@operator(variants=[dict(N=1024, reverse=False), dict(N=4096, reverse=True)])
def cumsum_rows(w, N, reverse):
    x = w.randn(w.pick(8192, 16), N)

    def call():
        y = torch.empty(x.shape, device=x.device, dtype=torch.float32)
        cumsum_kernel[(x.shape[0],)](x, y, N, N, reverse, num_warps=4)
        return y

    def reference():
        return x.double().flip(-1).cumsum(-1).flip(-1) if reverse else x.double().cumsum(-1)
    return Case(call, reference)


@triton.jit
def cumsum_columns_kernel(x_ptr, y_ptr, T, D, BT: tl.constexpr, BD: tl.constexpr):
    """Along tokens, in chunks, the last row carried on."""
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    base = tl.program_id(1).to(tl.int64) * T * D
    carried = tl.zeros((BD,), tl.float32)
    for start in range(0, T, BT):
        t = start + tl.arange(0, BT)
        mask = (t[:, None] < T) & (d[None, :] < D)
        x = tl.load(x_ptr + base + t[:, None] * D + d[None, :], mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + base + t[:, None] * D + d[None, :], tl.cumsum(x, 0) + carried[None, :], mask=mask)
        carried += tl.sum(x, 0)


@operator()
def cumsum_tokens(w):
    B, T, D = w.pick(16, 2), w.pick(2048, 100), w.pick(256, 40)
    x = w.randn(B, T, D)

    def call():
        y = torch.empty(x.shape, device=x.device, dtype=torch.float32)
        cumsum_columns_kernel[(triton.cdiv(D, 32), B)](x, y, T, D, 64, 32)
        return y
    return Case(call, lambda: x.double().cumsum(1))


# ---- histograms and locks -------------------------------------------------------------------------

@triton.jit
def histogram_kernel(x_ptr, y_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x_ptr + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(y_ptr + tl.arange(0, BINS), counts)


@operator(variants=[dict(bins=64), dict(bins=256)])
def histogram(w, bins):
    n = w.pick(1 << 22, 10000)
    x = w.randint(0, bins, (n,), torch.int32)

    def call():
        y = torch.zeros(bins, device=x.device, dtype=torch.int32)
        histogram_kernel[(triton.cdiv(n, 4096),)](x, y, n, bins, 4096)
        return y
    return Case(call, lambda: torch.bincount(x, minlength=bins).to(torch.int32), exact=True)


@triton.jit
def locked_sum_kernel(x_ptr, total_ptr, lock_ptr, N, BLOCK: tl.constexpr, SEM: tl.constexpr):
    """Every program adds its block to one row, which a spin lock guards."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * N + i, mask=i < N, other=0.0)
    while tl.atomic_cas(lock_ptr, 0, 1, sem=SEM) == 1:
        pass
    tl.debug_barrier()
    total = tl.load(total_ptr + i, mask=i < N, cache_modifier=".cg")
    tl.store(total_ptr + i, total + x, mask=i < N)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@operator(suspect=True, variants=[dict(sem="acq_rel"), dict(sem="acquire"), dict(sem="relaxed")])
def locked_sum(w, sem):
    rows, N = w.pick(2000, 50), 256
    x = w.randint(0, 3, (rows, N), torch.int32)

    def call():
        total, lock = torch.zeros(N, device=x.device, dtype=torch.int32), torch.zeros(1, device=x.device, dtype=torch.int32)
        locked_sum_kernel[(rows,)](x, total, lock, N, N, sem)
        return total
    return Case(call, lambda: x.sum(0).to(torch.int32), exact=True)


# ---- sequences of different lengths ---------------------------------------------------------------

@triton.jit
def jagged_softmax_kernel(x_ptr, starts_ptr, y_ptr, D: tl.constexpr, BLOCK: tl.constexpr):
    """Softmax along the tokens of each sequence, for D channels at once."""
    begin, end = tl.load(starts_ptr + tl.program_id(0)), tl.load(starts_ptr + tl.program_id(0) + 1)
    d = tl.arange(0, D)
    top = tl.full((D,), float("-inf"), tl.float32)
    total = tl.zeros((D,), tl.float32)
    for start in range(begin, end, BLOCK):
        t = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + t[:, None] * D + d[None, :], mask=t[:, None] < end, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, 0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher[None, :]), 0)
        top = higher
    for start in range(begin, end, BLOCK):
        t = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + t[:, None] * D + d[None, :], mask=t[:, None] < end, other=0.0).to(tl.float32)
        tl.store(y_ptr + t[:, None] * D + d[None, :], tl.exp(x - top[None, :]) / total[None, :], mask=t[:, None] < end)


@triton.jit
def jagged_to_padded_kernel(x_ptr, starts_ptr, y_ptr, most, D: tl.constexpr, BLOCK: tl.constexpr):
    sequence = tl.program_id(0)
    begin, end = tl.load(starts_ptr + sequence), tl.load(starts_ptr + sequence + 1)
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    x = tl.load(x_ptr + (begin + t[:, None]) * D + d[None, :], mask=begin + t[:, None] < end, other=0.0)
    tl.store(y_ptr + (sequence * most + t[:, None]) * D + d[None, :], x, mask=t[:, None] < most)


def jagged_inputs(w, D):
    lengths = w.randint(1, w.pick(300, 30), (w.pick(512, 6),))
    starts = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)
    return w.randn(int(lengths.sum()), D, dtype=torch.float32), lengths, starts


@operator()
def jagged_softmax(w):
    x, lengths, starts = jagged_inputs(w, 64)

    def call():
        y = torch.empty_like(x)
        jagged_softmax_kernel[(len(lengths),)](x, starts, y, 64, 32)
        return y
    return Case(call, lambda: torch.cat([part.double().softmax(0) for part in x.split(lengths.tolist())]), tolerance=1e-3)


@operator()
def jagged_to_padded(w):
    x, lengths, starts = jagged_inputs(w, 128)
    most = int(lengths.max())

    def call():
        y = torch.empty((len(lengths), most, 128), device=x.device, dtype=x.dtype)
        jagged_to_padded_kernel[(len(lengths), triton.cdiv(most, 32))](x, starts, y, most, 128, 32)
        return y
    return Case(call, lambda: torch.nn.utils.rnn.pad_sequence(x.split(lengths.tolist()), batch_first=True), exact=True)
