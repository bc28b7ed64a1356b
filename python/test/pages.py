"""The commands and programs that the README and docs/tutorial show, for those who follow them: python/test/api/test_tutorials.py in
the build folder, scripts/newcomer in a new Debian system.

    ```python    all blocks of a page are one program, as a reader would type them; ```output blocks are what it prints
    ```sh        lines that begin with `$ ` are commands, with their here-documents; the other lines are their output, in which
                 `...` stands for any text
    ```          commands of the README, some of which are for the reader to complete: ` ... `
    ```py        not run: for a GPU, or of another program
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def blocks(text, language):
    return [inner for kind, inner in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S) if kind == language]


def transcripts(text):
    """[(command with its here-document, expected output)] of the ```sh blocks."""
    found, lines = [], iter("\n".join(blocks(text, "sh")).split("\n"))
    for line in lines:
        if line.startswith("$ "):
            command = [line[2:]]
            if line.endswith("<<END"):
                for inner in lines:
                    command.append(inner)
                    if inner == "END":
                        break
            found.append(("\n".join(command).replace("<<END", "<<'END'"), []))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(said).strip("\n")) for command, said in found]


def agrees(expected, said):
    return re.fullmatch(".*".join(re.escape(part) for part in expected.split("...")), said.strip("\n"), re.S)


def steps(text):
    """("install", package of Debian) and ("run", line), in the page's order: `apt install make` in a sentence, and the lines of the
    blocks without a language, with their continuations and without their comments."""
    for match in re.finditer(r"`apt install ([^`]+)`|^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        names, language, block = match.groups()
        if names:
            yield from (("install", name) for name in names.split())
        elif language == "":
            for line in block.replace("\\\n", " ").split("\n"):
                line = re.sub(r"(^|\s+)#.*$", "", line)
                if line and " ... " not in line:
                    yield "run", line


def command_lines(text):
    return [line for kind, line in steps(text) if kind == "run"]
