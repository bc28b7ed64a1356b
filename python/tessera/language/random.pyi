"""tl.random: Philox random numbers. Each number depends only on the seed and its offset."""

from typing import Tuple

from ..runtime.jit import jit as jit
from . import math as math
from .core import Value, constexpr, tensor

N_ROUNDS_DEFAULT: constexpr

def randint(seed: Value, offset: Value, n_rounds: int = N_ROUNDS_DEFAULT) -> tensor:
    """Random uint32, one for each offset."""

def randint4x(seed: Value, offset: Value, n_rounds: int = N_ROUNDS_DEFAULT) -> Tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random uint32, from one evaluation of Philox."""

def rand(seed: Value, offset: Value, n_rounds: int = N_ROUNDS_DEFAULT) -> tensor:
    """Random float32, uniform in [0, 1), one for each offset."""

def rand4x(seed: Value, offsets: Value, n_rounds: int = N_ROUNDS_DEFAULT) -> Tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random float32, uniform in [0, 1)."""

def randn(seed: Value, offset: Value, n_rounds: int = N_ROUNDS_DEFAULT) -> tensor:
    """Random float32, normal with mean 0 and deviation 1, one for each offset."""

def randn4x(seed: Value, offset: Value, n_rounds: int = N_ROUNDS_DEFAULT) -> Tuple[tensor, tensor, tensor, tensor]:
    """Four blocks of random float32, normal with mean 0 and deviation 1."""

def philox(seed: Value, c0: Value, c1: Value, c2: Value, c3: Value,
           n_rounds: int = N_ROUNDS_DEFAULT) -> Tuple[tensor, tensor, tensor, tensor]:
    """The four random words of a seed and a counter; they are as wide as the counter's words."""

def philox_impl(c0: Value, c1: Value, c2: Value, c3: Value, k0: Value, k1: Value,
                n_rounds: int = N_ROUNDS_DEFAULT) -> Tuple[tensor, tensor, tensor, tensor]:
    """Philox's rounds on a counter and a key; 32 or 64 bits by c0's type."""

def uint_to_uniform_float(x: Value) -> tensor:
    """Converts 32 or 64 random bits to a float32 in [0, 1)."""

def pair_uniform_to_normal(u1: Value, u2: Value) -> Tuple[tensor, tensor]:
    """Two independent normal numbers from two uniform ones (Box and Muller)."""
