"""torch.nn.functional.scaled_dot_product_attention: softmax(query @ key^T * scale + mask) @ value."""
