"""torch.add: out = input + alpha * other, with broadcasting and type promotion."""
