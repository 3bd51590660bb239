//! Output to a stream that never blocks the sender.
//!
//! A line is written immediately if the queue is empty and the stream is writable, which avoids waking a thread during
//! a search; otherwise it is queued for the writer thread. A client that stops reading therefore delays neither the
//! search nor `stop`. Search information is dropped while too many lines are queued, other lines are not.
#![doc(hidden)]

use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::log::{Direction, Log};
use super::output::Output;
use crate::platform::lines::wait_if_temporary;

/// Search information is dropped while this number of lines is queued.
const MAX_QUEUED: usize = 1000;

/// Maximum length in bytes of a line that is written immediately: a writable pipe takes this number of bytes without
/// blocking (`PIPE_BUF`; POSIX guarantees 512).
const MAX_BATCH: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// An [`Output`] that writes to a stream. Clones share the stream.
#[derive(Clone)]
pub struct StreamOutput {
    queue: Sender<String>,
    sink: Arc<Sink>,
}

struct Sink {
    /// Number of lines in the queue, including the one that is being written.
    queued: AtomicUsize,
    writer: Mutex<Box<dyn Write + Send>>,
    is_writable: fn() -> bool,
    log: Log,
}

/// The writer thread; [`OutputWriter::finish`] writes all queued lines.
pub struct OutputWriter {
    thread: JoinHandle<()>,
    /// Disconnected when the destination has been closed.
    pub closed: Receiver<()>,
}

impl Sink {
    fn write(&self, writer: &mut dyn Write, line: &str) -> std::io::Result<()> {
        self.log.line(Direction::FromEngine, line);
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

    /// Writes a line if no line is queued and writing does not block; returns whether it was written.
    fn try_write(&self, line: &str) -> bool {
        if line.len() > MAX_BATCH || self.queued.load(Relaxed) > 0 {
            return false;
        }
        let Ok(mut writer) = self.writer.try_lock() else { return false };
        self.queued.load(Relaxed) == 0 && (self.is_writable)() && self.write(&mut **writer, line).is_ok()
    }
}

impl StreamOutput {
    /// Starts the writer thread. `is_writable` returns whether `writer` takes `MAX_BATCH` bytes without blocking.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(
        writer: impl Write + Send + 'static,
        is_writable: fn() -> bool,
        log: Log,
    ) -> std::io::Result<(Self, OutputWriter)> {
        let (queue, lines) = unbounded::<String>();
        let (alive, closed) = bounded::<()>(0);
        let sink =
            Arc::new(Sink { queued: AtomicUsize::new(0), writer: Mutex::new(Box::new(writer)), is_writable, log });
        let shared = Arc::clone(&sink);
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            let _alive = alive;
            for line in lines {
                let mut writer = sink.writer.lock().unwrap_or_else(PoisonError::into_inner);
                // A closed pipe ends this thread, whose dropped `alive` ends the program.
                if sink.write(&mut **writer, &line).is_err() {
                    return;
                }
                sink.queued.fetch_sub(1, Relaxed);
            }
        })?;
        Ok((Self { queue, sink: shared }, OutputWriter { thread, closed }))
    }
}

impl Output for StreamOutput {
    /// Sends a line; it is never dropped.
    fn send(&self, mut line: String) {
        line.push('\n');
        if !self.sink.try_write(&line) {
            self.sink.queued.fetch_add(1, Relaxed);
            // Fails only after the destination has been closed.
            let _ = self.queue.send(line);
        }
    }

    /// Sends a line of search information, which is dropped while too many lines are queued.
    fn send_info(&self, line: String) {
        if self.sink.queued.load(Relaxed) < MAX_QUEUED {
            self.send(line);
        }
    }
}

/// Returns whether stdout takes a line without blocking.
///
/// `false` if unknown, and on a terminal, which can be paused.
#[must_use]
pub fn stdout_is_writable() -> bool {
    #[cfg(unix)]
    {
        use std::io::IsTerminal as _;

        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = std::io::stdout();
        let mut events = [PollFd::new(&stdout, PollFlags::OUT)];
        !stdout.is_terminal()
            && poll(&mut events, Some(&Timespec::default())).is_ok()
            && events[0].revents() == PollFlags::OUT
    }
    #[cfg(not(unix))]
    false
}

impl OutputWriter {
    /// Waits until all queued lines are written. All clones of the [`StreamOutput`] must have been dropped.
    pub fn finish(self) {
        let _ = self.thread.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_written_while_search_information_is_dropped() {
        struct Slow(Sender<String>, Receiver<()>);
        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                let _ = self.1.recv();
                let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (seen, lines) = unbounded();
        let (gate, wait) = unbounded();
        let (output, writer) = StreamOutput::start(Slow(seen, wait), || false, Log::default()).unwrap();
        for _ in 0..3 * MAX_QUEUED {
            output.send_info("info".into());
        }
        output.send("bestmove e2e4".into());
        drop(gate);
        drop(output);
        writer.finish();
        let lines: Vec<String> = lines.iter().collect();
        assert!(lines.len() < 2 * MAX_QUEUED && lines.last().unwrap() == "bestmove e2e4\n");
    }

    #[test]
    fn full_non_blocking_pipe_loses_nothing() {
        /// Takes three bytes at a time, every other time.
        struct Full(Sender<u8>, bool);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(ErrorKind::WouldBlock.into());
                }
                bytes.iter().take(3).for_each(|&byte| self.0.send(byte).unwrap());
                Ok(bytes.len().min(3))
            }
            fn flush(&mut self) -> std::io::Result<()> {
                self.1 = !self.1;
                if self.1 { Err(ErrorKind::WouldBlock.into()) } else { Ok(()) }
            }
        }
        let (seen, bytes) = unbounded();
        let (output, writer) = StreamOutput::start(Full(seen, false), || false, Log::default()).unwrap();
        output.send("readyok".into());
        output.send("bestmove e2e4".into());
        drop(output);
        writer.finish();
        assert_eq!(bytes.iter().collect::<Vec<u8>>(), b"readyok\nbestmove e2e4\n");
    }

    /// Records each write and its thread.
    #[derive(Clone, Default)]
    struct WriteRecorder(Arc<Mutex<Vec<(String, std::thread::ThreadId)>>>);

    impl Write for WriteRecorder {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let line = String::from_utf8_lossy(bytes).into_owned();
            self.0.lock().unwrap().push((line, std::thread::current().id()));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_written_in_order_and_immediately_if_writable() {
        use std::sync::atomic::AtomicU32;
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let recorder = WriteRecorder::default();
        // Writable for two lines of three.
        let is_writable = || !CALLS.fetch_add(1, Relaxed).is_multiple_of(3);
        let (output, writer) = StreamOutput::start(recorder.clone(), is_writable, Log::default()).unwrap();
        let long = "x".repeat(MAX_BATCH);
        for number in 0..3000 {
            while number % 10 == 0 && output.sink.queued.load(Relaxed) > 0 {
                std::thread::yield_now();
            }
            output.send(if number % 100 == 7 { format!("{number} {long}") } else { number.to_string() });
        }
        drop(output);
        writer.finish();
        let writes = recorder.0.lock().unwrap();
        let number = |line: &str| line.split_whitespace().next().and_then(|word| word.parse::<u32>().ok());
        assert!(writes.iter().enumerate().all(|(index, (line, _))| number(line) == u32::try_from(index).ok()));
        let here = std::thread::current().id();
        let immediate = writes.iter().filter(|(_, thread)| *thread == here).count();
        assert!(immediate > 0 && immediate < writes.len() && writes.len() == 3000, "{immediate}");
        assert!(writes.iter().all(|(line, thread)| line.len() <= MAX_BATCH || *thread != here));
    }
}
