//! The manual pages: clap_mangen renders the declarations of the command line, this module the other sections.

use std::io;
use std::path::Path;

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "Success."),
    ("1", "An error. Also if epd skipped lines, or annotate did not annotate all moves of all games."),
    ("2", "An invalid command line."),
    ("130", "Ended by a signal, such as Ctrl-C. What annotate has done and a game of play are saved."),
];
const FILES: &[(&str, &str)] = &[
    (
        "engine.toml",
        "The configuration; the first that exists in the working directory, in $XDG_CONFIG_HOME/aspirant \
         (~/.config/aspirant), and beside the program. `aspirant config init` writes one.",
    ),
    ("aspirant-games.pgn", "Games of play on a terminal without --pgn, in the working directory."),
];
const ENVIRONMENT: &[(&str, &str)] = &[
    ("ASPIRANT_CONFIG", "Configuration file, unless --config is given."),
    ("XDG_CONFIG_HOME", "Directory of configurations, by default ~/.config."),
    ("LC_ALL, LC_CTYPE, LANG", "Boards have chess symbols if the first of these that is set names UTF-8."),
    ("NO_COLOR", "Disables colors."),
    ("RUST_LOG", "Enables diagnostics on stderr, for example RUST_LOG=warn."),
];

/// Writes the page of a command and those of its subcommands.
///
/// # Errors
/// If a page cannot be written.
pub fn write_pages(command: Command, directory: &Path) -> io::Result<()> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_page(&command, directory, true)
}

fn write_page(command: &Command, directory: &Path, is_main: bool) -> io::Result<()> {
    for subcommand in command.get_subcommands() {
        write_page(subcommand, directory, false)?;
    }
    let man =
        Man::new(command.clone()).source(format!("Aspirant {}", crate::version::version())).manual("User Commands");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]).text(synopsis(command));
    roff.to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::new();
    let notes = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    add_notes(&mut roff, &notes);
    if is_main {
        add_list(&mut roff, "FILES", FILES);
        add_list(&mut roff, "ENVIRONMENT", ENVIRONMENT);
    }
    add_list(&mut roff, "EXIT STATUS", EXIT_STATUS);
    if !is_main {
        roff.control("SH", ["SEE ALSO"]).text([bold("aspirant"), roman("(1)")]);
    }
    roff.to_writer(&mut page)?;
    std::fs::write(directory.join(man.get_filename()), page)
}

/// Returns the command with its options, their values and its arguments.
fn synopsis(command: &Command) -> Vec<Inline> {
    let mut line = vec![bold(command.get_bin_name().unwrap_or(command.get_name()))];
    let is_listed = |arg: &&Arg| !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version");
    let (positionals, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(is_listed).partition(|arg| arg.is_positional());
    for arg in options.into_iter().chain(positionals) {
        let (start, end) = if arg.is_required_set() { (" ", "") } else { (" [", "]") };
        line.push(roman(start));
        if let Some(name) = arg.get_long() {
            line.push(bold(format!("--{name}")));
        }
        if arg.get_action().takes_values() {
            line.push(roman(if arg.is_positional() { "" } else { " " }));
            line.push(italic(arg.get_value_names().unwrap_or_default().join(" ")));
        }
        let repeated = if matches!(arg.get_action(), ArgAction::Append) { "..." } else { "" };
        line.push(roman(format!("{end}{repeated}")));
    }
    if command.has_subcommands() {
        let (start, end) = if command.is_subcommand_required_set() { (" ", "") } else { (" [", "]") };
        line.extend([roman(start), italic("COMMAND"), roman(end)]);
    }
    line
}

/// Adds the text after the options of `--help`: the paragraphs as notes, the block `Examples:` as a section.
fn add_notes(roff: &mut Roff, text: &str) {
    let (examples, notes): (Vec<&str>, Vec<&str>) =
        text.trim_end().split("\n\n").partition(|paragraph| paragraph.starts_with("Examples:\n"));
    if notes.iter().any(|paragraph| !paragraph.is_empty()) {
        roff.control("SH", ["NOTES"]);
    }
    for paragraph in notes {
        roff.control("PP", []);
        // Where the explanations of a table begin.
        let column = paragraph.lines().map(|line| line.len() - line.trim_start().len()).max().unwrap_or_default();
        for line in paragraph.lines() {
            match line.split_at_checked(column).filter(|_| line.starts_with("  ")) {
                Some((term, explanation)) if !term.trim().is_empty() => {
                    roff.control("TP", []).text([bold(term.trim())]).text([roman(explanation)]);
                }
                _ => _ = roff.text([roman(line.trim())]),
            }
        }
    }
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples.iter().flat_map(|block| block.lines().skip(1)) {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        roff.control("fi", []);
    }
}

fn add_list(roff: &mut Roff, heading: &str, rows: &[(&str, &str)]) {
    roff.control("SH", [heading]);
    for (term, text) in rows {
        roff.control("TP", []).text([bold(*term)]).text([roman(*text)]);
    }
}
