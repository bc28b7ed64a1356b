#: Mistakes that a message answers with advice: misspelt names, types as strings, indexed pointers.
import triton
import triton.language as tl


@triton.jit
def misspelt_method(x_ptr):
    tl.store(x_ptr + tl.arange(0, 4), tl.arange(0, 4).too(tl.float32))


@triton.jit
def misspelt_attribute(x_ptr):
    tl.store(x_ptr, tl.arange(0, 4).shap[0])


@triton.jit
def nothing_like_it(x_ptr):
    tl.store(x_ptr, tl.arange(0, 4).elephants)


@triton.jit
def dtype_as_text(x_ptr):
    tl.store(x_ptr + tl.arange(0, 4), tl.zeros([4], "float16"))


@triton.jit
def dtype_of_python(x_ptr):
    tl.store(x_ptr + tl.arange(0, 4), tl.arange(0, 4).to(float))


@triton.jit
def text_that_is_no_dtype(x_ptr):
    tl.store(x_ptr + tl.arange(0, 4), tl.arange(0, 4).to("float33"))


@triton.jit
def pointer_with_an_index(x_ptr):
    tl.store(x_ptr, x_ptr[1])


@triton.jit
def too_many_arguments(x_ptr):
    tl.debug_barrier(1)


@triton.jit
def takes_nothing():
    return 1.0


@triton.jit
def too_many_arguments_of_a_function(x_ptr):
    tl.store(x_ptr, takes_nothing(1))


@triton.jit
def starred_name(x_ptr):
    a, *b = (1.0, 2.0, 3.0)
    tl.store(x_ptr, a)


@triton.jit
def file(x_ptr):
    tl.store(x_ptr, open("x"))

# % try() { tessera compile advice.py --kernel-name "$1" --signature "*fp32" --emit ttir -o -; }

# $ try misspelt_method
# | advice.py:7:39: error: a tensor has no attribute 'too'; did you mean 'to'?
# |     tl.store(x_ptr + tl.arange(0, 4), tl.arange(0, 4).too(tl.float32))
# |                                       ^~~~~~~~~~~~~~~~~~~
# = 1
# $ try misspelt_attribute
# | advice.py:12:21: error: a tensor has no attribute 'shap'; did you mean 'shape'?
# |     tl.store(x_ptr, tl.arange(0, 4).shap[0])
# |                     ^~~~~~~~~~~~~~~~~~~~
# = 1
# $ try nothing_like_it
# | advice.py:17:21: error: a tensor has no attribute 'elephants'
# |     tl.store(x_ptr, tl.arange(0, 4).elephants)
# |                     ^~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try dtype_as_text
# | advice.py:22:39: error: tl.zeros: expected a dtype such as tl.float32, got the string 'float16'; write tl.float16
# |     tl.store(x_ptr + tl.arange(0, 4), tl.zeros([4], "float16"))
# |                                       ^~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try dtype_of_python
# | advice.py:27:39: error: expected a dtype such as tl.float32, got the function float; write tl.float32
# |     tl.store(x_ptr + tl.arange(0, 4), tl.arange(0, 4).to(float))
# |                                       ^~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try text_that_is_no_dtype
# | advice.py:32:39: error: expected a dtype such as tl.float32, got the string 'float33'
# |     tl.store(x_ptr + tl.arange(0, 4), tl.arange(0, 4).to("float33"))
# |                                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# = 1
# $ try pointer_with_an_index
# | advice.py:37:21: error: a pointer is not indexed; tl.load(p + i) reads an element and tl.store(p + i, value) writes it
# |     tl.store(x_ptr, x_ptr[1])
# |                     ^~~~~~~~
# = 1
# $ try too_many_arguments
# | advice.py:42:22: error: debug_barrier takes no arguments
# |     tl.debug_barrier(1)
# |                      ^
# = 1
# $ try too_many_arguments_of_a_function
# | advice.py:52:35: error: 'takes_nothing' takes no arguments
# |     tl.store(x_ptr, takes_nothing(1))
# |                                   ^
# = 1
# $ try starred_name
# | advice.py:57:8: error: a starred target is not part of the kernel language; name each element
# |     a, *b = (1.0, 2.0, 3.0)
# |        ^~
# = 1
# $ try file
# | advice.py:63:21: error: Python's 'open' is not part of the kernel language: kernels compute with numbers, tensors and tuples
# |     tl.store(x_ptr, open("x"))
# |                     ^~~~
# = 1
