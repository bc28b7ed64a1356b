"""torch.softmax: out[i] = exp(x[i] - max(x)) / sum(exp(x - max(x))) along one dimension."""
