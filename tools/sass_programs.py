# SPDX-License-Identifier: Apache-2.0
"""SASS of PTX, without a device: ptxas and nvdisasm for the tools beside this module. Environment variables PTXAS, NVDISASM
and so on name other programs."""
import os
import re
import subprocess
import tempfile


class Failure(Exception):
    """A program could not be run, or refused what it was given; the text says which and why."""


def run(program, *arguments):
    """What the program printed: (standard output, standard error)."""
    try:
        done = subprocess.run([os.environ.get(program.upper(), program), *arguments], capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"{program}: {error.strerror}") from error
    if done.returncode != 0:
        raise Failure(f"{program}: {done.stderr.strip()[:4000] or done.returncode}")
    return done.stdout, done.stderr


def with_any_array(ptx, most_bytes=48 * 1024):
    """PTX whose largest array in local memory has no size, where all take more than `most_bytes`. ptxas alone takes 48 KiB of
    arrays with a size, the driver more. What ptxas makes of such a program is right, but not the same, instruction by instruction."""
    arrays = re.findall(r"\n\s*\.shared (\.align \d+ \.b8 [\w$]+)\[(\d+)\];", ptx)
    if sum(int(size) for _, size in arrays) <= most_bytes:
        return ptx
    array, size = max(arrays, key=lambda found: int(found[1]))
    ptx = ptx.replace(f".shared {array}[{size}];", "", 1)
    return re.sub(r"(\.address_size \d+)", rf"\1\n.extern .shared {array}[];", ptx, count=1)


def disassemble(ptx, limit="", listing=()):
    """SASS as `nvdisasm -c`, with the options of `listing`, lists it, and the log of `ptxas -v`; of a program whose
    work-items may have `limit` registers, where that is said."""
    target = re.search(r"^\.target (sm_\w+)", ptx, re.M)
    if not target:
        raise Failure("no target")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "a.ptx"), os.path.join(folder, "a.cubin")
        with open(source, "w") as out:
            out.write(with_any_array(ptx))
        _, log = run("ptxas", f"-arch={target.group(1)}", "-v", *([f"-maxrregcount={limit}"] if limit else []), source, "-o", binary)
        return run("nvdisasm", "-c", *listing, binary)[0], log
