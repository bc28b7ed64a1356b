"""torch.nn.functional.dropout: zeroes elements with probability p and scales the others by 1 / (1 - p)."""
