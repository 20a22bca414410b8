#!/usr/bin/env python3
"""Takes the pages of the ISA documentation that concern Blackhole apart into statements and draws a
tenth of them: statements.py CHECKOUT [SEED]. The seed of statements.def is 20261122.

A statement is a sentence, an item of a list, a row of a table, or lines of code without a blank
or brace between them. Pages: all of BlackholeA0 but for samples, and those of WormholeB0 that
BlackholeA0 has not, but for Wormhole's own ARC, PCIe, Ethernet and DRAM tiles.
"""
import os
import random
import re
import sys


OTHER_TILES = ("ARCTile/", "PCIExpressTile/", "EthernetTile/", "DRAMTile/")


def pages_of(root):
    pages = []
    for folder, _, files in os.walk(root):
        for file in files:
            if file.endswith(".md"):
                pages.append(os.path.relpath(os.path.join(folder, file), root))
    pages.sort()
    blackhole = {p[len("BlackholeA0/"):] for p in pages if p.startswith("BlackholeA0/")}
    for page in pages:
        if page.startswith("BlackholeA0/") and "Samples" not in page:
            yield page
        elif page.startswith("WormholeB0/"):
            inherited = page[len("WormholeB0/"):]
            if inherited not in blackhole and not inherited.startswith(OTHER_TILES):
                yield page


def letters(text):
    return len(re.sub(r"\W", "", text))


def sentences(text):
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\b(e\.g|i\.e|cf|etc|vs)\.", lambda m: m.group(0).replace(".", "\0"), text)
    parts = re.split(r"(?<=[.!?:;])\s+(?=[A-Z`*\[])", text)
    return [part.replace("\0", ".") for part in parts if letters(part) > 8]


class Page:
    """The statements of a page, as (page, section, kind, text)."""

    def __init__(self, root, path):
        self.path = path
        self.found = []
        self.section = ""
        self.paragraph = []
        self.code = False
        self.table = 0
        self.last_code = -9
        with open(os.path.join(root, path)) as file:
            for number, line in enumerate(file.read().split("\n")):
                self.take(number, line)
        self.end_paragraph()

    def add(self, kind, text):
        self.found.append((self.path, self.section, kind, text))

    def end_paragraph(self):
        for sentence in sentences(" ".join(self.paragraph)) if self.paragraph else []:
            self.add("text", sentence)
        self.paragraph = []

    def take_code(self, number, line):
        text = re.sub(r"//.*", "", line.strip()).strip()
        if letters(text) > 3 and text not in ("else", "} else {", "break;", "default:"):
            if self.found and self.found[-1][2].startswith("code") and self.last_code == number - 1:
                before = self.found.pop()
                self.add(before[2], before[3] + "\n      " + line.rstrip())
            else:
                self.add("code:%d" % (number + 1), line.rstrip())
            self.last_code = number
        elif text and self.last_code == number - 1:
            self.last_code = number

    def take(self, number, line):
        text = line.strip()
        if text.startswith("```"):
            self.end_paragraph()
            self.code = not self.code
        elif self.code:
            self.take_code(number, line)
        elif text.startswith("#"):
            self.end_paragraph()
            self.section = text.lstrip("# ")
        elif text.startswith("|"):
            self.end_paragraph()
            self.table += 1
            if self.table > 2:
                self.add("row", text)
        else:
            self.table = 0
            self.take_text(text)

    def take_text(self, text):
        if text.startswith("<tr>"):
            self.end_paragraph()
            if "<th" not in text or "<td" in text:
                self.add("row", re.sub(r"<[^>]+>", " ", text))
            return
        if text.startswith("<") or re.match(r"([-*]|\d+\.)\s", text) or not text:
            self.end_paragraph()
        if text:
            self.paragraph.append(re.sub(r"<[^>]+>", "", text))


def main():
    found = []
    for page in pages_of(sys.argv[1]):
        found += Page(sys.argv[1], page).found
    if len(sys.argv) < 3:
        print(len(found), "statements")
        return
    drawn = random.Random(int(sys.argv[2])).sample(range(len(found)), round(len(found) / 10))
    for number in sorted(drawn):
        print("#%d %s § %s [%s]\n    %s" % ((number,) + found[number]))


main()
