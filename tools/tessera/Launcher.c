/* The tessera program: all of it is in libtessera.so, which sits beside it in
 * the archive, so that the command line and embedders share one copy. */
int tessera_main(int argc, const char **argv);

int main(int argc, const char **argv) { return tessera_main(argc, argv); }
