"""The package `triton.experimental`, which holds gluon."""
