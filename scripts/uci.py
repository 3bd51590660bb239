"""A UCI engine as a child process, for the scripts beside this file."""

import subprocess
import sys


class Engine:
    def __init__(self, path):
        self.path = path
        try:
            self.child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        except OSError as error:
            sys.exit(f"{path}: cannot be run: {error.strerror}")

    def write(self, text):
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()

    def send(self, text, word):
        """Sends commands and returns the lines up to the one that starts with `word`."""
        self.write(text)
        output = []
        for line in self.child.stdout:
            output.append(line)
            if line.startswith(word):
                return output
        sys.exit(f"{self.path} has exited")

    def set_option(self, name, value):
        """Sets an option; ends the script with the engine's message if there is one."""
        for line in self.send(f"setoption name {name} value {value}\nisready", "readyok"):
            if line.startswith("info string"):
                sys.exit(f"{self.path}: {name} {value}: {line.removeprefix('info string').strip()}")

    def quit(self):
        self.write("quit")
        if code := self.child.wait(timeout=10):
            sys.exit(f"{self.path}: exit code {code}")
