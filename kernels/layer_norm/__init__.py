"""torch.nn.functional.layer_norm: y = (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions."""
