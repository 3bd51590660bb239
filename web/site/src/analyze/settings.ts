/** Settings of the analysis, which the browser keeps. */

export type Limit = "infinite" | "depth" | "movetime" | "nodes";

export interface AnalysisSettings {
  multiPv: number;
  hash: number;
  limit: Limit;
  limitValue: number;
}

const KEY = "aspirant-analysis";
const SWITCH_KEY = "aspirant-analysis-on";

/** Returns the default size of the transposition table in MB, by the memory of the device where the browser tells it. */
function defaultHash(): number {
  const { deviceMemory = 4 } = navigator as { deviceMemory?: number };
  return deviceMemory >= 8 ? 256 : deviceMemory >= 4 ? 128 : 32;
}

/** Returns whether the analysis was on when the view was left; a closed tab ends it. */
export function loadSwitch(): boolean {
  try {
    return sessionStorage.getItem(SWITCH_KEY) === "1";
  } catch {
    return false;
  }
}

export function saveSwitch(on: boolean): void {
  try {
    sessionStorage.setItem(SWITCH_KEY, on ? "1" : "0");
  } catch {
    // Storage may be disabled; the analysis is then off after a change of the view.
  }
}

/** Returns the saved settings; invalid ones are replaced by the defaults. */
export function loadSettings(): AnalysisSettings {
  const settings: AnalysisSettings = { multiPv: 3, hash: defaultHash(), limit: "infinite", limitValue: 0 };
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
