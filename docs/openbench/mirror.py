"""Serves, on the loopback address and from a local git repository, the GitHub requests that OpenBench makes.

usage: mirror.py PORT REPOSITORY BOOK

Supported paths, for any OWNER and NAME:
    /repos/OWNER/NAME/branches/REF, /repos/OWNER/NAME/commits/REF   a commit and its message
    /repos/OWNER/NAME/zipball/SHA                                   the files of a commit
    /repos/OWNER/NAME/compare/A...B                                 always "0 commits ahead"
    any path that ends in .epd.zip                                  the book
Other paths give 404.
"""

import http.server
import io
import json
import os
import subprocess
import sys
import zipfile

PORT, REPOSITORY, BOOK = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def git(*words):
    return subprocess.run(["git", "-C", REPOSITORY, *words], check=True, capture_output=True).stdout


def commit(ref):
    sha = git("rev-parse", "--verify", ref + "^{commit}").decode().strip()
    return {"sha": sha, "commit": {"message": git("log", "-1", "--format=%B", sha).decode()}}


def zipped_book():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(BOOK, os.path.basename(BOOK))
    return packed.getvalue()


def answer(path):
    words = path.strip("/").split("/")
    if path.endswith(".epd.zip"):
        return "application/zip", zipped_book()
    kind, ref = words[3], "/".join(words[4:])
    if kind == "zipball":
        return "application/zip", git("archive", "--format=zip", "--prefix=source/", ref)
    body = {"branches": lambda: {"commit": commit(ref)}, "commits": lambda: commit(ref), "compare": lambda: {"ahead_by": 0}}
    return "application/json", json.dumps(body[kind]()).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            kind, body = answer(self.path)
        except Exception as error:
            return self.send_error(404, str(error).replace("\n", " ")[:200])
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
