"""Multi-scale deformable attention: a weighted sum of bilinear samples of an image pyramid (Deformable DETR)."""
