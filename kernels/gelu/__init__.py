"""torch.nn.functional.gelu: x * Phi(x), the normal distribution's function exactly (erf) or by tanh."""
