"""torch's functions by the kind of their arithmetic, as a TorchFunctionMode of torch.overrides sees them."""

import torch
from torch import Tensor
from torch.nn import functional

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
    torch.matmul,
    torch.mm,
    torch.bmm,
    torch.mv,
    torch.dot,
    torch.inner,
    torch.addmm,
    torch.addmv,
    torch.addbmm,
    torch.baddbmm,
    torch.tensordot,
    torch.einsum,
    Tensor.matmul,
    Tensor.__matmul__,
    Tensor.__rmatmul__,
    Tensor.mm,
    Tensor.bmm,
    Tensor.mv,
    Tensor.dot,
    Tensor.inner,
    Tensor.addmm,
    Tensor.addmv,
    Tensor.addbmm,
    Tensor.baddbmm,
)
SOFTMAX = (functional.softmax, torch.softmax, Tensor.softmax)
LOG_SOFTMAX = (functional.log_softmax, torch.log_softmax, Tensor.log_softmax)
NORMS = (functional.layer_norm, functional.rms_norm, functional.group_norm)
RUNNING_NORMS = (functional.batch_norm, functional.instance_norm)  # their running statistics are float32
