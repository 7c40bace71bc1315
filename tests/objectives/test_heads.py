import torch
from torch import nn

from protofair.objectives.heads import batchnorm_head, projection_head


def test_projection_head():
    first, activation, last = projection_head(6, 5, 4)
    assert first.weight.shape == (5, 6)
    assert isinstance(activation, nn.ReLU)
    assert last.weight.shape == (4, 5)


def test_batchnorm_head_has_batch_norm_and_relu_after_all_layers_but_the_last():
    head = batchnorm_head(6, 5, 4, 3)
    kinds = [nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.Linear, nn.BatchNorm1d, nn.ReLU, nn.Linear]
    assert [type(layer) for layer in head] == kinds
    linear = [layer for layer in head if isinstance(layer, nn.Linear)]
    assert [(layer.in_features, layer.out_features) for layer in linear] == [(6, 5), (5, 4), (4, 3)]
    assert all(layer.bias is None for layer in linear)
    assert head(torch.randn(7, 6)).shape == (7, 3)
