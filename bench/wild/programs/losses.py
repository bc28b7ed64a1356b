"""Losses and what follows the logits: cross entropy, divergences, top-k, sampling."""
import triton
import triton.language as tl

from corpus import Case, operator, torch


@triton.jit
def cross_entropy_kernel(x_ptr, y_ptr, loss_ptr, lse_ptr, V, ignore, smoothing, BLOCK: tl.constexpr):
    """The loss of a row, and the logits' gradient in their place."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * V
    label = tl.load(y_ptr + row)
    top = float("-inf")
    total = 0.0
    summed = 0.0
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < V, other=float("-inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, 0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), 0)
        summed += tl.sum(tl.where(i < V, x, 0.0), 0)
        top = higher
    lse = top + tl.log(total)
    tl.store(lse_ptr + row, lse)
    if label == ignore:
        tl.store(loss_ptr + row, 0.0)
        for start in range(0, V, BLOCK):
            i = start + tl.arange(0, BLOCK)
            tl.store(x_ptr + i, tl.zeros((BLOCK,), x_ptr.dtype.element_ty), mask=i < V)
        return
    own = tl.load(x_ptr + label).to(tl.float32)
    tl.store(loss_ptr + row, (lse - own) * (1 - smoothing) + smoothing * (lse - summed / V))
    tl.debug_barrier()
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < V, other=float("-inf")).to(tl.float32)
        g = tl.exp(x - lse) - smoothing / V - tl.where(i == label, 1 - smoothing, 0.0)
        tl.store(x_ptr + i, g.to(x_ptr.dtype.element_ty), mask=i < V)


@operator(variants=[dict(V=32000, dtype="float32"), dict(V=128256, dtype="bfloat16")])
def cross_entropy(w, V, dtype):
    rows, V = w.pick(2048, 8), w.pick(V, 5000)
    x = w.randn(rows, V, dtype=getattr(torch, dtype))
    y = w.randint(0, V, (rows,))
    y[::7] = -100

    def call():
        g = x.clone()
        loss, lse = (torch.empty(rows, device=x.device, dtype=torch.float32) for _ in range(2))
        cross_entropy_kernel[(rows,)](g, y, loss, lse, V, -100, 0.1, 8192, num_warps=16)
        return loss, g

    def reference():
        a = x.double().requires_grad_()
        loss = torch.nn.functional.cross_entropy(a, y, ignore_index=-100, label_smoothing=0.1, reduction="none")
        loss.sum().backward()
        return loss.detach(), a.grad
    return Case(call, reference)


@triton.jit
def kl_kernel(p_ptr, q_ptr, loss_ptr, grad_ptr, V, BLOCK: tl.constexpr):
    """Divergence of log-probabilities p from probabilities q, and p's gradient."""
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        p = tl.load(p_ptr + row * V + i, mask=i < V, other=0.0)
        q = tl.load(q_ptr + row * V + i, mask=i < V, other=0.0)
        total += tl.where(q > 0, q * (tl.log(tl.maximum(q, 1e-30)) - p), 0.0)
        tl.store(grad_ptr + row * V + i, -q, mask=i < V)
    tl.store(loss_ptr + row, tl.sum(total, 0))


@operator()
def kl_divergence(w):
    rows, V = w.pick(4096, 8), w.pick(32000, 3000)
    p = torch.log_softmax(w.randn(rows, V, dtype=torch.float32), -1)
    q = torch.softmax(w.randn(rows, V, dtype=torch.float32), -1)

    def call():
        loss, grad = torch.empty(rows, device=p.device, dtype=torch.float32), torch.empty_like(p)
        kl_kernel[(rows,)](p, q, loss, grad, V, 4096, num_warps=8)
        return loss, grad
    return Case(call, lambda: ((q.double() * (q.double().log() - p.double())).sum(-1), -q.double()), tolerance=1e-3)


@triton.jit
def jsd_kernel(x_ptr, y_ptr, loss_ptr, grad_ptr, beta, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = 0.0
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * V + i, mask=i < V, other=float("-inf")).to(tl.float32)
        y = tl.load(y_ptr + row * V + i, mask=i < V, other=float("-inf")).to(tl.float32)
        q, p = tl.exp(x), tl.exp(y)
        m = beta * p + (1 - beta) * q
        log_m = tl.log(tl.maximum(m, 1e-30))
        part = beta * p * (tl.where(i < V, y, 0.0) - log_m) + (1 - beta) * q * (tl.where(i < V, x, 0.0) - log_m)
        total += tl.sum(tl.where(i < V, part, 0.0), 0)
        tl.store(grad_ptr + row * V + i, ((1 - beta) * q * (x - log_m)).to(grad_ptr.dtype.element_ty), mask=i < V)
    tl.store(loss_ptr + row, total)


@operator()
def jensen_shannon(w):
    rows, V = w.pick(2048, 8), w.pick(32000, 3000)
    x, y = (torch.log_softmax(w.randn(rows, V, dtype=torch.float32), -1) for _ in range(2))

    def call():
        loss, grad = torch.empty(rows, device=x.device, dtype=torch.float32), torch.empty_like(x)
        jsd_kernel[(rows,)](x, y, loss, grad, 0.5, V, 4096, num_warps=8)
        return loss, grad

    def reference():
        a, b = x.double(), y.double()
        m = (a.exp() + b.exp()) / 2
        return (0.5 * b.exp() * (b - m.log()) + 0.5 * a.exp() * (a - m.log())).sum(-1), 0.5 * a.exp() * (a - m.log())
    return Case(call, reference, tolerance=1e-3)


# ---- sorting, choosing ----------------------------------------------------------------------------

@triton.jit
def sort_kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr, DOWN: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + i, mask=i < N, other=float("-inf") if DOWN else float("inf"))
    tl.store(y_ptr + row * N + i, tl.sort(x, descending=DOWN), mask=i < N)


@operator(variants=[dict(N=128), dict(N=1000), dict(N=4096)])
def sort_rows(w, N):
    x = w.randn(w.pick(4096, 16), N, dtype=torch.float32)

    def call():
        y = torch.empty_like(x)
        sort_kernel[(x.shape[0],)](x, y, N, triton.next_power_of_2(N), True, num_warps=4 if N < 2048 else 8)
        return y
    return Case(call, lambda: x.sort(-1, descending=True).values, exact=True)


@triton.jit
def top_k_kernel(x_ptr, values_ptr, index_ptr, N, K: tl.constexpr, BLOCK: tl.constexpr):
    """Value and index in one integer, so that one sort carries both."""
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + i, mask=i < N, other=float("-inf"))
    bits = x.to(tl.uint32, bitcast=True)
    key = tl.where((bits >> 31) != 0, ~bits, bits | 0x80000000).to(tl.uint64)
    both = tl.topk((key << 32) | (BLOCK - 1 - i).to(tl.uint64), K)
    k = tl.arange(0, K)
    index = BLOCK - 1 - (both & 0xFFFFFFFF).to(tl.int32)
    high = (both >> 32).to(tl.uint32)
    value = tl.where((high >> 31) != 0, high & 0x7FFFFFFF, ~high).to(tl.float32, bitcast=True)
    tl.store(values_ptr + row * K + k, value)
    tl.store(index_ptr + row * K + k, index)


@operator(variants=[dict(N=64, K=8), dict(N=256, K=8), dict(N=2048, K=64)])
def top_k(w, N, K):
    x = w.randn(w.pick(8192, 32), N, dtype=torch.float32)

    def call():
        values = torch.empty((x.shape[0], K), device=x.device, dtype=torch.float32)
        index = torch.empty((x.shape[0], K), device=x.device, dtype=torch.int32)
        top_k_kernel[(x.shape[0],)](x, values, index, N, K, N, num_warps=1 if N <= 64 else 4)
        return values, index

    def reference():
        best = x.topk(K)
        return best.values, best.indices.to(torch.int32)
    return Case(call, reference, exact=True)


@triton.jit
def argmax_kernel(x_ptr, value_ptr, index_ptr, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    where = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * V + i, mask=i < V, other=float("-inf")).to(tl.float32)
        where = tl.where(x > best, i, where)
        best = tl.maximum(best, x)
    value, place = tl.max(best, 0, return_indices=True)
    tl.store(value_ptr + row, value)
    tl.store(index_ptr + row, tl.sum(tl.where(tl.arange(0, BLOCK) == place, where, 0), 0))


@operator(variants=[dict(rows=1), dict(rows=256)])
def argmax_logits(w, rows):
    V = w.pick(128256, 5000)
    x = w.randn(rows, V, dtype=torch.float32)

    def call():
        value, index = torch.empty(rows, device=x.device), torch.empty(rows, device=x.device, dtype=torch.int32)
        argmax_kernel[(rows,)](x, value, index, V, 4096, num_warps=8)
        return value, index
    return Case(call, lambda: (x.max(-1).values, x.argmax(-1).to(torch.int32)), exact=True)


@triton.jit
def sample_kernel(x_ptr, u_ptr, out_ptr, temperature, V, BLOCK: tl.constexpr):
    """One token a row: the place where the running sum of probabilities passes u."""
    row = tl.program_id(0).to(tl.int64)
    top = float("-inf")
    total = 0.0
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * V + i, mask=i < V, other=float("-inf")) / temperature
        higher = tl.maximum(top, tl.max(x, 0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), 0)
        top = higher
    target = tl.load(u_ptr + row) * total
    passed = 0.0
    count = 0
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * V + i, mask=i < V, other=float("-inf")) / temperature
        p = tl.exp(x - top)
        running = passed + tl.cumsum(p, 0)
        count += tl.sum(((running <= target) & (i < V)).to(tl.int32), 0)
        passed += tl.sum(p, 0)
    tl.store(out_ptr + row, tl.minimum(count, V - 1))


@operator()
def sample_tokens(w):
    rows, V = w.pick(256, 16), w.pick(32000, 2000)
    x, u = w.randn(rows, V, dtype=torch.float32), w.rand(rows)

    def call():
        out = torch.empty(rows, device=x.device, dtype=torch.int32)
        sample_kernel[(rows,)](x, u, out, 0.8, V, 2048, num_warps=8)
        return out

    def reference():
        p = torch.softmax(x.double() / 0.8, -1).cumsum(-1)
        return (p <= u.double()[:, None]).sum(-1).clamp(max=V - 1).to(torch.int32)
    return Case(call, reference, allowed=0.1)


@triton.jit
def penalty_kernel(x_ptr, tokens_ptr, counts_ptr, starts_ptr, presence, frequency, repetition, V, BLOCK: tl.constexpr):
    """Logits of tokens that were generated before are lowered in place."""
    row = tl.program_id(0)
    begin, end = tl.load(starts_ptr + row), tl.load(starts_ptr + row + 1)
    for start in range(begin, end, BLOCK):
        i = start + tl.arange(0, BLOCK)
        token = tl.load(tokens_ptr + i, mask=i < end, other=0)
        count = tl.load(counts_ptr + i, mask=i < end, other=0)
        x = tl.load(x_ptr + row * V + token, mask=i < end, other=0.0)
        x = tl.where(x > 0, x / repetition, x * repetition) - presence - count * frequency
        tl.store(x_ptr + row * V + token, x, mask=i < end)


@operator()
def repetition_penalty(w):
    rows, V, per = w.pick(256, 8), w.pick(32000, 500), w.pick(300, 40)
    x = w.randn(rows, V, dtype=torch.float32)
    tokens = torch.stack([torch.randperm(V, device=x.device)[:per] for _ in range(rows)]).to(torch.int32)
    counts, starts = w.randint(1, 9, (rows * per,), torch.int32), w.arange(0, (rows + 1) * per, per, dtype=torch.int32)

    def call():
        y = x.clone()
        penalty_kernel[(rows,)](y, tokens, counts, starts, 0.5, 0.1, 1.2, V, 256)
        return y

    def reference():
        y = x.clone()
        old = y.gather(1, tokens.long())
        new = torch.where(old > 0, old / 1.2, old * 1.2) - 0.5 - counts.view(rows, per) * 0.1
        return y.scatter_(1, tokens.long(), new)
    return Case(call, reference)
