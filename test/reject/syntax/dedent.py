#: A syntax error: a dedent to no outer level.
def kernel(x_ptr):
        x = 1
    y = 2

# $ tessera compile dedent.py --kernel-name kernel --signature "*fp32"
# | dedent.py:3:10: error: unindent does not match any outer indentation level
# |     y = 2
# |          ^
# = 1
