"""3-D convolution as a matrix product that is never written out (an implicit GEMM).

Every output position (n, od, oh, ow) is a row, every output channel a column, and every weight of a
filter (ci, kd, kh, kw) one step of the inner dimension:

    output[row, co] = sum over (ci, kd, kh, kw) of
        input[n, ci, od * stride_d - padding_d + kd, oh * stride_h - padding_h + kh, ow * stride_w - padding_w + kw]
        * weight[co, ci, kd, kh, kw]

The left matrix would hold each input element up to KD * KH * KW times, so its tiles are gathered from
the input as the loop needs them. An element's address is a part that depends on the row plus a part
that depends on the step, so only one addition and the bounds checks happen for each element.

Tensors are contiguous: input [N, C_in, D, H, W], weight [C_out, C_in, KD, KH, KW],
output [N, C_out, D_out, H_out, W_out]. One input image has fewer than 2^31 elements.

    IS_INT8   input and weight are int8, the sum and the output int32
    IS_FP16   input, weight and output are fp16, the sum fp32
    neither   all is fp32 (a GPU's tl.dot rounds its inputs to tf32)

A 1-D grid: one program per BLOCK_M positions and BLOCK_N channels.

    tessera compile --kernel-name conv3d_kernel \
        --signature "*i8,*i8,*i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,128,64,32,1,0" \
        --grid=512,1,1 examples/conv3d.py --emit ttir

    python examples/conv3d.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/conv3d.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


# signature: *i8,*i8,*i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,128,64,32,1,0
# signature: *fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,128,64,32,0,1
# signature: *fp32,*fp32,*fp32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,i32,64,64,32,0,0
@triton.jit
def conv3d_kernel(input_ptr, weight_ptr, output_ptr,
                  N, C_in, D, H, W,
                  C_out, KD, KH, KW,
                  D_out, H_out, W_out,
                  stride_d, stride_h, stride_w,
                  padding_d, padding_h, padding_w,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  IS_INT8: tl.constexpr, IS_FP16: tl.constexpr):
    tl.static_assert(not (IS_INT8 and IS_FP16), "a convolution is in int8 or in fp16, not both")
    positions = D_out * H_out * W_out  # of one image's output
    steps = C_in * KD * KH * KW

    # Programs that follow each other take the same positions for the next channels: they gather the same input.
    tiles_n = tl.cdiv(C_out, BLOCK_N)
    pid = tl.program_id(0)
    rows = (pid // tiles_n) * BLOCK_M + tl.arange(0, BLOCK_M)
    channels = (pid % tiles_n) * BLOCK_N + tl.arange(0, BLOCK_N)

    # Which output position a row is, and where its window begins in the input.
    image = rows // positions
    position = rows % positions
    first_w = position % W_out * stride_w - padding_w
    first_h = position // W_out % H_out * stride_h - padding_h
    first_d = position // (W_out * H_out) * stride_d - padding_d
    row_offset = (first_d * H + first_h) * W + first_w  # may be negative: the window may begin in the padding
    # The image's offset in 64 bits: a batch may have more than 2^31 elements.
    row_ptrs = input_ptr + image.to(tl.int64) * (C_in * D * H * W)
    row_inside = image < N

    if IS_INT8:
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    else:
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, steps, BLOCK_K):
        # Which weight of the filter a step is.
        step = k + tl.arange(0, BLOCK_K)
        kw = step % KW
        kh = step // KW % KH
        kd = step // (KW * KH) % KD
        ci = step // (KW * KH * KD)
        step_offset = ((ci * D + kd) * H + kh) * W + kw
        step_inside = step < steps

        w = first_w[:, None] + kw[None, :]
        h = first_h[:, None] + kh[None, :]
        d = first_d[:, None] + kd[None, :]
        inside = (w >= 0) & (w < W) & (h >= 0) & (h < H) & (d >= 0) & (d < D)
        inside &= row_inside[:, None] & step_inside[None, :]
        a = tl.load(row_ptrs[:, None] + (row_offset[:, None] + step_offset[None, :]), mask=inside, other=0)
        b = tl.load(weight_ptr + channels[None, :] * steps + step[:, None],
                    mask=(channels[None, :] < C_out) & step_inside[:, None], other=0)
        if IS_INT8:
            acc = tl.dot(a, b, acc, out_dtype=tl.int32)
        else:
            acc = tl.dot(a, b, acc)

    if IS_FP16:
        result = acc.to(tl.float16)
    else:
        result = acc
    output_ptrs = output_ptr + (image.to(tl.int64) * C_out * positions + position)[:, None] + channels[None, :] * positions
    tl.store(output_ptrs, result, mask=row_inside[:, None] & (channels[None, :] < C_out))


def conv3d(input, weight, stride=(1, 1, 1), padding=(0, 0, 0), block=(64, 32, 32)):
    """As torch.nn.functional.conv3d without a bias; int8 gives int32."""
    N, C_in, D, H, W = input.shape
    C_out, _, KD, KH, KW = weight.shape
    out = [(size + 2 * p - k) // s + 1 for size, p, k, s in zip((D, H, W), padding, (KD, KH, KW), stride)]
    is_int8, is_fp16 = input.dtype == torch.int8, input.dtype == torch.float16
    output = torch.empty((N, C_out, *out), dtype=torch.int32 if is_int8 else input.dtype, device=input.device)
    block_m, block_n, block_k = block
    grid = (triton.cdiv(N * out[0] * out[1] * out[2], block_m) * triton.cdiv(C_out, block_n),)
    conv3d_kernel[grid](input.contiguous(), weight.contiguous(), output, N, C_in, D, H, W, C_out, KD, KH, KW, *out,
                        *stride, *padding, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k,
                        IS_INT8=is_int8, IS_FP16=is_fp16)
    return output


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    cases = [((1, 1, 1, 1, 1), (1, 1, 1, 1, 1), (1, 1, 1), (0, 0, 0)),
             ((2, 3, 5, 9, 7), (5, 3, 3, 3, 3), (1, 1, 1), (1, 1, 1)),
             ((1, 17, 4, 6, 11), (33, 17, 2, 1, 3), (1, 2, 2), (0, 1, 2))]
    for dtype, tolerance in ((torch.int8, 0), (torch.float16, 5e-3), (torch.float32, 5e-3)):
        for input_shape, weight_shape, stride, padding in cases:
            x = torch.randint(-128, 128, input_shape).to(dtype) if dtype == torch.int8 else torch.randn(input_shape).to(dtype)
            w = torch.randint(-128, 128, weight_shape).to(dtype) if dtype == torch.int8 else torch.randn(weight_shape).to(dtype)
            expected = torch.nn.functional.conv3d(x.double(), w.double(), stride=stride, padding=padding)
            actual = conv3d(x.to(device), w.to(device), stride, padding).cpu()
            error = (actual.double() - expected).abs().max().item() / max(expected.abs().max().item(), 1)
            print(f"{str(dtype):14} {input_shape} * {weight_shape}: largest difference from torch: {error:.1e}")
            assert error <= tolerance
