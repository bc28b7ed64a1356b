"""torch.nn.functional.rms_norm: y = x / sqrt(mean(x^2) + eps) * weight over the last dimensions."""
