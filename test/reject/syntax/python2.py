#: A syntax error: a print statement of Python 2.
def main():
    print "hello"

# $ tessera compile python2.py --kernel-name kernel --signature "fp32"
# | python2.py:2:5: error: Missing parentheses in call to 'print'. Did you mean print(...)?
# |     print "hello"
# |     ^~~~~~~~~~~~~
# = 1
