//! Output to a stream that never blocks the sender.
//!
//! A thread of its own writes the lines, so that a client that stops reading delays neither the search nor `stop`.
//! Search information is dropped while too many lines are queued, other lines are not.
#![doc(hidden)]

use std::io::{self, ErrorKind, Write};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::output::Output;
use crate::platform::lines::wait_if_temporary;

/// Search information is dropped while this number of lines is queued.
const MAX_QUEUED: usize = 1000;

/// An [`Output`] that writes to a stream.
pub struct StreamOutput(Sender<String>);

impl StreamOutput {
    /// Starts the writer thread.
    ///
    /// The receiver is disconnected when the thread has ended: after the output was dropped and all lines were written,
    /// or because the destination was closed.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(mut writer: impl Write + Send + 'static) -> io::Result<(Self, Receiver<()>)> {
        let (queue, lines) = unbounded::<String>();
        let (alive, ended) = bounded(0);
        std::thread::Builder::new().name("writer".into()).spawn(move || {
            let _alive: Sender<()> = alive;
            for line in lines {
                if write(&mut writer, &line).is_err() {
                    return;
                }
            }
        })?;
        Ok((Self(queue), ended))
    }
}

impl Output for StreamOutput {
    fn send(&self, mut line: String) {
        line.push('\n');
        // Fails only after the destination has been closed.
        let _ = self.0.send(line);
    }

    fn send_info(&self, line: String) {
        if self.0.len() < MAX_QUEUED {
            self.send(line);
        }
    }
}

/// Writes a line to a stream, which may be in non-blocking mode.
fn write(writer: &mut impl Write, line: &str) -> io::Result<()> {
    let mut rest = line.as_bytes();
    while !rest.is_empty() {
        match writer.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => rest = &rest[written..],
            Err(error) => wait_if_temporary(error)?,
        }
    }
    while let Err(error) = writer.flush() {
        wait_if_temporary(error)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_written_while_search_information_is_dropped() {
        struct Slow(Sender<String>, Receiver<()>);
        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let _ = self.1.recv();
                let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (seen, lines) = unbounded();
        let (gate, wait) = unbounded();
        let (output, ended) = StreamOutput::start(Slow(seen, wait)).unwrap();
        for _ in 0..3 * MAX_QUEUED {
            output.send_info("info".into());
        }
        output.send("bestmove e2e4".into());
        drop(gate);
        drop(output);
        assert!(ended.recv().is_err());
        let lines: Vec<String> = lines.iter().collect();
        assert!(lines.len() < 2 * MAX_QUEUED && lines.last().unwrap() == "bestmove e2e4\n");
    }

    #[test]
    fn full_non_blocking_pipe_loses_nothing() {
        /// Takes three bytes at a time, every other time.
        struct Full(Sender<u8>, bool);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(ErrorKind::WouldBlock.into());
                }
                bytes.iter().take(3).for_each(|&byte| self.0.send(byte).unwrap());
                Ok(bytes.len().min(3))
            }
            fn flush(&mut self) -> io::Result<()> {
                self.1 = !self.1;
                if self.1 { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
            }
        }
        let (seen, bytes) = unbounded();
        let (output, ended) = StreamOutput::start(Full(seen, false)).unwrap();
        output.send("readyok".into());
        output.send("bestmove e2e4".into());
        drop(output);
        assert!(ended.recv().is_err());
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"readyok\nbestmove e2e4\n");
    }
}
