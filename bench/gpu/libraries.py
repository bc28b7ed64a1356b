"""What cuBLAS and cuDNN do with a case's tensors, called through torch.

Each function returns `launch`, which computes on torch's current stream and returns the result: a tensor, or a tuple of
tensors that stacked have the shape of the case's output. A library that cannot do a case raises.
"""
CUBLAS, CUDNN = "cuBLAS", "cuDNN"


def matmul(kind):
    def make(torch, tensors):
        a, b, c = tensors
        if kind == "fp8":  # as tl.dot adds: without extra precision
            one = torch.ones((), device="cuda")
            return lambda: torch._scaled_mm(a, b, one, one, out_dtype=c.dtype, use_fast_accum=True)
        if kind == "int8":
            return lambda: torch._int_mm(a, b)
        torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
        if kind == "transposed":
            b = b.t()
        return lambda: torch.matmul(a, b, out=c)
    return make


def batched(torch, tensors):
    a, b, c = tensors
    return lambda: torch.bmm(a, b, out=c)


def attention(causal, scale):
    def make(torch, tensors):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        q, k, v = (tensor[None] for tensor in tensors[:3])

        def launch():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)[0]
        return launch
    return make


def attention_backward(causal, scale, q_k_v_do):
    """`q_k_v_do(tensors)`: those four. The operators are called without autograd, which would choose its own stream."""
    def make(torch, tensors):
        q, k, v, do = (tensor[None] for tensor in q_k_v_do(tensors))
        out, lse, rows, columns, longest, widest, seed, offset, _ = torch.ops.aten._scaled_dot_product_cudnn_attention(
            q, k, v, None, True, 0.0, causal, False, scale=scale)

        def launch():
            gradients = torch.ops.aten._scaled_dot_product_cudnn_attention_backward(
                do, q, k, v, out, lse, seed, offset, None, rows, columns, longest, widest, 0.0, causal, scale=scale)
            return tuple(gradient[0] for gradient in gradients)
        return launch
    return make


def conv3d(torch, tensors):
    x, w, _ = tensors

    def launch():
        with torch.backends.cudnn.flags(enabled=True, benchmark=True, deterministic=False, allow_tf32=True):
            return torch.nn.functional.conv3d(x, w, padding=1)
    return launch
