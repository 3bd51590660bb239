"""Python loads this at its start where PYTHONPATH names its directory: OpenBench then runs as it is, but asks the mirror
on the loopback address instead of GitHub, and ends only processes of its own."""

import os
import re
import subprocess

MIRROR = os.environ.get("OPENBENCH_MIRROR")

if MIRROR:
    try:
        import requests
    except ImportError:
        requests = None
    if requests:
        original = requests.Session.request

        def request(self, method, url, *args, **kwargs):
            url = re.sub(r"^https://(api\.github\.com|github\.com|raw\.githubusercontent\.com)", MIRROR, url)
            return original(self, method, url, *args, **kwargs)

        requests.Session.request = request

    run = subprocess.run

    def careful_run(command, *args, **kwargs):
        if isinstance(command, list) and command[:1] == ["pkill"]:
            import psutil

            for process in psutil.Process().children(recursive=True):
                if command[-1] in " ".join(process.cmdline()):
                    process.kill()
            return None
        return run(command, *args, **kwargs)

    subprocess.run = careful_run
