"""What tests of the training room share."""

import pytest
import torch


@pytest.fixture
def one_thread():
    """torch on one thread, as in a run: several sum in another order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
