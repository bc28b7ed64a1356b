"""This text never ends.

import triton

# $ tessera compile syntax_docstring.py --kernel-name kernel --signature "*fp32"
