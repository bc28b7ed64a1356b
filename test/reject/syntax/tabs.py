#: A syntax error: tabs and spaces mixed.
def kernel(x):
	if x:
        return 1

# $ tessera compile tabs.py --kernel-name kernel --signature "fp32"
# | tabs.py:3:1: error: inconsistent use of tabs and spaces in indentation
# |         return 1
# | ^~~~~~~~~~~~~~~~
# = 1
