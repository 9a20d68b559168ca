"""torch's functions by kind of arithmetic, as a TorchFunctionMode sees them; kernels by name."""

import torch
from torch import Tensor
from torch.nn import functional

_MATMULS = ["matmul", "mm", "bmm", "mv", "dot", "inner", "addmm", "addmv", "addbmm", "baddbmm"]
PRODUCTS = (
    functional.linear,
    functional.bilinear,
    functional.conv1d,
    functional.conv2d,
    functional.conv3d,
    functional.conv_transpose1d,
    functional.conv_transpose2d,
    functional.conv_transpose3d,
    functional.scaled_dot_product_attention,
    functional.multi_head_attention_forward,
    torch.tensordot,
    torch.einsum,
    Tensor.__matmul__,
    Tensor.__rmatmul__,
    *(getattr(owner, name) for owner in (torch, Tensor) for name in _MATMULS),
)
SOFTMAX = (functional.softmax, torch.softmax, Tensor.softmax)
LOG_SOFTMAX = (functional.log_softmax, torch.log_softmax, Tensor.log_softmax)
NORMS = (functional.layer_norm, functional.rms_norm, functional.group_norm)
RUNNING_NORMS = (functional.batch_norm, functional.instance_norm)  # their running statistics are float32
UNINITIALISED = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"}
"""Kernels that only allocate."""
