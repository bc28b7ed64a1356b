"""torch.nn.functional.conv3d: a convolution over depth, height and width, with stride, padding, dilation and groups."""
