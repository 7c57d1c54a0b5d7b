#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernels/README.md lists each kernel in the row of its folder, and none that is gone."""
import pathlib
import re
import sys


def listed(readme):
    """Names by folder, of the table below `| folder | kernels |`; "`a` to `c`" is a range."""
    folder, names = "", {}
    for line in readme.split("| folder | kernels |")[1].splitlines()[2:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        folder = cells[0].strip("`/") or folder
        kernels = re.sub(r"\([^)]*\)", "", cells[1])  # entries that share a file
        names.setdefault(folder, []).extend(re.findall(r"`([^`]+)`( to)?", kernels))
    return names


def main(root):
    kernels = pathlib.Path(root) / "kernels"
    files = {}
    for path in sorted([*kernels.glob("*/*.cl"), *kernels.glob("*/*.ptx")]):
        files.setdefault(path.parent.name, []).append(path.stem)
    names = listed((kernels / "README.md").read_text())
    wrong = sorted(files.keys() ^ names.keys())
    for folder in files.keys() & names.keys():
        there = set()
        for at, (name, to) in enumerate(names[folder]):
            last = names[folder][at + 1][0] if to else name
            between = {stem for stem in files[folder] if name <= stem <= last} if to else set()
            there |= {name} | between
        wrong += [f"{folder}/{name}" for name in sorted(there ^ set(files[folder]))]
    for name in wrong:
        print(f"kernels/README.md: {name} is a kernel or in the table, but not both")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
