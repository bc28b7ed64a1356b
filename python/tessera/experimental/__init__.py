"""What `triton.experimental` has: gluon."""
