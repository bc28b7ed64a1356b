"""Rotary position embedding of queries and keys: x * cos + rotate_half(x) * sin, as apply_rotary_pos_emb of Transformers."""
