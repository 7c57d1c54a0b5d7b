#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layers of the source: layers.py ROOT lists what goes against them, and fails if there is any.

A file may include files of its own folder, and of folders that stand before it; of some folders
only the files that are for others. And there is no circle: a header and its source count as one, so
that two that need each other are found as well.
"""
import re
import sys
from pathlib import Path

# From the bottom to the top; the longest folder that fits is a file's layer.
LAYERS = [
    "include",
    "src/support",
    "src/cpu_threads/locks",
    "src/device",
    "src/problem",
    "src/catalog",
    "src/tables",
    "src/plan",
    "src/compile/ptx",
    "src/compile",
    "src/execute",
    "src/first_use",
    "src/context",
    "src/cpu_threads",
    "src",  # the public classes
    "src/doors/c",
    "src/doors/blas",
    "src/doors/clblast",
    "src/judge",
    "src/tune/worker",
    "src/tune/selftest",
    "src/tune/fit",
    "src/tune/search",
    "bench",
    "tools",
]
# Folders of which others may include only these files.
DOORS = {
    "src/compile/ptx": ["src/compile/ptx/source.hpp"],
    "src/cpu_threads": [
        "src/cpu_threads/device_group.hpp",
        "src/cpu_threads/locks/launch_gate.hpp",
        "src/cpu_threads/locks/queue_lock.hpp",
    ],
}
# Includes that are still to go: (file, what it includes).
EXCEPTIONS = {
    ("src/catalog/variant.cpp", "src/catalog/kernel_entry.hpp"),
}

FOLDERS = ["include", "src", "bench", "tools"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_of(path):
    """The number of a file's layer."""
    fitting = [layer for layer in LAYERS if path.startswith(layer + "/")]
    return LAYERS.index(max(fitting, key=len))


def files_of(root):
    return {
        str(path.relative_to(root))
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in (".c", ".h", ".cpp", ".hpp")
    }


def target_of(name, source, files):
    """The file that `source` includes by that name; None for what is not the project's."""
    beside = str(Path(source).parent / name)
    places = [beside] + [f"{folder}/{name}" for folder in FOLDERS]
    return next((place for place in places if place in files), None)


def includes_of(root):
    """All pairs (file, what it includes)."""
    files = files_of(root)
    for source in sorted(files):
        for name in INCLUDE.findall((root / source).read_text(encoding="utf-8")):
            target = target_of(name, source, files)
            if target is not None:
                yield source, target


def passes_a_wall(source, target):
    """Whether a file of a folder that has a door is reached by another way."""
    return any(
        target.startswith(folder + "/") and not source.startswith(folder + "/") and target not in doors
        for folder, doors in DOORS.items()
    )


def circles(edges):
    """Strongly connected components of more than one node, by Tarjan's algorithm."""
    after, index, low, stack, found = {}, {}, {}, [], []
    for source, target in edges:
        after.setdefault(source, set()).add(target)

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(after.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(after):
        if node not in index:
            visit(node)
    return found


def main():
    root = Path(sys.argv[1]).resolve()
    every = set(includes_of(root))
    includes = sorted(every - EXCEPTIONS)
    complaints = [f"no exception any more: {a}, {b}" for a, b in sorted(EXCEPTIONS - every)]
    complaints += [
        f"{a} includes {b}, of a higher layer" for a, b in includes if layer_of(b) > layer_of(a)
    ]
    complaints += [f"{a} includes {b}, which is inside" for a, b in includes if passes_a_wall(a, b)]
    stems = [tuple(str(Path(end).with_suffix("")) for end in pair) for pair in includes]
    complaints += ["a circle: " + ", ".join(one) for one in circles(stems)]
    print("\n".join(complaints) or f"{len(includes)} includes, none against the layers, no circle")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
