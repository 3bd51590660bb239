/** Settings of the analysis, which the browser keeps. */

export type Limit = "infinite" | "depth" | "movetime" | "nodes";

export interface AnalysisSettings {
  multiPv: number;
  hash: number;
  limit: Limit;
  limitValue: number;
}

const KEY = "aspirant-analysis";

/** Returns the saved settings; invalid ones are replaced by the defaults. */
export function loadSettings(): AnalysisSettings {
  const settings: AnalysisSettings = { multiPv: 3, hash: 32, limit: "infinite", limitValue: 0 };
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<AnalysisSettings>;
    if (saved.multiPv && saved.multiPv >= 1 && saved.multiPv <= 5) settings.multiPv = saved.multiPv;
    if (saved.hash && saved.hash >= 1 && saved.hash <= 512) settings.hash = saved.hash;
    if (saved.limit && ["depth", "movetime", "nodes"].includes(saved.limit) && (saved.limitValue ?? 0) > 0) {
      settings.limit = saved.limit;
      settings.limitValue = Number(saved.limitValue);
    }
  } catch {
    // Storage may be disabled or damaged; the defaults apply.
  }
  return settings;
}

export function saveSettings(settings: AnalysisSettings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Storage may be disabled; the settings then last until the page is closed.
  }
}
