def kernel(x_ptr):
        x = 1
    y = 2

# $ tessera compile syntax_dedent.py --kernel-name kernel --signature "*fp32"
