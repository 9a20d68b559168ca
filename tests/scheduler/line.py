"""A small task of one's own that tells where it was trained."""


class Line:
    """A line through noise."""

    steps = 12
    batch_size = 16
    learning_rate = 0.05

    def model(self):
        from torch import nn

        return nn.Linear(4, 1)

    def batches(self, batch_size, seed):
        import torch

        generator = torch.Generator().manual_seed(seed)
        while True:
            x = torch.randn(batch_size, 4, generator=generator)
            yield x, x.sum(1, keepdim=True)

    def loss(self, outputs, targets):
        return (outputs - targets).square().mean()

    def evaluate(self, predict):
        import os

        import torch

        x, y = next(self.batches(64, 999))
        loss = self.loss(predict(x), y).item()
        return {"loss": loss, "process": os.getpid(), "threads": torch.get_num_threads()}
