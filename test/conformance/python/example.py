"""Runs a published example as it is. Its connections to port 11111 reach the daemon under test; with a function's name that
function is called in place of the example's own main part, and its pauses, some of which last for days, are cut to a second."""

import importlib.util
import json
import os
import runpy
import sys
import time

import futu

task = json.loads(sys.argv[1])
sys.path.append(os.path.dirname(os.path.realpath(__file__)))


def end_at_once(*error):
    """The client's threads would keep a program alive that has failed."""
    sys.__excepthook__(*error)
    sys.stderr.flush()
    os._exit(1)


sys.excepthook = end_at_once

NetManager = futu.common.open_context_base.NetManager
connect = NetManager.connect


def redirected(self, addr, *arguments, **named):
    return connect(self, (task["host"], task["port"]) if addr[1] == 11111 else addr, *arguments, **named)


NetManager.connect = redirected

path = os.path.join(os.path.dirname(futu.__file__), "examples", task["example"])
if task.get("function") is None:
    runpy.run_path(path, run_name="__main__")
else:
    spec = importlib.util.spec_from_file_location("example", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.sleep = lambda seconds: time.sleep(min(seconds, 1))
    getattr(example, task["function"])()
print("the example has ended", flush=True)
