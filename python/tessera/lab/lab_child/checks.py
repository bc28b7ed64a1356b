"""Checks one version on one case: values, shapes, types, determinism, uninitialized reads, changed inputs, results that are kept.

    1. call with outputs full of NaN                                       raised, memory, race
    2. the inputs still have their bits; compare with torch in float64     mutated, value, shape, dtype
    3. call again with another pattern in uninitialized memory             uninitialized, nondeterministic; counts kernels
    4. call with other values of the same shapes                           cached: the first call's result comes again
    5. the first call's result still has its bits                          aliased
    6. gradients, if the case asks for them                                gradient

With TRITON_INTERPRET=1 each launch also runs under Tessera's sanitizer, which finds accesses outside of arrays and data races.
"""
import traceback
import warnings

from . import agree, inputs, launches

REFUSALS = (ValueError, TypeError, IndexError, RuntimeError, NotImplementedError, AssertionError)
NO_KERNEL = "it launches no kernel; something else, such as torch, computes the result"
RACE = "the result depends on timing"  # in the sanitizer's message about two programs that access one element


class Wrong(Exception):
    """What is wrong with a version: a kind, and a message."""

    def __init__(self, what, message, **more):
        super().__init__(message)
        self.facts = {"what": what, "message": message, **more}


def check_case(operator, case, seed, device):
    """{"ok": True, "error": largest relative error, "launches": kernels in a call} or {"ok": False, "what", "message", ...}"""
    try:
        if case.get("raises"):
            return check_refusal(operator, case, seed, device)
        check = Check(operator, case, seed, device)
        return {"ok": True, "error": check.run(), "launches": check.launches}
    except Wrong as problem:
        return {"ok": False, **problem.facts}


def check_refusal(operator, case, seed, device):
    args, kwargs = operator.inputs(case, device, seed)
    try:
        operator.function(*args, **kwargs)
    except REFUSALS as error:
        if case["raises"].lower() in str(error).lower():
            return {"ok": True, "error": 0.0, "launches": 0}
        raise Wrong("message", f"the error does not say {case['raises']!r}: {first_lines(error)}") from error
    raise Wrong("accepted", f"an argument that must be refused ({case['raises']}) is accepted")


class Check:
    """The steps above, in order."""

    def __init__(self, operator, case, seed, device):
        self.operator, self.case, self.seed, self.device = operator, case, seed, device
        self.is_inplace = bool(operator.option("inplace") or case.get("inplace"))
        self.launches = 0

    def run(self):
        args, kwargs = self.make_inputs(self.seed)
        before = self.bits((args, kwargs))
        first = self.call(args, kwargs, "nan")
        if self.is_inplace:
            args, kwargs = self.make_inputs(self.seed)
        elif not agree.same_bits(before, self.bits((args, kwargs))):
            raise Wrong("mutated", "an input is not what it was before the call: " + self.changed(before, args, kwargs))
        error = self.compare(first, args, kwargs)
        kept = self.bits(first)
        self.repeat(kept, args, kwargs)
        self.other_values(kept)
        if not agree.same_bits(kept, self.bits(first)):
            raise Wrong("aliased", "a later call changed the result of an earlier one")
        if self.case.get("backward") and self.operator.option("backward"):
            self.gradients()
        return error

    def make_inputs(self, seed):
        try:
            return self.operator.inputs(self.case, self.device, seed)
        except Exception as error:
            raise Wrong("inputs", f"make_inputs of reference.py, with this case of cases.toml: {first_lines(error)}") from error

    @staticmethod
    def bits(value):
        return [agree.bits(tensor) for tensor in inputs.tensors(value)]

    def call(self, args, kwargs, pattern):
        """Calls the version. A message of the sanitizer is an error, a warning of it too."""
        with warnings.catch_warnings(record=True) as caught, inputs.uninitialized(pattern):
            warnings.simplefilter("always")
            try:
                result = self.operator.function(*args, **kwargs)
                wait(self.device)
            except Exception as error:
                kind = "memory" if type(error).__name__ == "InterpreterError" else "raised"
                text = str(error) if kind == "memory" else first_lines(error)
                raise Wrong(kind, text, trace=traceback.format_exc()[-1500:]) from error
        races = [str(each.message) for each in caught if each.category is RuntimeWarning and RACE in str(each.message)]
        if races:
            raise Wrong("race", races[0])
        return result

    def compare(self, result, args, kwargs):
        own = self.operator.option("check")
        if own:
            said = own(result, args, kwargs)
            if said:
                raise Wrong("value", str(said))
            return 0.0
        wanted = self.operator.high_precision(args, kwargs)
        problem, error = agree.compare(result, wanted, self.native(args, kwargs), self.operator.tolerance)
        if problem:
            raise Wrong(problem.pop("what"), problem.pop("message"), **problem)
        return error

    def native(self, args, kwargs):
        """torch's result in the case's own type; None if this torch does not have it (half precision on an old CPU build)."""
        try:
            return self.operator.reference(*args, **kwargs)
        except (RuntimeError, NotImplementedError):
            return None

    def changed(self, before, args, kwargs):
        for i, (old, tensor) in enumerate(zip(before, inputs.tensors((args, kwargs)))):
            new = agree.bits(tensor)
            if not agree.same_bits([old], [new]):
                place = int((old != new).int().argmax())
                return f"tensor {i} at {agree.describe(place, tensor.shape)}"
        return "a tensor"

    def repeat(self, kept, args, kwargs):
        with launches.recorded() as seen:
            again = self.bits(self.call(args, kwargs, "number"))
        self.launches = len(seen)
        if agree.same_bits(kept, again) or self.operator.option("deterministic") is False:
            return
        if not self.is_inplace and agree.same_bits(kept, self.bits(self.call(args, kwargs, "nan"))):
            raise Wrong("uninitialized", "the result depends on memory from torch.empty that nothing has written")
        raise Wrong("nondeterministic", "two calls with the same inputs give different bits")

    def other_values(self, kept):
        args, kwargs = self.make_inputs(self.seed + 1)
        result = self.call(args, kwargs, "nan")
        if self.is_inplace:
            args, kwargs = self.make_inputs(self.seed + 1)
        try:
            self.compare(result, args, kwargs)
        except Wrong as problem:
            if agree.same_bits(kept, self.bits(result)):
                raise Wrong("cached", "with other inputs of the same shapes, the result of an earlier call is returned") from problem
            raise

    def gradients(self):
        """Gradients of every floating-point input, against torch's in float64."""
        import torch
        args, kwargs = self.make_inputs(self.seed)
        args = tuple(inputs.tree(lambda t: t.detach().requires_grad_() if t.dtype.is_floating_point else t, a) for a in args)
        leaves = [t for t in inputs.tensors(args) if t.requires_grad]
        wide = tuple(inputs.tree(lambda t: t.detach().to(torch.float64).requires_grad_() if t.requires_grad else t, a) for a in args)
        wide_leaves = [t for t in inputs.tensors(wide) if t.requires_grad]
        result = agree.flatten(self.call(args, kwargs, "nan"))[0]
        reference = self.operator.option("high_precision") or self.operator.reference
        wanted = agree.flatten(reference(*wide, **inputs.in_float64(kwargs)))[0]
        generator = torch.Generator().manual_seed(self.seed + 2)
        weight = torch.randn(tuple(result.shape), generator=generator, dtype=torch.float64).to(self.device)
        try:
            with inputs.uninitialized("nan"):
                found = torch.autograd.grad(result, leaves, weight.to(result.dtype), allow_unused=True)
                wait(self.device)
        except Exception as error:
            kind = "memory" if type(error).__name__ == "InterpreterError" else "raised"
            raise Wrong(kind, "in backward: " + (str(error) if kind == "memory" else first_lines(error))) from error
        expected = torch.autograd.grad(wanted, wide_leaves, weight.to(result.dtype).to(torch.float64), allow_unused=True)
        for i, (a, b) in enumerate(zip(found, expected)):
            self.compare_gradient(i, a, b)

    def compare_gradient(self, i, a, b):
        if a is None and b is None:
            return
        if a is None or b is None:
            raise Wrong("gradient", f"input {i} has {'no' if a is None else 'a'} gradient, and torch's has {'one' if a is None else 'none'}")
        problem, _ = agree.compare_one(a, b, None, lambda dtype: tuple(4 * t for t in self.operator.tolerance(dtype)), f"gradient {i}")
        if problem:
            raise Wrong("gradient", problem["message"])


def wait(device):
    if str(device).startswith("cuda"):
        import torch
        torch.cuda.synchronize()


def first_lines(error):
    lines = [line for line in f"{type(error).__name__}: {error}".split("\n") if line.strip()]
    return " | ".join(lines[:2])[:500]
