# SPDX-License-Identifier: Apache-2.0
"""What a result is a result of: a hash of files and folders, names and bytes.  Results of another one are not mixed with those of this one."""
import hashlib


def of(root, sources):
    total = hashlib.sha256()
    for source in sources:
        path = root / source
        for file in [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
            total.update(f"{file.relative_to(root)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:16]
