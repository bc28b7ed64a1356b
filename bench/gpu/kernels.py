"""The kernels that are measured: plain Triton, one of each kind that people write.

Parameters have the names and the order of the project's anchor kernels, so that `--kernels FILE` can put those in
their place.
"""
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    inside = i < n_elements
    total = tl.load(x_ptr + i, mask=inside) + tl.load(y_ptr + i, mask=inside)
    tl.store(output_ptr + i, total, mask=inside)


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_stride, out_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < n_cols
    x = tl.load(in_ptr + row * in_stride + i, mask=inside, other=-float("inf")).to(tl.float32)
    power = tl.exp(x - tl.max(x, axis=0))
    y = power / tl.sum(power, axis=0)
    tl.store(out_ptr + row * out_stride + i, y.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def layernorm_kernel(x_ptr, y_ptr, w_ptr, b_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < n_cols
    x = tl.load(x_ptr + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, x - tl.sum(x, axis=0) / n_cols, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n_cols
    scale = 1 / tl.sqrt(variance + eps)
    w = tl.load(w_ptr + i, mask=inside)
    b = tl.load(b_ptr + i, mask=inside)
    tl.store(y_ptr + row * stride + i, (centred * scale * w + b).to(y_ptr.dtype.element_ty), mask=inside)


# ---- products -------------------------------------------------------------------------------------

@triton.jit
def tile_of(pid, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Programs walk down GROUP rows of tiles before they move on, so that neighbours share operands in the cache."""
    rows = tl.cdiv(M, BM)
    per_group = GROUP * tl.cdiv(N, BN)
    top = pid // per_group * GROUP
    height = min(rows - top, GROUP)
    return top + pid % per_group % height, pid % per_group // height


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, acc,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    row, column = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + (m % M)[:, None] * sam + k[None, :] * sak
    b = b_ptr + k[:, None] * sbk + (n % N)[None, :] * sbn
    for step in range(0, tl.cdiv(K, BK)):
        left = K - step * BK
        x = tl.load(a, mask=k[None, :] < left, other=0.0)
        y = tl.load(b, mask=k[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc, out_dtype=acc.dtype)
        a += BK * sak
        b += BK * sbk
    c = c_ptr + m[:, None] * scm + n[None, :] * scn
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    product(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, acc, BM, BN, BK, GROUP)


@triton.jit
def matmul_int8_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
                       BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    product(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, acc, BM, BN, BK, GROUP)


@triton.jit
def batched_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sab, sam, sak, sbb, sbk, sbn, scb, scm, scn,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """One product of a batch: the second program id chooses which."""
    batch = tl.program_id(1).to(tl.int64)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    product(a_ptr + batch * sab, b_ptr + batch * sbb, c_ptr + batch * scb, M, N, K, sam, sak, sbk, sbn, scm, scn, acc, BM, BN, BK, GROUP)


@triton.jit
def batched_dot_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sab, sam, sbb, sbk, scb, scm,
                       BB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Several products of a batch at once, as a tl.dot of three-dimensional tiles."""
    batch = (tl.program_id(2) * BB + tl.arange(0, BB))[:, None, None].to(tl.int64)
    m = (tl.program_id(0) * BM + tl.arange(0, BM))[None, :, None]
    n = (tl.program_id(1) * BN + tl.arange(0, BN))[None, None, :]
    k = tl.arange(0, BK)
    a = a_ptr + batch * sab + m * sam + k[None, None, :]
    b = b_ptr + batch * sbb + k[None, :, None] * sbk + n
    acc = tl.zeros((BB, BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK * sbk
    tl.store(c_ptr + batch * scb + m * scm + n, acc.to(c_ptr.dtype.element_ty))


@triton.jit
def matmul_desc_kernel(a_ptr, b_ptr, c_ptr, M, N, K,
                       BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    row, column = tile_of(tl.program_id(0), M, N, BM, BN, GROUP)
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(a.load([row * BM, step * BK]), b.load([column * BN, step * BK]).T, acc)
    c.store([row * BM, column * BN], acc.to(c_ptr.dtype.element_ty))


# ---- attention forward ----------------------------------------------------------------------------

@triton.jit
def attend(q, k_ptr, v_ptr, highest, total, acc, begin, end, rows, scale, D: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr):
    """Folds the keys and values from begin to end into the running maximum, sum and accumulator."""
    j = tl.arange(0, BN)
    d = tl.arange(0, D)
    for first in range(begin, end, BN):
        first = tl.multiple_of(first, BN)
        k = tl.load(k_ptr + (first + j)[None, :] * D + d[:, None])
        score = tl.dot(q, k) * scale
        if MASKED:
            score += tl.where(rows[:, None] >= (first + j)[None, :], 0, -1.0e6)
        new = tl.maximum(highest, tl.max(score, 1))
        weight = tl.exp2(score - new[:, None])
        shrink = tl.exp2(highest - new)
        total = total * shrink + tl.sum(weight, 1)
        v = tl.load(v_ptr + (first + j)[:, None] * D + d[None, :])
        acc = tl.dot(weight.to(v.dtype), v, acc * shrink[:, None])
        highest = new
    return highest, total, acc


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, scale, stride_h, N_CTX,
                     D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * stride_h
    rows = start * BM + tl.arange(0, BM)
    place = rows[:, None] * D + tl.arange(0, D)[None, :]
    q = tl.load(q_ptr + head + place)
    highest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    scale *= 1.4426950408889634  # exp(x) = exp2(x / ln 2)
    if CAUSAL:
        highest, total, acc = attend(q, k_ptr + head, v_ptr + head, highest, total, acc, 0, start * BM, rows, scale, D, BN, False)
        highest, total, acc = attend(q, k_ptr + head, v_ptr + head, highest, total, acc, start * BM, (start + 1) * BM, rows, scale, D, BN, True)
    else:
        highest, total, acc = attend(q, k_ptr + head, v_ptr + head, highest, total, acc, 0, N_CTX, rows, scale, D, BN, False)
    tl.store(o_ptr + head + place, (acc / total[:, None]).to(o_ptr.dtype.element_ty))


# ---- attention backward ---------------------------------------------------------------------------

@triton.jit
def attention_delta_kernel(o_ptr, do_ptr, delta_ptr, stride_h, N_CTX, D: tl.constexpr, BM: tl.constexpr):
    """delta = the sum over a row of output × gradient of the output."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    place = tl.program_id(1).to(tl.int64) * stride_h + rows[:, None] * D + tl.arange(0, D)[None, :]
    o = tl.load(o_ptr + place).to(tl.float32)
    do = tl.load(do_ptr + place).to(tl.float32)
    tl.store(delta_ptr + tl.program_id(1) * N_CTX + rows, tl.sum(o * do, 1))


@triton.jit
def add_queries(dk, dv, k, v, q_ptr, do_ptr, lse_ptr, delta_ptr, keys, begin, end,
                D: tl.constexpr, STEP: tl.constexpr, MASKED: tl.constexpr):
    """Adds what the queries from begin to end contribute to the gradients of a block of keys and values."""
    d = tl.arange(0, D)
    for first in range(begin, end, STEP):
        rows = first + tl.arange(0, STEP)
        q = tl.load(q_ptr + rows[None, :] * D + d[:, None])
        lse = tl.load(lse_ptr + rows)
        weight = tl.exp2(tl.dot(k, q) - lse[None, :])
        if MASKED:
            weight = tl.where(rows[None, :] >= keys[:, None], weight, 0.0)
        do = tl.load(do_ptr + rows[:, None] * D + d[None, :])
        dv += tl.dot(weight.to(do.dtype), do)
        delta = tl.load(delta_ptr + rows)
        ds = weight * (tl.dot(v, tl.trans(do)) - delta[None, :])
        dk += tl.dot(ds.to(q.dtype), tl.trans(q))
    return dk, dv


@triton.jit
def add_keys(dq, q, do, lse, delta, k_ptr, v_ptr, rows, begin, end, D: tl.constexpr, STEP: tl.constexpr, MASKED: tl.constexpr):
    """Adds what the keys and values from begin to end contribute to the gradient of a block of queries."""
    d = tl.arange(0, D)
    for first in range(begin, end, STEP):
        keys = first + tl.arange(0, STEP)
        k = tl.load(k_ptr + keys[None, :] * D + d[:, None])
        v = tl.load(v_ptr + keys[None, :] * D + d[:, None])
        weight = tl.exp2(tl.dot(q, k) - lse[:, None])
        if MASKED:
            weight = tl.where(rows[:, None] >= keys[None, :], weight, 0.0)
        ds = weight * (tl.dot(do, v) - delta[:, None])
        dq += tl.dot(ds.to(k.dtype), tl.trans(k))
    return dq


@triton.jit
def attention_backward_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr, scale, stride_h, N_CTX,
                              D: tl.constexpr, BLOCK: tl.constexpr, BSTEP: tl.constexpr, CAUSAL: tl.constexpr):
    """The gradients of BLOCK keys and values, then of BLOCK queries. k is scaled by scale / ln 2, lse has base 2. The steps on
    the diagonal of a causal mask are half as wide."""
    head = tl.program_id(1).to(tl.int64) * stride_h
    q_ptr += head
    k_ptr += head
    v_ptr += head
    do_ptr += head
    lse_ptr += tl.program_id(1) * N_CTX
    delta_ptr += tl.program_id(1) * N_CTX
    start = tl.program_id(0) * BLOCK
    rows = start + tl.arange(0, BLOCK)
    place = rows[:, None] * D + tl.arange(0, D)[None, :]

    k = tl.load(k_ptr + place)
    v = tl.load(v_ptr + place)
    dk = tl.zeros((BLOCK, D), tl.float32)
    dv = tl.zeros((BLOCK, D), tl.float32)
    first = 0
    if CAUSAL:
        first = start + BLOCK
        dk, dv = add_queries(dk, dv, k, v, q_ptr, do_ptr, lse_ptr, delta_ptr, rows, start, first, D, BSTEP // 2, True)
    dk, dv = add_queries(dk, dv, k, v, q_ptr, do_ptr, lse_ptr, delta_ptr, rows, first, N_CTX, D, BSTEP, False)
    tl.store(dv_ptr + head + place, dv.to(dv_ptr.dtype.element_ty))
    tl.store(dk_ptr + head + place, (dk * scale).to(dk_ptr.dtype.element_ty))

    q = tl.load(q_ptr + place)
    do = tl.load(do_ptr + place)
    lse = tl.load(lse_ptr + rows)
    delta = tl.load(delta_ptr + rows)
    dq = tl.zeros((BLOCK, D), tl.float32)
    last = N_CTX
    if CAUSAL:
        last = start
        dq = add_keys(dq, q, do, lse, delta, k_ptr, v_ptr, rows, start, start + BLOCK, D, BSTEP // 2, True)
    dq = add_keys(dq, q, do, lse, delta, k_ptr, v_ptr, rows, 0, last, D, BSTEP, False)
    tl.store(dq_ptr + head + place, (dq * 0.6931471805599453).to(dq_ptr.dtype.element_ty))  # ln 2, which k was divided by


# ---- convolution ----------------------------------------------------------------------------------

@triton.jit
def conv3d_kernel(input_ptr, weight_ptr, output_ptr,
                  N, C_in, D, H, W, C_out, KD, KH, KW, D_out, H_out, W_out,
                  stride_d, stride_h, stride_w, padding_d, padding_h, padding_w,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  IS_INT8: tl.constexpr, IS_FP16: tl.constexpr):
    """Convolution as a product: rows are output places, columns output channels, the inner index the taps."""
    columns = tl.cdiv(C_out, BLOCK_N)
    m = tl.program_id(0) // columns * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) % columns * BLOCK_N + tl.arange(0, BLOCK_N)
    volume = D_out * H_out * W_out
    batch = m // volume
    od = m // (H_out * W_out) % D_out
    oh = m // W_out % H_out
    ow = m % W_out
    taps = C_in * KD * KH * KW
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32 if IS_INT8 else tl.float32)
    for first in range(0, taps, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        channel = k // (KD * KH * KW)
        d = od[:, None] * stride_d - padding_d + (k // (KH * KW) % KD)[None, :]
        h = oh[:, None] * stride_h - padding_h + (k // KW % KH)[None, :]
        w = ow[:, None] * stride_w - padding_w + (k % KW)[None, :]
        inside = (d >= 0) & (d < D) & (h >= 0) & (h < H) & (w >= 0) & (w < W)
        inside = inside & (m[:, None] < N * volume) & (k[None, :] < taps)
        x = tl.load(input_ptr + (((batch[:, None] * C_in + channel[None, :]) * D + d) * H + h) * W + w, mask=inside, other=0)
        y = tl.load(weight_ptr + n[None, :] * taps + k[:, None], mask=(n[None, :] < C_out) & (k[:, None] < taps), other=0)
        acc += tl.dot(x, y, out_dtype=acc.dtype)
    out = output_ptr + (batch[:, None] * C_out + n[None, :]) * volume + (m % volume)[:, None]
    keep = (m[:, None] < N * volume) & (n[None, :] < C_out)
    tl.store(out, acc.to(output_ptr.dtype.element_ty), mask=keep)
