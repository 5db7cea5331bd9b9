"""Finds the commands that pages print, and makes of each page a script that runs them in turn.

    docs_commands.py PAGE...    lists every block: runs, or why not

Every shell block is run unless a comment before it says why not:

    <!-- not run: needs a cluster -->
    <!-- not run, trivium prices update: fetches a catalogue -->     only that command of the block
    <!-- run in an empty folder -->                                   with no settings there
    <!-- write trivium.toml -->                                       a block of settings
    <!-- add to trivium.toml -->

What a ``console`` block prints below its commands is what they answer, where ``…`` is anything.

tests/docs/test_commands.py runs them, against a gateway before a vendor that stands in.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NOT_HERE = {
    "docker": "needs containers",
    "kubectl": "needs a cluster",
    "helm": "needs a cluster",
    "systemctl": "needs systemd as the first process",
    "pip": "the package index has no trivium yet; tests/packaging installs the wheel",
    "pipx": "the package index has no trivium yet; tests/packaging installs the wheel",
    "uvx": "the package index has no trivium yet; tests/packaging installs the wheel",
    "make": "makes what its own checks make",
}
"""Programs whose blocks are not run, and why; where a mark names the command, the rest is run."""
PROGRAM = re.compile(
    r"(?m)(?:^|[;&|({])\s*(?:(?:sudo|do|then|else|if|until|while|!)\s+|\w+=\S*\s+)*([\w./-]+)"
)
"""What a command line begins, and what follows in it; behind assignments."""
SHELL = frozenset({"sh", "bash", "console", "shell"})
PROMPT = "$ "
MARK = re.compile(
    r"<!-- *(?:(not run)(?:, ([^:]+?))?: *(.*?)|(run) in an empty folder|(write|add to) (\S+)) *-->"
)
FENCE = re.compile(r"( *)(```+) *(\w*)$")
HEREDOC = re.compile(r"<<-? *['\"]?(\w+)")
DATA = re.compile(r"[\[{<\d#]|HTTP/|[\w ]+: |\w+ *= |-----")
"""How an indented block begins that is no command: settings, answers, log lines."""


@dataclass
class Block:
    """A block of a page, as it stands there."""

    page: str
    line: int
    language: str
    """After the fence; empty for a block that is indented."""
    lines: list[str]
    marks: list[tuple[str, str, str]] = field(default_factory=list)
    """What a mark says, of which command (all: empty) or file, and why."""

    @property
    def where(self) -> str:
        """For messages."""
        return f"{self.page}:{self.line}"

    @property
    def prompted(self) -> bool:
        """Whether commands stand behind a prompt, with their answers below."""
        return any(line.startswith(PROMPT) for line in self.lines)

    @property
    def is_shell(self) -> bool:
        """Whether these are commands."""
        if self.language:
            return self.language in SHELL or (self.language == "text" and self.prompted)
        return self.prompted or not DATA.match(self.lines[0])

    @property
    def file(self) -> tuple[str, str]:
        """``write`` or ``add to``, and the file that the block is for; empty for none."""
        return next(((k, name) for k, name, _ in self.marks if k in {"write", "add to"}), ("", ""))

    @property
    def alone(self) -> bool:
        """Whether it begins where no settings are."""
        return any(kind == "run" for kind, _, _ in self.marks)

    def steps(self) -> list[tuple[str, str]]:
        """Each command, with continued lines and the bodies of loops and texts, and its answer."""
        found: list[list[str]] = []
        going_on = False
        for line in self.lines:
            begins = not self.prompted or line.startswith(PROMPT)
            if going_on:
                found[-1][0] += "\n" + line
            elif begins:
                found.append([line.removeprefix(PROMPT) if self.prompted else line, ""])
            elif found:
                found[-1][1] += line + "\n"
            going_on = bool(found) and (begins or going_on) and _goes_on(found[-1][0])
        return [(command, answer) for command, answer in found if command.strip()]

    def commands(self) -> list[str]:
        """Them alone."""
        return [command for command, _ in self.steps()]

    def kept(self) -> Iterator[tuple[str, str]]:
        """Those to be run, with what they answer."""
        skipped = [command for kind, command, _ in self.marks if kind == "not run" and command]
        for command, answer in self.steps():
            if not command.startswith(tuple(skipped)):
                yield command, answer

    def why_not(self) -> str:
        """Why the whole block is not run; empty where it is."""
        for kind, command, reason in self.marks:
            if kind == "not run" and not command:
                return reason
        for command, _ in self.kept():
            for word in PROGRAM.findall(re.sub(r"(?m)(^|\s)#.*", "", command)):
                if reason := NOT_HERE.get(word.rpartition("/")[2]):
                    return reason
        return ""


def _goes_on(command: str) -> bool:
    """Whether a command needs the next line."""
    if command.rstrip().endswith("\\"):
        return True
    if (word := HEREDOC.search(command)) and word[1] != command.rpartition("\n")[2]:
        return True
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return True
    return False


def blocks(page: str, text: str) -> list[Block]:
    """Every block of a page in turn, with the marks that stand right before it."""
    found: list[Block] = []
    marks: list[tuple[str, str, str]] = []
    fence = margin = before = ""
    for number, line in enumerate(text.splitlines(), 1):
        opening = FENCE.match(line)
        indented = line.startswith("    ") and not fence
        if fence and line.strip() == fence:
            fence = ""
        elif fence:
            found[-1].lines.append(line.removeprefix(margin))
        elif opening:
            margin, fence = opening[1], opening[2]
            found.append(Block(page, number, opening[3] or "text", [], marks))
            marks = []
        elif indented and not before.strip():
            found.append(Block(page, number, "", [line[4:]], marks))
            marks = []
        elif indented and found and number == found[-1].line + len(found[-1].lines):
            found[-1].lines.append(line[4:])
        elif match := MARK.fullmatch(line.strip()):
            kind = match[1] or match[4] or match[5]
            marks = [*marks, (kind, match[2] or match[6] or "", match[3] or "")]
        elif line.strip():
            marks = []
        before = "" if MARK.fullmatch(line.strip()) else line
    return found


def main() -> None:
    """List the blocks of pages."""
    for name in sys.argv[1:]:
        for block in blocks(name, Path(name).read_text(encoding="utf-8")):
            if block.is_shell:
                sys.stdout.write(f"{block.where}: {block.why_not() or 'run'}\n")
                for kind, command, reason in block.marks:
                    if kind == "not run" and command:
                        sys.stdout.write(f"    not {command}: {reason}\n")


if __name__ == "__main__":
    main()
