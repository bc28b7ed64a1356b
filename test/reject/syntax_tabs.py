def kernel(x):
	if x:
        return 1

# $ tessera compile syntax_tabs.py --kernel-name kernel --signature "fp32"
