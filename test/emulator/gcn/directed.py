"""Sums and products that MODE rounds down, up or toward zero: the nearest number, and a step if it is on the wrong side.

    rounding = Rounding.of("v_fma_f64")                # None for instructions that are not rounded, or not emulated so
    rounding.apply(DOWN, nearest, [a, b, c])           # arrays of floats
"""
import dataclasses
import re
from fractions import Fraction

import numpy as np

from ..numbers import Fault

NEAREST, UP, DOWN, TO_ZERO = range(4)  # RDNA3 ISA, "MODE register": FP_ROUND
EXACT = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "subrev": lambda x, y: y - x, "mul": lambda x, y: x * y, "fma": lambda x, y, z: x * y + z}
ROUNDED = re.compile(r"v_(add|sub|subrev|mul|fma|fmac)_(f32|f64)")


@dataclasses.dataclass(frozen=True)
class Rounding:
    operation: str
    field: int  # the lowest bit of the type's two in MODE

    @staticmethod
    def of(name):
        found = ROUNDED.fullmatch(name)
        return found and Rounding(found[1].replace("fmac", "fma"), 0 if found[2] == "f32" else 2)

    def apply(self, direction, nearest, values):
        result = nearest.copy()
        values = np.broadcast_arrays(*values)
        for place in np.argwhere(np.logical_and.reduce([np.isfinite(value) for value in values])):
            place = tuple(place)
            numbers = [value[place] for value in values]
            result[place] = self.step(direction, nearest[place], numbers)
        return result

    def step(self, direction, near, numbers):
        exact = EXACT[self.operation](*(Fraction(float(number)) for number in numbers))
        if exact == 0:
            return self.zero(direction, near, numbers)
        is_above = near == np.inf or (near != -np.inf and Fraction(float(near)) > exact)
        is_below = near == -np.inf or (near != np.inf and Fraction(float(near)) < exact)
        down = direction == DOWN or (direction == TO_ZERO and exact > 0)
        if down and is_above:
            return np.nextafter(near, near.dtype.type(-np.inf))
        return np.nextafter(near, near.dtype.type(np.inf)) if not down and is_below else near

    def zero(self, direction, near, numbers):
        """IEEE 754, 6.3: a sum that is zero is -0 if it is rounded down, except for +0 + +0."""
        if direction != DOWN or self.operation == "mul":
            return near
        first, second = numbers if len(numbers) == 2 else (np.copysign(1, numbers[0]) * np.copysign(1, numbers[1]), numbers[2])
        signs = {"sub": (first, -second), "subrev": (-first, second)}.get(self.operation, (first, second))
        return near.dtype.type(-0.0 if any(np.signbit(sign) for sign in signs) else 0.0)


def rounded(plan, mode, result, values):
    """The result of a plan's function, rounded as MODE says."""
    if mode & 15 == 0 or result.dtype not in (np.float32, np.float64):
        return result
    if plan.rounding is None:
        if plan.is_exact:
            return result
        raise Fault(f"{plan.name} with MODE = {mode:#x}: only sums and products are rounded in a direction here")
    direction = mode >> plan.rounding.field & 3
    return plan.rounding.apply(direction, result, values) if direction else result
