"""Random numbers from Philox, a generator without state.

A number depends on its seed and its offset alone, so that any program may make any of them, in any
order. Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011).
"""
import triton
import triton.language as tl

N_ROUNDS_DEFAULT = tl.constexpr(10)


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Scrambles the counter words c under the key words k; 32 or 64 bits by c0's type."""
    if c0.dtype == tl.uint32:
        MULTIPLIER_A: tl.constexpr = 0xD2511F53
        MULTIPLIER_B: tl.constexpr = 0xCD9E8D57
        KEY_STEP_0: tl.constexpr = 0x9E3779B9
        KEY_STEP_1: tl.constexpr = 0xBB67AE85
    else:
        tl.static_assert(c0.dtype == tl.uint64, "Philox's words are uint32 or uint64")
        MULTIPLIER_A: tl.constexpr = 0xD2E7470EE14C6C93
        MULTIPLIER_B: tl.constexpr = 0xCA5A826395121157
        KEY_STEP_0: tl.constexpr = 0x9E3779B97F4A7C15
        KEY_STEP_1: tl.constexpr = 0xBB67AE8584CAA73B

    for _ in tl.static_range(n_rounds):
        a = MULTIPLIER_A  # as a tensor of the words' type, which umulhi wants
        b = MULTIPLIER_B
        even, odd = c0, c2
        c0 = tl.umulhi(b, odd) ^ c1 ^ k0
        c2 = tl.umulhi(a, even) ^ c3 ^ k1
        # Products and keys wrap on purpose.
        c1 = tl.mul(b, odd, sanitize_overflow=False)
        c3 = tl.mul(a, even, sanitize_overflow=False)
        k0 = tl.add(k0, KEY_STEP_0, sanitize_overflow=False)
        k1 = tl.add(k1, KEY_STEP_1, sanitize_overflow=False)
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """The four random words of a seed and a counter, as wide as the counter's words."""
    # Assignments, because a number becomes a tensor by one.
    key = seed
    w0 = c0
    w1 = c1
    w2 = c2
    w3 = c3
    tl.static_assert(key.dtype.is_int(), "a seed is an integer")
    key = key.to(tl.uint64)
    if w0.dtype.primitive_bitwidth == 32:
        word = tl.uint32
        key_high = ((key >> 32) & 0xFFFFFFFF).to(word)
        key_low = (key & 0xFFFFFFFF).to(word)
    else:
        tl.static_assert(w0.dtype.primitive_bitwidth == 64, "a counter's words have 32 or 64 bits")
        word = tl.uint64
        key_high = tl.full((1, ), 0, word)
        key_low = key
    w0 = w0.to(word, bitcast=True)
    w1 = w1.to(word, bitcast=True)
    w2 = w2.to(word, bitcast=True)
    w3 = w3.to(word, bitcast=True)
    return philox_impl(w0, w1, w2, w3, key_low, key_high, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of random uint32: all that one run of Philox gives."""
    position = offset
    low = position.to(tl.uint32)
    zero = low * 0
    if position.dtype.primitive_bitwidth > 32:
        high = (position >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Random uint32."""
    word, _, _, _ = randint4x(seed, offset, n_rounds)
    return word


@triton.jit
def uint_to_uniform_float(x):
    """A word of 32 or 64 random bits as a float32 in [0, 1)."""
    # A little less than 2^-31 or 2^-63: the largest word rounds up to a power of two as a float, and
    # its product must stay below 1.
    if x.dtype.primitive_bitwidth == 32:
        tl.static_assert(x.dtype.is_int(), "random bits come as an integer")
        bits = x.to(tl.int32, bitcast=True)
        scale = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 64, "random bits come as 32 or 64")
        bits = x.to(tl.int64, bitcast=True)
        scale = 1.0842020432385337e-19
    folded = tl.where(bits < 0, -bits - 1, bits)  # ~bits for negatives: no overflow
    return folded * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """float32, uniform in [0, 1)."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of float32, uniform in [0, 1)."""
    i1, i2, i3, i4 = randint4x(seed, offsets, n_rounds)
    u1 = uint_to_uniform_float(i1)
    u2 = uint_to_uniform_float(i2)
    u3 = uint_to_uniform_float(i3)
    u4 = uint_to_uniform_float(i4)
    return u1, u2, u3, u4


@triton.jit
def pair_uniform_to_normal(u1, u2):
    """Two independent normal numbers from two uniform ones (Box and Muller)."""
    u1 = tl.maximum(1.0e-7, u1)  # the logarithm of 0 is infinite
    angle = 6.283185307179586 * u2
    radius = tl.sqrt(-2.0 * tl.log(u1))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """float32, normal with mean 0 and deviation 1."""
    i1, i2, _, _ = randint4x(seed, offset, n_rounds)
    u1 = uint_to_uniform_float(i1)
    u2 = uint_to_uniform_float(i2)
    normal, _ = pair_uniform_to_normal(u1, u2)
    return normal


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of float32, normal with mean 0 and deviation 1."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
