"""Do the C and C++ snippets of Markdown pages compile?  snippets.py ROOT C_COMPILER CXX_COMPILER

Each ```cpp block is the body of a function to which the tutorial's objects are given, or, where it includes headers, a
file of its own; so is each ```c block. Pages of one folder are compiled together; nothing is linked or run.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
C, CXX = sys.argv[2:4]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/guide").glob("*.md"))]
BLOCK = re.compile(r"^```(cpp|c)\n(.*?)^```$", flags=re.S | re.M)
HEAD = """#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <iostream>
#include <sgemm/multi_device.hpp>
#include <sgemm/opencl_hpp.hpp>
#include <vector>
"""
ARGUMENTS = """[[maybe_unused]] const cl::Context& opencl, [[maybe_unused]] const cl::Device& device,
    [[maybe_unused]] const cl::CommandQueue& queue, [[maybe_unused]] const libsgemm::Context& context,
    [[maybe_unused]] libsgemm::Problem problem, [[maybe_unused]] const cl::Buffer& a,
    [[maybe_unused]] const cl::Buffer& b, [[maybe_unused]] const cl::Buffer& c, [[maybe_unused]] std::int64_t m,
    [[maybe_unused]] std::int64_t n, [[maybe_unused]] std::int64_t k, [[maybe_unused]] float alpha,
    [[maybe_unused]] float beta"""


def compile_file(command, text, suffix, where):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(text)
        file.flush()
        run = subprocess.run([*command, "-fsyntax-only", "-w", f"-I{ROOT}/include", file.name],
                             capture_output=True, text=True, check=False)
    if run.returncode != 0:
        print(f"{where}:\n{run.stderr}")
    return run.returncode == 0


bodies, count, good = [], 0, True
for page in PAGES:
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        count += 1
        where = f"{page.relative_to(ROOT)}, block {count}"
        if language == "c":
            good &= compile_file([C, "-std=c99"], block, ".c", where)
        elif "#include" in block:
            good &= compile_file([CXX, "-std=c++17"], block, ".cpp", where)
        else:
            bodies.append(f'void snippet_{count}({ARGUMENTS}) {{\n#line 1 "{page.relative_to(ROOT)}, block {count}"\n{block}}}\n')
good &= compile_file([CXX, "-std=c++17"], HEAD + "".join(bodies), ".cpp", "snippets")
print(f"{count} snippets")
sys.exit(not (good and count > 0))
