def main():
    print "hello"

# $ tessera compile syntax_python2.py --kernel-name kernel --signature "fp32"
