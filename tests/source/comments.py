"""Comments: at most 100 columns, no dates, no commit hashes.  comments.py ROOT"""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
FOLDERS = ["src", "include", "bench", "tools", "tests", "kernels", "cmake", "examples", "tuning"]
LEFT_OUT = {"bench/results", "bench/out", "tests/fuzz/corpus", "tuning/results", "tuning/out"}
C_LIKE = {".cpp", ".hpp", ".h", ".c", ".cl", ".clh", ".ptx", ".ptxh"}
OTHERS = {".cmake", ".txt", ".py", ".jq", ".toml", ""}
# A string, which may hold what looks like a comment; or a comment.
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(//[^\n]*|/\*.*?\*/)', re.S)
OTHER_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|((?:^|(?<=\s))#(?!!)[^\n]*)', re.M)
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")


def comments(file, text):
    """(number of a line, column of its end, text) of every line of a comment."""
    pattern = C_COMMENT if file.suffix in C_LIKE else OTHER_COMMENT
    for match in pattern.finditer(text):
        if match.group(1):
            first, begin = text.count("\n", 0, match.start()), text.rfind("\n", 0, match.start()) + 1
            for number, line in enumerate(text[begin:match.end()].split("\n")):
                yield first + number + 1, len(line), line if number else line[match.start() - begin:]


def problems(file):
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    for number, end, comment in comments(file, text):
        if end > 100:
            yield f"{number}: {end} columns"
        for pattern, what in ((DATE, "a date"), (HASH, "a commit hash")):
            if found := pattern.search(comment):
                yield f"{number}: {found.group()} looks like {what}"


files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*"))
         if file.is_file() and file.suffix in C_LIKE | OTHERS
         and not any(file.is_relative_to(ROOT / folder) for folder in LEFT_OUT)]
found = [f"{file.relative_to(ROOT)}:{problem}" for file in files for problem in problems(file)]
print("\n".join(found) or f"{len(files)} files, no comment to mend")
sys.exit(bool(found))
