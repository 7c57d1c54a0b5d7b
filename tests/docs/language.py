"""Is the language of pages for users plain?  language.py ROOT

No sentence has more than 30 words (README: 25), and nothing looks like a commit's hash. Code, tables' rulers and links'
targets are not counted; a cell of a table, a heading and a point of a list end a sentence.
"""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
PAGES = {ROOT / "README.md": 25} | {page: 30 for folder in ["docs", "docs/guide", "docs/reference"]
                                    for page in sorted((ROOT / folder).glob("*.md"))}
HASH = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")


def prose(page):
    text = re.sub(r"^```.*?^```$", "\n\n", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    return re.sub(r"^    .*$", "", text, flags=re.M)  # indented code


def sentences(text):
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"`[^`]*`", "CODE", text).replace("**", "").replace(" · ", ". ")
    text = re.sub(r"^(#+ .*|\|?[-| :]+\|)$", r"\1\n", text, flags=re.M)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.) )|\||\n(?=#)", text):
        yield from (part.split() for part in re.split(r"(?<=[.!?:;])\s+(?=[\"'(*`\[]*[A-Z0-9])", block.replace("\n", " ")))


found = []
for page, most in PAGES.items():
    text = prose(page)
    found += [f"{page.relative_to(ROOT)}: {len(words)} words: {' '.join(words[:12])} ..."
              for words in sentences(text) if len(words) > most]
    found += [f"{page.relative_to(ROOT)}: looks like a commit: {word}" for word in HASH.findall(text)]
print("\n".join(found) or f"{len(PAGES)} pages")
sys.exit(bool(found))
