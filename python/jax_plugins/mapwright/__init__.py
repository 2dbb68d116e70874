"""Mapwright for JAX: programs run through Mapwright's maps, regions and native code.

JAX finds this module by itself and calls ``initialize``. ``JAX_PLATFORMS=mapwright`` chooses it; with ``MAPWRIGHT_AS_CPU=1`` it stands
in the place of JAX's own CPU backend, so that a program with ``JAX_PLATFORMS=cpu`` runs on it unedited. A program that says neither runs
where it did before, and finds ours by ``jax.devices("mapwright")``.
"""

import inspect
import os
import re
import sys
from pathlib import Path

LIBRARY = "libmapwright_pjrt.so"


def library_path():
    """The shared library: the one that ``MAPWRIGHT_PJRT_LIBRARY`` names, or the one beside this file, or in the wheel that of the package."""
    named = os.environ.get("MAPWRIGHT_PJRT_LIBRARY")
    if named:
        return Path(named)
    beside = Path(__file__).with_name(LIBRARY)
    return beside if beside.exists() else Path(__file__).parents[2] / "mapwright_hlo" / "_native.abi3.so"


def _as_cpu():
    return os.environ.get("MAPWRIGHT_AS_CPU", "0") not in ("", "0")


def _options():
    """How many devices there are, said as for JAX's own CPU backend."""
    from jax._src import xla_bridge

    configured = getattr(xla_bridge, "num_cpu_devices", None)
    count = configured.value if configured is not None else -1
    if count < 1:
        flag = r"--xla_force_host_platform_device_count=(\d+)"
        found = re.findall(flag, os.environ.get("XLA_FLAGS", ""))
        count = int(found[-1]) if found else 1
    _end_all_together()
    return {"num_devices": count}


def _end_all_together():
    """Where JAX is distributed, has an exception that nobody catches end this process at once, and so its launcher all others: they would
    wait for it."""
    from jax._src import distributed

    if (getattr(distributed.global_state, "num_processes", None) or 1) < 2:
        return
    said_before = sys.excepthook

    def say_and_end(*exception):
        said_before(*exception)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)

    sys.excepthook = say_and_end


def _set_up_when_made(xla_bridge, name):
    """What a program that runs on our backend finds set, once there is one."""

    def set_up(backend):
        if not _is_ours(backend):
            return
        # Callbacks and from_dlpack look for a backend that is called "cpu": ours is, where there is no other.
        xla_bridge._backends.setdefault("cpu", backend)
        _have_shardy()

    if hasattr(xla_bridge, "register_backend_initialization_hook"):
        xla_bridge.register_backend_initialization_hook(set_up)
        return
    registration = xla_bridge._backend_factories[name]
    make = registration.factory

    def factory():
        backend = make()
        set_up(backend)
        return backend

    registration.factory = factory


def _have_shardy():
    """Has versions of JAX before 0.7 write shard_map for Shardy, as later ones do, unless the environment says which they write."""
    import jax

    shardy = "jax_use_shardy_partitioner"
    if shardy.upper() not in os.environ and getattr(jax.config, shardy, None) is False:
        jax.config.update(shardy, True)


def _is_ours(backend):
    return "mapwright" in getattr(backend, "platform_version", "")


def initialize():
    """Registers the plugin with JAX."""
    from jax._src import xla_bridge

    path = library_path()
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: Mapwright is not installed completely")
    name = "cpu" if _as_cpu() else "mapwright"
    getattr(xla_bridge, "_nonexperimental_plugins", set()).add(name)
    parameters = inspect.signature(xla_bridge.register_plugin).parameters
    # Below all others: nothing but what is asked for runs here. In the place of the CPU's backend it has that one's.
    arguments = {"priority": 0 if _as_cpu() else -100, "library_path": str(path)}
    if "Callable" in str(parameters["options"].annotation):
        arguments["options"] = _options
    else:
        arguments["options"] = _options()
    c_api = xla_bridge.register_plugin(name, **arguments)
    _set_up_when_made(xla_bridge, name)

    from . import foreign

    foreign.install(c_api)
