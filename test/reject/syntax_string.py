import triton

NAME = "unterminated
OTHER = 1

# $ tessera compile syntax_string.py --kernel-name kernel --signature "*fp32"
