#: A syntax error: a string that is never closed.
import triton

NAME = "unterminated
OTHER = 1

# $ tessera compile string.py --kernel-name kernel --signature "*fp32"
# | string.py:3:8: error: unterminated string literal (detected at line 3)
# | NAME = "unterminated
# |        ^
# = 1
