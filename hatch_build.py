"""Compiles the hot path into the wheel with mypyc, where asked to: ``make compiled``.

Off by default: a checkout, an editable install and the pure wheel need no compiler. The sources are
the same; what is compiled is beside its module in the wheel and found before it.
Asked for with ``HATCH_BUILD_HOOK_ENABLE_CUSTOM=true``; needs mypy, setuptools, a C compiler and
Python's headers. Built twice by the same compiler, wherever that is, it is the same to the byte
(``tests/releases``).
"""

import ast
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HOT: Final = (
    "conversation/**/*.py",
    "wire/*.py",
    "wire/chat/*.py",
    "wire/cohere/*.py",
    "wire/completions/*.py",
    "wire/converse/*.py",
    "wire/generate/*.py",
    "wire/messages/*.py",
    "wire/responses/*.py",
    "routing/*.py",
    "upstream/*.py",
    "pipeline/**/*.py",
    "admission/meter.py",
    "admission/service.py",
    "admission/tokens.py",
    "edge/body.py",
    "edge/connection.py",
    "edge/cors.py",
    "edge/credentials.py",
    "edge/exchange.py",
    "edge/follower.py",
    "edge/head_cache.py",
    "edge/head.py",
    "edge/form_upload.py",
    "edge/body_memory.py",
    "edge/listener.py",
    "edge/recorded_exchange.py",
    "edge/request_parser.py",
    "identity/authenticate.py",
    "ledger/allowance.py",
    "ledger/amounts.py",
    "ledger/unreported_usage.py",
    "ledger/journal.py",
    "ledger/lease_keeper.py",
    "ledger/cost.py",
    "ledger/covering.py",
    "ledger/quote.py",
    "ledger/tariff.py",
    "ledger/worker.py",
    "observe/store.py",
    "providers/signature_v4.py",
    "response_store/items.py",
    "response_store/policy.py",
    "response_store/signatures/tracer.py",
)
"""What each request goes through."""
LEFT: Final = frozenset(
    {
        # classes that descend from built-in ones, which mypyc does not take
        "upstream/proxy.py",
        "wire/member_name.py",
        # an asynchronous generator, which it does not take either
        "upstream/held_body.py",
        # they go as deep as a caller's schema until RecursionError stops them, and compiled
        # functions that call each other have no such limit but the end of the stack
        "wire/generate/write_schema.py",
        "wire/generate/read_schema.py",
        "wire/messages/write_schema.py",
    }
)
"""Of it what stays as it is."""


def compilable(package: Path) -> list[Path]:
    """Modules of the hot path that mypyc compiles as they are meant, in a fixed order.

    mypyc drops the keywords of a class (``frozen=True``) without a word, so whatever defines a
    Struct stays as it is. So does what awaits while an exception is on its way.
    """
    bases: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        bases.update(classes(path, named(path, package)))
    structs = {"msgspec.Struct"}
    while more := {name for name, found in bases.items() if found & structs} - structs:
        structs |= more
    defining = {name.rpartition(".")[0] for name in structs}
    found = {path for pattern in HOT for path in package.glob(pattern)}
    found -= {package / path for path in LEFT}
    return sorted(
        path
        for path in found
        if path.name != "__init__.py"
        and named(path, package) not in defining
        and not _awaits_in_trouble(ast.parse(path.read_bytes()))
    )


def _awaits_in_trouble(tree: ast.AST) -> bool:
    """Whether anything is awaited in an ``except`` or a ``finally``, or by leaving a block.

    A compiled coroutine has no place of its own for the exception it handles (mypyc 2.4.1): other
    tasks see it, what it raises again may be one of theirs, or nothing, and then it never ends.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncWith | ast.TryStar):
            return True
        if isinstance(node, ast.Try):
            inside = [*node.finalbody, *(each for found in node.handlers for each in found.body)]
            waits = ast.Await | ast.AsyncFor
            if any(isinstance(each, waits) for found in inside for each in ast.walk(found)):
                return True
    return False


def named(path: Path, package: Path) -> str:
    """A module's whole name."""
    return ".".join(path.relative_to(package.parent).with_suffix("").parts)


def classes(path: Path, module: str) -> dict[str, set[str]]:
    """A module's classes and what they descend from, by their whole names."""
    tree = ast.parse(path.read_bytes())
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            words = [ast.unparse(base).partition("[")[0] for base in node.bases]
            heads = [word.partition(".") for word in words]
            found[f"{module}.{node.name}"] = {
                names.get(head, head if rest else f"{module}.{head}") + dot + rest
                for head, dot, rest in heads
            }
    return found


class CustomBuildHook(BuildHookInterface[Any]):
    """Hatchling's hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add one shared library, and a stub beside each module, to a wheel of this platform."""
        if version != "standard":  # an editable install
            return
        self._folder = tempfile.TemporaryDirectory(prefix="trivium-compiled-")
        built = Path(self._folder.name)
        source = Path(self.root) / "src"
        build(source, built, compilable(source / "trivium"))
        for path in sorted(built.rglob("*.so")):
            build_data["force_include"][str(path)] = path.relative_to(built).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Take away what was built on the way."""
        del build_data, artifact_path
        if version == "standard":
            self._folder.cleanup()


def build(source: Path, built: Path, modules: list[Path], opt_level: str = "3") -> None:
    """Shared libraries of modules below ``source``, into ``built`` by their packages.

    ``opt_level``: how hard the C compiler tries; "0" is for looking whether it can be done.
    """
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    class Parallel(build_ext):
        """mypyc makes one extension of many files, which setuptools compiles one by one."""

        def build_extensions(self) -> None:
            one_by_one = self.compiler.compile

            def compile_all(sources: list[str], **options: Any) -> list[str]:
                def one(path: str) -> list[str]:
                    return one_by_one([path], **options)

                with ThreadPoolExecutor(os.cpu_count()) as pool:
                    return [made for found in pool.map(one, sources) for made in found]

            self.compiler.compile = compile_all
            # a folder of libraries that this Python was built with: nothing of it is needed
            linker = [word for word in self.compiler.linker_so if not word.startswith("-Wl,-rpath")]
            self.compiler.linker_so = linker
            super().build_extensions()

    paths = [str(path.relative_to(source)) for path in modules]
    here = Path.cwd()
    os.chdir(source)  # modules are named by their paths
    try:
        extensions = mypycify(
            [f"--config-file={source.parent / 'pyproject.toml'}", *paths],
            opt_level=opt_level,
            debug_level="0",
            multi_file=True,
            group_name="trivium",
            target_dir=str(built / "c"),
        )
        for extension in extensions:
            # where it was built is nobody's business, and would differ from build to build
            extension.extra_compile_args.append(f"-ffile-prefix-map={built}=.")
            if sys.platform == "linux":
                extension.extra_link_args.append("-Wl,--strip-debug")
        command = Parallel(Distribution({"ext_modules": extensions}))
        command.build_lib = str(built)
        command.build_temp = str(built / "objects")
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(here)
