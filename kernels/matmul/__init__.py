"""torch.matmul with an optional bias and activation: activation(input @ other + bias)."""
