"""AMD GPUs: targets can be named; the library says that it cannot compile for them yet."""
