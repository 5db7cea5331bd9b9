"""What pages print to be typed works: their commands run, their settings are settings.

`scripts/docs_commands.py` says which commands those are, and which are not run, and why.
"""

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import docs_commands
import pytest
import typer
import typer.main

from docs import prepared
from ports import free_port
from trivium.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
WALKED = sorted(
    [ROOT / "README.md", *ROOT.glob("docs/operate/*.md"), *ROOT.glob("docs/how-to/**/*.md")]
)
"""Pages whose commands are run."""
EVERYWHERE = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
NODE_CLIENTS = ROOT / "tests" / "node" / "node_modules"
COMMANDS = typer.main.get_command(app)
SEPARATORS = ("|", ";", "&&", "||", "&", ">", "2>", ">>", "<", "(", ")", "\n")


def named(page):
    """A page's path below the repository."""
    return page.relative_to(ROOT).as_posix()


def found(page):
    """A page's blocks."""
    return docs_commands.blocks(named(page), page.read_text(encoding="utf-8"))


def runs(page):
    """Those blocks that are run, or are files for others."""
    return [
        block
        for block in found(page)
        if (block.is_shell or block.language in prepared.PROGRAMS or block.file[0])
        and not block.why_not()
    ]


def calls(command):
    """The arguments of every `trivium` in a command line, in a container as well."""
    text = command.replace("\\\n", " ").replace("$(", " ( ")
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split = " \t", True
    words = []
    for word in [*lexer, ";"]:
        if word not in SEPARATORS:
            words.append(word)
            continue
        while words and (re.match(r"\w+=", words[0]) or words[0] in {"{", "do", "until", "!"}):
            words = words[1:]
        for at, name in enumerate(words):
            inside = words[at - 2 : at - 1] == ["exec"] or words[at - 1 : at] == ["--"]
            if re.search(r"(?:^|/)trivium$", name) and (at == 0 or inside):
                yield words[at + 1 :]
        words = []


def parse(words):
    """Read arguments as the command line does; click's own complaint when they are wrong."""
    command, context = COMMANDS, None
    while hasattr(command, "commands"):
        context = typer.Context(command, parent=context, info_name=words[0])
        if words[0].startswith("-"):
            return
        assert words[0] in command.commands, f"there is no {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    command.make_context(command.name, list(words), parent=context)


@pytest.mark.parametrize("page", EVERYWHERE, ids=named)
def test_commands_are_written_as_the_command_line_reads_them(page):
    """Whether they are run or not: names, options, and how many arguments there are."""
    for block in found(page):
        for command in block.commands() if block.is_shell else ():
            for words in calls(command):
                try:
                    parse(words)
                except Exception as wrong:
                    pytest.fail(f"{block.where}: trivium {shlex.join(words)}: {wrong}")


@pytest.mark.parametrize("page", EVERYWHERE, ids=named)
def test_examples_can_be_read(page):
    """TOML, Python and the shell each find no fault with what is meant for them."""
    for block in found(page):
        text = "\n".join(block.lines)
        if block.language == "toml":
            tomllib.loads(text)
        elif block.language == "python" and "…" not in text:
            compile(text, block.where, "exec")
        elif block.is_shell:
            shell = "\n".join(block.commands())
            done = subprocess.run(
                ["bash", "-n"], input=shell, text=True, capture_output=True, check=False
            )
            assert 0 == done.returncode, f"{block.where}: {done.stderr}"


@pytest.mark.parametrize("page", WALKED, ids=named)
def test_each_block_runs_or_says_why_not(page):
    """A mark is written as they are, has its reason, and is of a command that is there."""
    for line in page.read_text(encoding="utf-8").splitlines():
        if re.match(r" *<!-- *(not run|run|write|add to)\b", line):
            assert docs_commands.MARK.fullmatch(line.strip()), f"{named(page)}: {line}"
    for block in found(page):
        for kind, command, reason in block.marks:
            if kind == "not run":
                assert reason, f"{block.where}: a mark without a reason"
                there = any(step.startswith(command) for step in block.commands())
                assert there, f"{block.where}: there is no {command}"


GIVEN = {
    *prepared.environment(""), "KEY", "PID", "DATABASE_URL", "FOLDER", "PWD", "TRIVIUM_STORAGE__URL",
}  # fmt: skip
"""Variables that a page need not set: a reader has them, or the tests put them there."""


def unset(commands):
    """Variables that commands use and that nothing before has set, as the shell reads them."""
    said = re.sub(r"'[^']*'", "''", "\n".join(commands))
    known = set(GIVEN)
    found = []
    for match in re.finditer(
        r"(?:^|[\s;({])(\w+)=|\b(?:for|read|read -r) (\w+)|(?<!\\)\$\{?([A-Za-z_]\w*)",
        said,
        re.MULTILINE,
    ):
        known.add(match[1] or match[2] or "")
        if match[3] and match[3] not in known:
            found.append(match[3])
    return found


@pytest.mark.parametrize("page", [page for page in WALKED if runs(page)], ids=named)
def test_what_commands_use_was_set_above_them(page):
    """In the order of the page; whoever pastes them has no other variables."""
    shown = [command for block in runs(page) if block.is_shell for command, _ in block.kept()]
    assert [] == unset(shown)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """State that workers have in common."""
    from valkey_server import Valkey

    server = Valkey(tmp_path_factory.mktemp("valkey"))
    yield server.url
    server.close()


def run(page, folder, given, blocks):
    """Run a page's blocks; what they printed, in which it stops where something failed."""
    port = free_port()
    with prepared.vendor() as vendor:
        (folder / "etc").mkdir()
        (folder / "trivium.toml").write_text(prepared.settings(vendor.origin))
        text = prepared.script(named(page), blocks, folder, port, vendor.origin)
        (folder / "page.sh").write_text(text)
        given |= {"FOLDER": str(folder), "TRIVIUM_SERVER__LISTEN": f"127.0.0.1:{port}"}
        done = subprocess.run(
            ["bash", "page.sh"],
            cwd=folder,
            env=given,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
    kept = [f"{path.name}: {path.read_text()}" for path in sorted(folder.glob("out.*"))]
    assert 0 == done.returncode, "\n".join([done.stdout, *kept, done.stderr])[-5000:]
    for block in blocks:
        for command, wanted, said in prepared.answers(block, folder, port, vendor.origin):
            pattern = re.escape(wanted).replace("…", ".*?")
            right = re.fullmatch(pattern, said, re.DOTALL)
            assert right, f"{block.where}: {command} answers\n{said}\nand not\n{wanted}"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", [page for page in WALKED if runs(page)], ids=named)
def test_what_a_page_prints_runs(page, tmp_path, shared, request):
    """Command by command, in one shell, in a folder where what it speaks of is there."""
    given = prepared.environment(shared)
    if "DATABASE_URL" in page.read_text(encoding="utf-8"):
        server = request.getfixturevalue("postgresql_server")
        name = f"docs_{os.getpid()}"
        server.psql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE);")
        server.psql(f"CREATE DATABASE {name};")
        given["TRIVIUM_STORAGE__URL"] = server.get_uri(database=name)
    if "USR2" in page.read_text(encoding="utf-8"):
        given["TRIVIUM_SERVER__WORKERS"] = "2"
    blocks = runs(page)
    if NODE_CLIENTS.is_dir():
        prepared.node_modules(tmp_path / "node_modules", NODE_CLIENTS)
    else:
        blocks = [block for block in blocks if block.language != "js"]
    run(page, tmp_path, given, blocks)


PAGE = r"""<!-- not run: why -->

    trivium a \
      --b   # c
    d

<!-- not run, trivium x: net -->
<!-- run in an empty folder -->
```sh
trivium x y
z
```
text

    $ trivium e 'f
    g'
    answer

    [[channels]]
```text
an answer
```
"""


def test_blocks_commands_and_marks_are_found():
    """Indented or fenced, with or without prompts; settings and answers are no commands."""
    shell = [block for block in docs_commands.blocks("p", PAGE) if block.is_shell]
    assert [3, 9, 15] == [block.line for block in shell]
    assert ["trivium a \\\n  --b   # c", "d"] == shell[0].commands()
    assert ["why", "", ""] == [block.why_not() for block in shell]
    assert [("z", "")] == list(shell[1].kept())
    assert shell[1].alone
    assert [("trivium e 'f\ng'", "answer\n")] == shell[2].steps()


@pytest.mark.parametrize(
    ("lines", "runs"),
    [
        (["docker run x"], False),
        (["cd x && ./y; A=1 .venv/bin/pip install z"], False),
        (["sudo systemctl restart trivium"], False),
        (["for a in 1; do make x; done"], False),
        (["echo make  # pip install", "grep docker file", "trivium serve --make"], True),
    ],
)
def test_a_program_is_what_a_command_begins_with(lines, runs):
    """Not a word among its arguments, which would leave the whole block out."""
    assert runs == (not docs_commands.Block("p", 1, "sh", lines).why_not())


def test_a_mark_leaves_the_rest_of_a_block_to_be_run():
    """Also of one whose program would leave all of it out."""
    block = docs_commands.Block("p", 1, "sh", ["trivium check", "pip install x"])
    assert "package index" in block.why_not()
    block.marks.append(("not run", "pip install", "why"))
    assert ("", [("trivium check", "")]) == (block.why_not(), list(block.kept()))


def test_an_option_that_is_not_there_is_caught():
    """The rule can fail, also behind an assignment."""
    assert [["a", "b"], ["c"]] == list(calls("K=$(.venv/bin/trivium a b) | x > y && trivium c # d"))
    with pytest.raises(Exception, match="No such option: --nothing"):
        parse(["key", "create", "--nothing"])


def test_a_variable_that_nobody_set_is_found():
    """Neither what is quoted nor what stands above; but what is set only later."""
    assert ["ADMIN", "LATER"] == unset(
        [
            "A=1 curl $A \"$ADMIN/x\" '$quoted' \\$escaped",
            "for n in 1; do echo ${n}$LATER; done",
            "LATER=2",
        ]
    )
