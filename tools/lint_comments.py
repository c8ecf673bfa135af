#!/usr/bin/env python3
"""lint_comments.py - what a reader of comments trips over.

  drawing   a table or a drawing in a comment outside /* clang-format off */: the next reflow garbles it; more often than
            the list allows
  file      a file that a comment or a page names and that does not exist
  riddle    a phrase of the list, tools/riddles.txt, more often than the list allows

Prints FILE:LINE: KIND: TEXT for each finding, and exits with 1 if there is any.
"""
import os
import re
import subprocess
import sys

RIDDLES = "tools/riddles.txt"
DRAWING = "(drawing)"  # in the list
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/', re.S)
FILE = re.compile(r"(?<![\w./{*<-])(?:\.\./)*[a-z0-9_-]+(?:/[a-zA-Z0-9_.-]+)*\.(?:c|h|sh|md)(?![\w*-])")
FENCED = re.compile(r"^```.*?^```", re.S | re.M)  # in a page: files that the reader is to write
DRAWN = re.compile(r"^ *\* {3,}\S.*\S {2,}\S")


def listed(*patterns):
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split("\n")
    return [name for name in names if name]


def comments(source):
    """The comments of a source: line, text as it stands, and whether layout is switched off there."""
    off = False
    for found in COMMENT.finditer(source):
        text = found.group(0)
        if not text.startswith("/*"):
            continue
        if re.fullmatch(r"/\* clang-format (on|off) \*/", text):
            off = text == "/* clang-format off */"
            continue
        yield source.count("\n", 0, found.start()) + 1, text, off


def said(text):
    """A comment without its frame, in one line."""
    return re.sub(r"\s*\n\s*\*? ?", " ", re.sub(r"^/\*+|\*/$", "", text)).strip()


def drawings(text):
    lines = [at for at, line in enumerate(text.split("\n")) if DRAWN.match(line)]
    return lines[:1] if len(lines) > 1 else []


class Files:
    """What files there are, by any end of their paths."""

    def __init__(self):
        self.ends = set()
        for path in listed():
            parts = path.split("/")
            for at in range(len(parts)):
                self.ends.add("/".join(parts[at:]))

    def missing(self, text):
        for found in FILE.finditer(text):
            name = re.sub(r"^(\.\./)+", "", found.group(0))
            if name not in self.ends and not os.path.exists("/usr/include/" + name) and "FILE" not in name:
                yield text.count("\n", 0, found.start()), name


class Riddles:
    """Phrases, each with how many of its comments are left to mend."""

    def __init__(self):
        self.phrases = []
        self.drawings = 0
        with open(RIDDLES, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    left, phrase = line.rstrip("\n").split("\t")
                    if phrase == DRAWING:
                        self.drawings = int(left)
                        continue
                    self.phrases.append((int(left), phrase, re.compile(phrase), []))

    def look(self, place, text):
        for _, _, pattern, places in self.phrases:
            if pattern.search(text):
                places.append((place, text))

    def findings(self):
        for left, phrase, _, places in self.phrases:
            if len(places) > left:
                yield from (f"{place}: riddle: {phrase}: {text[:100]}" for place, text in places)


def main():
    files = Files()
    riddles = Riddles()
    findings = []
    drawn = []
    for path in listed("*.c", "*.h"):
        with open(path, encoding="utf-8") as file:
            source = file.read()
        for line, text, off in comments(source):
            if not off:
                drawn += [f"{path}:{line + at}: drawing: between clang-format off and on it stays as it is"
                          for at in drawings(text)]
            findings += [f"{path}:{line + at}: file: {name} does not exist" for at, name in files.missing(text)]
            riddles.look(f"{path}:{line}", said(text))
    for path in listed("*.md"):
        with open(path, encoding="utf-8") as file:
            text = FENCED.sub(lambda found: "\n" * found.group(0).count("\n"), file.read())
        findings += [f"{path}:{1 + at}: file: {name} does not exist" for at, name in files.missing(text)]
    if len(drawn) > riddles.drawings:
        findings += drawn
    findings += riddles.findings()
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
