"""Tries out what a documentation says: imports the modules it names, runs its examples, and writes one JSON line for each thing seen."""

import ast
import doctest
import importlib
import io
import json
import os
import sys
import tokenize

workspace, plan_file, out_file = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, workspace)
os.chdir(workspace)
with open(plan_file, encoding="utf-8") as file:
    plan = json.load(file)
entry = plan["entry"]


def note(kind, place, **rest):
    line = {"kind": kind, "file": place["file"], "line": place["line"], "module": None, **rest}
    with open(out_file, "a", encoding="utf-8") as out:
        out.write(json.dumps(line, default=repr) + "\n")


def try_entry(module, place):
    try:
        works = hasattr(importlib.import_module(module), entry["name"])
        note("entry", place, module=module, works=works)
    except BaseException as error:
        note("entry", place, module=module, error=f"{type(error).__name__}: {error}"[:500])


def literal_after(text, lines, statement, following):
    """The literal in the comments between a statement and the next; None where they hold none."""
    comments = [
        token.string.lstrip("#")
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
        and token.start[0] >= statement.end_lineno
        and (following is None or token.start[0] < following.lineno)
    ]
    said = " ".join(part.strip() for part in comments).strip()
    for lead in ("=>", "->", "→", "returns:", "returns"):
        if said.lower().startswith(lead):
            said = said[len(lead):].strip()
    try:
        return said, ast.literal_eval(said)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def shown_value(statement):
    """The expression whose value a statement shows: itself, what it assigns, or what it prints."""
    value = statement.value if isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print" and len(value.args) == 1:
        return value.args[0]
    return value


def run_block(block):
    text = block["text"]
    wants = {}
    if ">>>" in text:
        examples = doctest.DocTestParser().get_examples(text)
        source = ""
        for example in examples:
            first = source.count("\n") + 1
            source += example.source
            if example.want.strip():
                try:
                    wants[first] = (ast.literal_eval(example.want.strip()), block["line"] + example.lineno)
                except (ValueError, SyntaxError):
                    pass
        text = source
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and any(name.name == entry["name"] for name in statement.names):
            try_entry(statement.module or "", {"file": block["file"], "line": block["line"] + statement.lineno - 1})
    expected = {}
    for index, statement in enumerate(tree.body):
        following = tree.body[index + 1] if index + 1 < len(tree.body) else None
        place = {"file": block["file"], "line": block["line"] + statement.lineno - 1}
        if statement.lineno in wants:
            want, line = wants[statement.lineno]
            expected[index] = (want, {"file": block["file"], "line": line})
        elif not wants and shown_value(statement) is not None:
            found = literal_after(text, text.split("\n"), statement, following)
            if found is not None:
                expected[index] = (found[1], place)
    if not expected:
        return
    space = {"__name__": "documentation"}
    for index, statement in enumerate(tree.body):
        place = {"file": block["file"], "line": block["line"] + statement.lineno - 1}
        try:
            value = shown_value(statement)
            if index in expected:
                actual = eval(compile(ast.Expression(value), "documentation", "eval"), space)
                if isinstance(statement, ast.Assign):
                    space["_value"] = actual
                    again = ast.Assign(targets=statement.targets, value=ast.Name(id="_value", ctx=ast.Load()))
                    module = ast.Module([ast.fix_missing_locations(ast.copy_location(again, statement))], [])
                    exec(compile(module, "documentation", "exec"), space)
                want, at = expected[index]
                note("example", at, equal=want == actual, expected=want, actual=actual)
            else:
                exec(compile(ast.Module([statement], []), "documentation", "exec"), space)
        except BaseException as error:
            note("example", place, error=f"{type(error).__name__}: {error}"[:500])
            return


for block in plan["blocks"]:
    run_block(block)
if plan["named"] is not None:
    try_entry(entry["module"], plan["named"])
