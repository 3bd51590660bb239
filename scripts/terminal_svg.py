#!/usr/bin/env python3
r"""Draws the output of a terminal command as SVG images, one for light and one for dark pages.

    python3 scripts/terminal_svg.py [--columns N] IMAGE COMMAND [ARGUMENT ...]

Runs COMMAND in a pseudo terminal, applies the control sequences of its output (cursor up, erase, colors) to a screen
buffer, and writes the final screen to IMAGE-light.svg and IMAGE-dark.svg. The pictures of README.md:

    python3 scripts/terminal_svg.py --columns 68 docs/analyze target/release/aspirant analyze --multipv 3 \
        e4 e5 Nf3 Nc6 Bc4 Nf6

With 68 columns, the FEN fits in a line and the text is legible on a phone.

The first line shows the command, without the folder of the program. Each run of characters is placed by its column,
so that the picture is the same in any monospace font.
"""

import argparse
import fcntl
import os
import pty
import re
import struct
import sys
import termios
from html import escape

CELL_WIDTH, CELL_HEIGHT, PADDING = 8.4, 19, 14
THEMES = {
    "light": {"page": "#ffffff", "frame": "#d0d7de", "text": "#1f2328", "prompt": "#1a7f37"},
    "dark": {"page": "#0d1117", "frame": "#30363d", "text": "#e6edf3", "prompt": "#3fb950"},
}
CONTROL = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|([\r\n])|([^\x1b\r\n])")
CHESS_SYMBOLS = "♔♕♖♗♘♙♚♛♜♝♞♟"
BLOCKS = "█▒░"


def run(command, columns):
    """Returns what the command prints on a terminal with this number of columns."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", CLICOLOR_FORCE="1")
        os.environ.pop("NO_COLOR", None)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execvp(command[0], command)
    output = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # The command has ended.
            break
        if not part:
            break
        output += part
    _, status = os.waitpid(process, 0)
    if status:
        sys.stderr.write(output.decode(errors="replace"))
        sys.exit(f"exit code {os.waitstatus_to_exitcode(status)} of: {' '.join(command)}; no image was written")
    return output.decode()


def color_256(number):
    """Returns a color of the xterm palette as #rrggbb."""
    if number < 16:
        return ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5"][number % 8]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    number -= 16
    return "#" + "".join(f"{55 + 40 * part if part else 0:02x}" for part in (number // 36, number // 6 % 6, number % 6))


def apply_style(style, parameters):
    """Returns the style (foreground, background, bold) after a sequence of SGR parameters."""
    front, back, bold = style
    numbers = iter(int(number or 0) for number in parameters.split(";"))
    for number in numbers:
        if number == 0:
            front, back, bold = None, None, False
        elif number == 1:
            bold = True
        elif number in (38, 48):
            next(numbers)
            color = color_256(next(numbers))
            front, back = (color, back) if number == 38 else (front, color)
        elif 30 <= number <= 37:
            front = color_256(number - 30)
        elif 40 <= number <= 47:
            back = color_256(number - 40)
    return front, back, bold


def screen_of(output):
    """Returns the rows of the screen; a row is a dictionary from column to (character, style)."""
    rows, row, column, style = [{}], 0, 0, (None, None, False)
    for match in CONTROL.finditer(output):
        parameters, final, line, character = match.groups()
        if character:
            rows[row][column] = (character, style)
            column += 1
        elif line == "\r":
            column = 0
        elif line == "\n":
            row += 1
            while len(rows) <= row:
                rows.append({})
        elif final == "A":
            row = max(0, row - int(parameters or 1))
        elif final == "B":
            row += int(parameters or 1)
        elif final in "KJ":
            rows[row] = {at: cell for at, cell in rows[row].items() if at < column and parameters != "2"}
            if final == "J":
                rows[row + 1:] = []
        elif final == "m":
            style = apply_style(style, parameters)
        while len(rows) <= row:
            rows.append({})
    while rows and not rows[-1]:
        rows.pop()
    return rows


def runs_of(row):
    """Yields (column, text, style) for neighboring cells of equal style; symbols and blocks are runs of their own."""
    run = None
    for column in sorted(row):
        character, style = row[column]
        kind = "symbol" if character in CHESS_SYMBOLS else "block" if character in BLOCKS else "text"
        if run and run[3] == kind != "symbol" and run[2] == style and run[0] + len(run[1]) == column \
                and (kind != "block" or run[1][0] == character):
            run = (run[0], run[1] + character, style, kind)
        else:
            if run:
                yield run
            run = (column, character, style, kind)
    if run:
        yield run


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def draw(title, rows, columns, theme):
    colors = THEMES[theme]
    width, height = columns * CELL_WIDTH + 2 * PADDING, (len(rows) + 2) * CELL_HEIGHT + 2 * PADDING
    backgrounds, symbols, shapes, texts = {}, {}, [], []

    def text(column, row, content, color, bold=False):
        weight = ' class="b"' if bold else ""
        texts.append(
            f'<text x="{number(PADDING + column * CELL_WIDTH)}" y="{number(PADDING + (row + 0.75) * CELL_HEIGHT)}"'
            f' fill="{color}"{weight} textLength="{number(len(content) * CELL_WIDTH)}"'
            f' xml:space="preserve">{escape(content)}</text>'
        )

    text(0, 0, "$", colors["prompt"], True)
    text(2, 0, title, colors["text"])
    for index, row in enumerate(rows):
        top = index + 2
        y = PADDING + top * CELL_HEIGHT
        for column, content, (front, back, bold), kind in runs_of(row):
            x = PADDING + column * CELL_WIDTH
            if back:
                width_here = number(len(content) * CELL_WIDTH)
                path = f"M{number(x)} {number(y)}h{width_here}v{CELL_HEIGHT}h-{width_here}z"
                backgrounds.setdefault(back, []).append(path)
            if kind == "block":
                opacity = {"█": 1, "▒": 0.5, "░": 0.2}[content[0]]
                shapes.append(
                    f'<rect x="{number(x)}" y="{number(y + 3)}" width="{number(len(content) * CELL_WIDTH)}"'
                    f' height="{CELL_HEIGHT - 6}" fill="{front or colors["text"]}" fill-opacity="{opacity}"/>'
                )
            elif kind == "symbol":
                # U+FE0E: text, not an emoji.
                symbols.setdefault(front or colors["text"], []).append(
                    f'<text x="{number(x + CELL_WIDTH / 2)}" y="{number(y + 0.84 * CELL_HEIGHT)}">{content}&#xFE0E;</text>'
                )
            else:
                start = len(content) - len(content.lstrip())
                if content.strip():
                    text(column + start, top, content.strip(), front or colors["text"], bold)
    paths = [f'<path shape-rendering="crispEdges" fill="{back}" d="{"".join(parts)}"/>'
             for back, parts in backgrounds.items()]
    groups = [f'<g class="p" fill="{front}">{"".join(parts)}</g>' for front, parts in symbols.items()]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}"'
        f' width="{number(width)}" height="{number(height)}" role="img">',
        f"<title>{escape(title)}</title>",
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
        ".p text{font:20px 'DejaVu Sans','Segoe UI Symbol','Apple Symbols','Noto Sans Symbols2',sans-serif;"
        "text-anchor:middle}.b{font-weight:700}</style>",
        f'<rect x=".5" y=".5" width="{number(width - 1)}" height="{number(height - 1)}" rx="8"'
        f' fill="{colors["page"]}" stroke="{colors["frame"]}"/>',
        *paths, *shapes, *groups, *texts, "</svg>", "",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=88)
    parser.add_argument("path", help="the images without -light.svg and -dark.svg")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("COMMAND is missing: the command whose output is drawn")
    rows = screen_of(run(arguments.command, arguments.columns))
    words = [os.path.basename(arguments.command[0]), *arguments.command[1:]]
    title = " ".join(f'"{word}"' if " " in word else word for word in words)
    columns = max([len(title) + 2] + [max(row, default=0) + 1 for row in rows])
    for theme in THEMES:
        with open(f"{arguments.path}-{theme}.svg", "w", encoding="utf-8") as file:
            file.write(draw(title, rows, columns + 1, theme))


if __name__ == "__main__":
    main()
