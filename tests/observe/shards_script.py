"""What each process of test_two_processes_count_their_own_shards does: torchrun … shards_script.py FOLDER.

It trains the same model under FSDP1 and FSDP2, and writes what the public functions count to rank-<n>.json,
beside the sizes of the shards that torch has given it.
"""

import json
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

import mixwidgets as mw
from tests.observe.watch_twins import small_model

dist.init_process_group("gloo")
rank, told = dist.get_rank(), {}
for version in ("FSDP1", "FSDP2"):
    torch.manual_seed(0)
    model = small_model()
    if version == "FSDP1":
        model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
    else:
        fully_shard(model, mesh=dist.init_device_mesh("cpu", (dist.get_world_size(),)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with mw.watch(model, optimizer, every=1) as watcher:
        (model(torch.randn(4, 6)) ** 2).mean().backward()
        grads = {name: weight.grad for name, weight in model.named_parameters()}
        own = {name: getattr(grad, "to_local", lambda grad=grad: grad)() for name, grad in grads.items()}
        of = {name: mw.GradientSummary.of(grad) for name, grad in grads.items()}
        expected = {name: mw.GradientSummary.of(part.numpy().copy()) for name, part in own.items()}
        optimizer.step()
    table = mw.survey(model, ("float16", "mxfp4"))
    told[version] = {
        "sizes": {name: part.numel() for name, part in own.items()},
        "watched": dict(watcher.summaries) == expected,
        "of": of == expected,
        "notes": watcher.notes,
        "surveyed": table[table.format == "mxfp4"].set_index("tensor")["values"].to_dict(),
        "survey notes": table.attrs["notes"],
    }
(Path(sys.argv[1]) / f"rank-{rank}.json").write_text(json.dumps(told))
dist.barrier()
dist.destroy_process_group()
