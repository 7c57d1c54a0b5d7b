"""Do links of Markdown pages, and paths to pages and results that any text names, lead somewhere?  links.py ROOT"""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
FOLDERS = ["docs", "bench", "tuning", "kernels", "src", "include", "tests", "tools", "examples", "cmake"]
TEXT = {".md", ".toml", ".cpp", ".hpp", ".h", ".c", ".cl", ".clh", ".cmake", ".txt", ".py", ".1", ""}
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"(?<![\w./-])(?:docs|bench/results|tuning/results)/[\w./-]*\.(?:md|svg|png|json|jsonl|csv|xz)\b")


def anchors(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    headings = re.findall(r"^#+ +(.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_link(page, link):
    path, _, anchor = link.partition("#")
    target = (page.parent / path) if path else page
    if not target.exists():
        return f"{link}: no such file"
    return f"{link}: no such heading" if anchor and target.suffix == ".md" and anchor not in anchors(target) else None


def problems(file):
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix == ".md":
        links = [link for link in LINK.findall(text) if "://" not in link and not link.startswith("mailto:")]
        yield from filter(None, (broken_link(file, link) for link in links))
    yield from (f"{path}: no such file" for path in NAMED.findall(text) if not (ROOT / path).exists())


files = [*ROOT.glob("*"), *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*"))]
files = [file for file in files
         if file.is_file() and file.suffix in TEXT and "out" not in file.relative_to(ROOT).parts]
found = [f"{file.relative_to(ROOT)}: {problem}" for file in files for problem in problems(file)]
print("\n".join(found) or f"{len(files)} files, no broken link")
sys.exit(bool(found))
