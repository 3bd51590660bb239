// Before the first paint, so that the page does not flash in the other theme. A file, because a strict policy forbids inline scripts.
try { const theme = localStorage.getItem("aspirant-theme"); if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme; } catch {}
