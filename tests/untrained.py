"""A task of one's own that is not trained."""


class Untrained:
    """A task that is not trained here."""

    def model(self):
        raise NotImplementedError

    def batches(self, batch_size, seed):
        raise NotImplementedError

    def loss(self, outputs, targets):
        raise NotImplementedError

    def evaluate(self, predict):
        raise NotImplementedError
