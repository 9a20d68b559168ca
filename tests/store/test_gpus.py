"""Which GPUs there are, on stand-ins for what drivers show."""

import ctypes

import pytest

from mixwidgets.runs.store import devices


class Nvml:
    """The library, with so many GPUs; `broken` names the calls that fail."""

    def __init__(self, count, *broken):
        self.count, self.broken, self.shut_down = count, broken, 0

    def nvmlInit_v2(self):
        return int("init" in self.broken)

    def nvmlDeviceGetCount_v2(self, count):
        count._obj.value = self.count
        return int("count" in self.broken)

    def nvmlDeviceGetHandleByIndex_v2(self, number, gpu):
        gpu._obj.value = number + 1
        return int("handle" in self.broken)

    def nvmlDeviceGetName(self, gpu, name, length):
        assert 1 <= gpu.value <= self.count
        assert length == len(name)
        name.value = b"NVIDIA H200"
        return int("name" in self.broken)

    def nvmlDeviceGetMemoryInfo(self, gpu, memory):
        memory._obj[0] = 143771 * 2**20
        return int("memory" in self.broken)

    def nvmlShutdown(self):
        self.shut_down += 1


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine whose drivers show this."""

    def make(*, nvml=None, nvidia=0, amd=()):
        def load(name):
            if nvml is None:
                raise OSError(name)
            return nvml

        monkeypatch.setattr(ctypes, "CDLL", load)
        monkeypatch.setattr(devices, "_NVIDIA", tmp_path / "nvidia")
        monkeypatch.setattr(devices, "_AMD", tmp_path / "amd")
        for number in range(nvidia):
            (tmp_path / "nvidia" / f"0000:{number:02x}:00.0").mkdir(parents=True)
        for number, text in enumerate(amd):
            (tmp_path / "amd" / str(number)).mkdir(parents=True)
            (tmp_path / "amd" / str(number) / "properties").write_text(text)
        devices.gpu_names.cache_clear()
        return devices.gpu_names()

    yield make
    devices.gpu_names.cache_clear()


CPU, GPU = "cpu_cores_count 16\nsimd_count 0\n", "cpu_cores_count 0\nsimd_count 256\nname gfx90a\n"


def test_each_driver_is_asked(machine):
    assert machine() == ()
    in_a_container = machine(nvml=Nvml(3))  # that has no folder of the driver's
    assert in_a_container == ("NVIDIA H200, 140 GiB",) * 3


def test_the_folders_do_where_the_library_is_missing_or_fails(machine):
    assert machine(nvidia=2) == ("", "")
    for broken in ("init", "count"):
        assert machine(nvml=Nvml(7, broken)) == ("", "")


@pytest.mark.parametrize(("broken", "name"), [("handle", ""), ("name", ""), ("memory", "NVIDIA H200")])
def test_a_gpu_that_does_not_tell_is_counted(machine, broken, name):
    assert machine(nvml=Nvml(2, broken)) == (name, name)


def test_the_library_is_let_go(machine):
    nvml = Nvml(1)
    machine(nvml=nvml)
    assert nvml.shut_down == 1


def test_amds_gpus_are_the_nodes_with_compute_units(machine):
    assert machine(amd=[CPU, GPU, GPU, "nonsense", ""]) == ("", "")
    assert machine(nvml=Nvml(0)) == ("", "")
