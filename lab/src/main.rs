//! `aspirant-lab`; see the library.

fn main() -> std::process::ExitCode {
    aspirant_lab::cli::main()
}
