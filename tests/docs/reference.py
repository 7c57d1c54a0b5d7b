"""Do pages of docs/reference name what the sources have, and nothing else?  reference.py ROOT"""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
found = []


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def compare(page, what, named, there):
    found.extend(f"{page}: {what}: {name} is missing" for name in sorted(there - named))
    found.extend(f"{page}: {what}: {name} is not there" for name in sorted(named - there))


def options(text):
    return {option for option in re.findall(r"--[a-z][a-z-]*[a-z]", text) if not option.startswith("--benchmark")}


def keys(text):
    """First cells of tables."""
    return set(re.findall(r"^\| `(\w+)` \|", text, flags=re.M))


def check_tools(page="docs/reference/tools.md"):
    """Manual pages are held against --help by the test package.manual."""
    for name, text in re.findall(r"^## ([\w-]+)\n(.*?)(?=^## |\Z)", read(page), flags=re.S | re.M):
        compare(page, name, options(text), options(read(f"docs/man/{name}.1").replace("\\-", "-")))


def check_status_codes(page="docs/reference/status-codes.md"):
    enumeration = re.search(r"typedef enum sgemm_status.*?\}", read("include/sgemm/sgemm.h"), flags=re.S).group()
    there = {f"{name} = {value}" for name, value in re.findall(r"(SGEMM_\w+) =\s*(\d+)", enumeration)}
    compare(page, "sgemm_status", {f"{name} = {value}" for name, value in
                                   re.findall(r"^\| `(SGEMM_\w+)` \| (\d+)", read(page), flags=re.M)}, there)


def check_table_format(page="docs/reference/table-format.md"):
    source = read("src/tables/parse.cpp")
    lists = re.findall(r"(?:allow_only\(|keys)\s*\{([^}]+)\}", source)
    there = {key for keys_of_one in lists for key in re.findall(r'"(\w+)"', keys_of_one)}
    text = read(page)
    compare(page, "keys", {key for key in there if f"`{key}`" in text} | keys(text), there)


def check_plan_output(page="docs/reference/plan-output.md"):
    """The words are string literals: those behind a kernel's name, and what strategy() returns."""
    literals = re.findall(r'", ([A-Za-z][^"]+)"', read("src/catalog/variant.cpp"))
    for file in sorted((ROOT / "src/plan/family").rglob("*.cpp")):
        for body in re.findall(r"::strategy\(.*?\n}", file.read_text(encoding="utf-8"), flags=re.S):
            literals += re.findall(r'"([^"]+)"', body)
    text = read(page)
    words = {literal.split(", else")[0].strip() for literal in literals}
    compare(page, "words", {word for word in words if re.search(rf"^\| {re.escape(word)}", text, flags=re.M)}, words)


def check_environment(page="docs/reference/environment.md"):
    """Variables are names in quotes, wherever they are read."""
    there = {name for folder in ["src", "tools", "bench", "python/sgemm"] for file in (ROOT / folder).rglob("*")
             if file.suffix in {".cpp", ".hpp", ".py"}
             for name in re.findall(r'"((?:SGEMM|XDG)_[A-Z_]+)"', file.read_text(encoding="utf-8"))}
    there -= set(re.findall(r"(SGEMM_\w+)\s*=", read("include/sgemm/sgemm.h")))  # enumerators
    compare(page, "variables", {name for name in there if f"`{name}`" in read(page)}, there)


check_environment()
check_plan_output()
check_tools()
check_status_codes()
check_table_format()
print("\n".join(found) or "all there")
sys.exit(bool(found))
