"""Text of kernels on tiles of any shape.

    kernel("x_ptr, out_ptr", f'''
        x = tl.load(x_ptr + {offsets((4, 8))})
        {store("out_ptr", "tl.sum(x, 1)", (4,))}
    ''')
"""
import textwrap

HEAD = "import triton\nimport triton.language as tl\n\n\n"


def offsets(shape, strides=None):
    """The expression of each element's offset, row-major unless there are strides; "0" for a scalar."""
    if strides is None:
        strides = [1]
        for extent in reversed(shape[1:]):
            strides.insert(0, strides[0] * extent)
    terms = []
    for axis, (extent, stride) in enumerate(zip(shape, strides)):
        term = f"tl.arange(0, {extent})"
        if len(shape) > 1:
            term += "[" + ", ".join(":" if other == axis else "None" for other in range(len(shape))) + "]"
        terms.append(term if stride == 1 else f"{term} * {stride}")
    return " + ".join(terms) if terms else "0"


def store(pointer, value, shape, base=0):
    """The statement that stores a tile of the shape, row-major from an element on."""
    where = offsets(shape) if base == 0 else f"{base} + {offsets(shape)}"
    return f"tl.store({pointer} + ({where}), {value})"


def jit(name, parameters, body):
    return f"@triton.jit\ndef {name}({parameters}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n\n\n"


def kernel(parameters, body, functions=""):
    """A file with one kernel, called kernel, after the functions that it calls."""
    return HEAD + functions + jit("kernel", parameters, body)
