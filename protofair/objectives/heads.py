"""The MLP heads on top of an encoder."""

from itertools import pairwise

from torch import nn


def projection_head(feature_dim: int, hidden: int, out: int) -> nn.Sequential:
    """Linear-ReLU-Linear, [n, feature_dim] to [n, out].

    The paper's contrastive head g and cluster head h: 512-512-128 on a ResNet-18.
    """
    return nn.Sequential(nn.Linear(feature_dim, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, out))


def batchnorm_head(*widths: int) -> nn.Sequential:
    """Linear layers between the widths, batch norm and ReLU after all but the last: [n, widths[0]] to [n, widths[-1]].

    The heads of BarlowTwins and BYOL. No layer has a bias: batch norm cancels it, and both papers' code leaves it out
    of the last layer.
    """
    layers: list[nn.Module] = []
    for before, after in pairwise(widths[:-1]):
        layers += [nn.Linear(before, after, bias=False), nn.BatchNorm1d(after), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, nn.Linear(widths[-2], widths[-1], bias=False))
