"""The operators inside torch.compile: two operators of torch.library each, which the compiler does not look into.

tessera_kernels::softmax computes the result, tessera_kernels::softmax_gradient the gradients, by running the forward pass again under
autograd: nothing but the arguments is kept between them. Results are contiguous, as the compiler is told by the functions `fake`. Versions
of torch without torch.library.custom_op (before 2.4) have no such operators; there the package is for eager programs.
"""
import contextlib

import torch

from .loading import load

NAMESPACE = "tessera_kernels"
#             parameters, how many of them (the last ones) are keywords, number of results
SCHEMAS = {
    "add": ("Tensor input, Tensor other, float alpha", 1, 1),
    "softmax": ("Tensor input, int dim, ScalarType? dtype", 1, 1),
    "mha": ("Tensor query, Tensor key, Tensor value, Tensor? attn_mask, float dropout_p, bool is_causal, float? scale, bool enable_gqa", 2, 1),
    "layer_norm": ("Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps", 0, 1),
    "rms_norm": ("Tensor input, int[] normalized_shape, Tensor? weight, float? eps", 0, 1),
    "gelu": ("Tensor input, str approximate", 1, 1),
    "matmul": ("Tensor input, Tensor other, Tensor? bias, str? activation", 2, 1),
    "conv3d": ("Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups", 0, 1),
    "msda": ("Tensor value, Tensor value_spatial_shapes, Tensor sampling_locations, Tensor attention_weights", 0, 1),
    "cross_entropy": ("Tensor input, Tensor target, Tensor? weight, bool? size_average, int ignore_index, bool? reduce, str reduction, "
                      "float label_smoothing", 0, 1),
    "rope": ("Tensor q, Tensor k, Tensor cos, Tensor sin", 0, 2),
    "dropout": ("Tensor input, float p, bool training, bool inplace, int? seed", 1, 1),
}


def never():
    return False


is_compiling = getattr(getattr(torch, "compiler", None), "is_compiling", never)


def call(operator, args, kwargs):
    """What torch.compile traces."""
    if operator == "dropout" and (kwargs["seed"] is None or args[3]):
        # The compiler must know that this is random, and that it may write to its input: torch's own function tells it.
        return torch.nn.functional.dropout(*args)
    return getattr(getattr(torch.ops, NAMESPACE), operator)(*for_schema(operator, (*args, *kwargs.values())))


def for_schema(operator, values):
    """Lists and tensors where the schema wants them and the caller gave a number."""
    if operator == "add" and not isinstance(values[1], torch.Tensor):
        other = torch.full((), values[1], dtype=torch.result_type(values[0], values[1]), device=values[0].device)
        return (values[0], other, values[2])
    if operator in ("layer_norm", "rms_norm") and isinstance(values[1], int):
        return (values[0], [values[1]], *values[2:])
    if operator == "conv3d":
        if isinstance(values[4], str):
            raise NotImplementedError("conv3d: padding as a string is not supported inside torch.compile")
        return (*values[:3], *([v] * 3 if isinstance(v, int) else list(v) for v in values[3:6]), values[6])
    return values


def arguments(operator, values):
    """Returns (args, kwargs) of the operator's function from the values that its schema names."""
    parameters, keywords, _ = SCHEMAS[operator]
    names = [parameter.split()[-1] for parameter in parameters.split(", ")]
    split = len(names) - keywords
    kwargs = dict(zip(names[split:], values[split:]))
    if operator == "add" and float(kwargs["alpha"]).is_integer():  # integral tensors need an integer
        kwargs["alpha"] = int(kwargs["alpha"])
    return tuple(values[:split]), kwargs


def many(result):
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


def apart(results, values):
    """Contiguous results that share no memory with the values nor with each other, as torch.library demands."""
    used, found = {v.data_ptr() for v in values if isinstance(v, torch.Tensor) and v.numel()}, []
    for result in results:
        result = result.contiguous()
        found.append(result.clone() if result.numel() and result.data_ptr() in used else result)
        used.add(found[-1].data_ptr())
    return found


@contextlib.contextmanager
def autograd():
    """Lets autograd record: torch calls the functions of an operator with the dispatch keys of autograd excluded."""
    keys = [getattr(torch._C.DispatchKey, name) for name in ("AutogradFunctionality", "AutogradOther", "ADInplaceOrView")]
    excluded = [key for key in keys if torch._C._dispatch_tls_is_dispatch_key_excluded(key)]
    for key in excluded:
        torch._C._dispatch_tls_set_dispatch_key_excluded(key, False)
    try:
        with torch.enable_grad():
            yield
    finally:
        for key in excluded:
            torch._C._dispatch_tls_set_dispatch_key_excluded(key, True)


# ---- the operators' four functions ----------------------------------------------------------------

def forward(operator):
    def run(*values):
        from .dispatch import eager
        args, kwargs = arguments(operator, values)
        results = apart(many(eager(operator, args, kwargs)), values)
        return tuple(results) if len(results) > 1 else results[0]
    return run


def fake_forward(operator):
    """Shapes and types of the results, from torch's own function on tensors without data."""
    def run(*values):
        args, kwargs = arguments(operator, values)
        if operator == "msda":
            value, _, locations, _ = args
            return value.new_empty(locations.shape[0], locations.shape[1], value.shape[2] * value.shape[3])
        results = many(load(operator, "reference").reference(*args, **kwargs))
        results = tuple(torch.empty(t.shape, dtype=t.dtype, device=t.device) for t in results)
        return results if len(results) > 1 else results[0]
    return run


def wanted_tensors(wanted, values):
    tensors = [v for v in values if isinstance(v, torch.Tensor)]
    return [t for t, want in zip(tensors, wanted) if want]


def gradient(operator):
    """(gradients of the results, which tensors' gradients are wanted, arguments) -> those gradients."""
    def run(gradients, wanted, *values):
        from .dispatch import eager
        want, leaves, inputs = iter(wanted), [], []
        for value in values:
            if isinstance(value, torch.Tensor):
                value = value.detach()
                if next(want):
                    leaves.append(value.requires_grad_())
            inputs.append(value)
        with autograd():
            args, kwargs = arguments(operator, inputs)
            results = many(eager(operator, args, kwargs))
            found = torch.autograd.grad(results, leaves, gradients, allow_unused=True)
        found = [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, leaves)]
        return apart(found, [*gradients, *values])
    return run


def fake_gradient(gradients, wanted, *values):
    return [torch.empty(t.shape, dtype=t.dtype, device=t.device) for t in wanted_tensors(wanted, values)]


# ---- registration ---------------------------------------------------------------------------------

def keep_arguments(ctx, inputs, output):
    """Keeps the arguments of the forward pass: tensors as such, the others as they are."""
    ctx.places = [i for i, v in enumerate(inputs) if isinstance(v, torch.Tensor)]
    ctx.others = [None if isinstance(v, torch.Tensor) else v for v in inputs]
    ctx.save_for_backward(*(inputs[i] for i in ctx.places))


def differentiate(operator):
    def backward(ctx, *gradients):
        values = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors):
            values[place] = tensor
        wanted = [bool(ctx.needs_input_grad[place]) for place in ctx.places]
        compute = getattr(getattr(torch.ops, NAMESPACE), operator + "_gradient")
        found = iter(compute([g.contiguous() for g in gradients], wanted, *values))
        result = [None] * len(values)
        for place, want in zip(ctx.places, wanted):
            result[place] = next(found) if want else None
        return tuple(result)
    return backward


def register():
    """Defines all operators, when the package is imported: a compiler that is tracing must not define any."""
    define = getattr(torch.library, "custom_op", None)
    if define is None:
        return
    for operator, (parameters, _, results) in SCHEMAS.items():
        returned = "Tensor" if results == 1 else "(" + ", ".join(["Tensor"] * results) + ")"
        defined = define(f"{NAMESPACE}::{operator}", forward(operator), mutates_args=(), schema=f"({parameters}) -> {returned}")
        defined.register_fake(fake_forward(operator))
        defined.register_autograd(differentiate(operator), setup_context=keep_arguments)
        derived = define(f"{NAMESPACE}::{operator}_gradient", gradient(operator), mutates_args=(),
                         schema=f"(Tensor[] gradients, bool[] wanted, {parameters}) -> Tensor[]")
        derived.register_fake(fake_gradient)


register()
