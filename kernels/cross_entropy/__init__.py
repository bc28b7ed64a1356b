"""torch.nn.functional.cross_entropy: -weight[target] * log_softmax(input)[target], averaged, summed or per element."""
