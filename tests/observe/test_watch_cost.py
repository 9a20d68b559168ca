"""What an observed step needs in addition: memory, and the loop that is compiled before the steps."""

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("scale", [1024.0, 1000.0])
def test_an_observed_step_needs_at_most_half_of_the_gradients_memory(scale, tmp_path):
    """32 bfloat16 gradients of 2 MB: the norm that is recorded needs one of them in float64, 8 MB. Freed
    memory returns to the system at once, so that the peak is of memory in use."""
    code = f"""
        import torch
        from torch import nn
        from mixwidgets.diagnosis.watching.watch import watch

        def peak():
            lines = open("/proc/self/status").read().splitlines()
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

        def step():
            optimizer.zero_grad()
            scaler.scale(model(inputs).float().square().mean()).backward()
            scaler.step(optimizer)
            scaler.update()

        layers = [nn.Linear(1024, 1024, bias=False, dtype=torch.bfloat16) for _ in range(32)]
        model, inputs = nn.Sequential(*layers), torch.randn(4, 1024, dtype=torch.bfloat16)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        scaler = torch.amp.GradScaler("cpu", init_scale={scale})
        step()
        with watch(model, optimizer, scaler, every=1, path={str(tmp_path / "run")!r}) as watcher:
            open("/proc/self/clear_refs", "w").write("5")  # the peak starts again
            before = peak()
            step()
            step()
            added = peak() - before
        bytes = sum(weight.grad.nbytes for weight in model.parameters())
        print(watcher.step, len(watcher.summaries), added / bytes)
    """
    steps, tensors, share = run(code, MALLOC_MMAP_THRESHOLD_="1000000")
    assert (steps, tensors) == ("2", "32")
    assert float(share) < 0.5


def test_the_loop_is_compiled_before_the_first_observed_step():
    code = """
        import sys
        import torch
        from torch import nn
        from mixwidgets.diagnosis.watching.watch import watch

        def compiled():
            loops = sys.modules.get("mixwidgets.floats.gradients.loops")
            return len(loops.count.signatures) if loops else 0

        for width in (8, 512):
            model = nn.Linear(width, width)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with watch(model, optimizer, every=1):
                print(compiled())
                model(torch.ones(1, width)).sum().backward()
                optimizer.step()
            print(compiled())
    """
    assert run(code) == ["0", "0", "1", "1"]
