/** Chess clocks of two players. */

import { opposite, type Color } from "./chess";

/** Two clocks of which at most one runs. Times are in milliseconds. */
export class Clock {
  private left: Record<Color, number>;
  private running: Color | undefined;
  private since = 0;

  constructor(
    base: number,
    readonly increment: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = { white: base, black: base };
  }

  /** Returns the remaining time of `color`; never negative. */
  remaining(color: Color): number {
    const used = this.running === color ? this.now() - this.since : 0;
    return Math.max(0, this.left[color] - used);
  }

  /** Starts the clock of `color` and stops the other one without adding an increment. */
  start(color: Color): void {
    this.pause();
    this.running = color;
    this.since = this.now();
  }

  /** Stops both clocks. */
  pause(): void {
    if (!this.running) return;
    this.left[this.running] = this.remaining(this.running);
    this.running = undefined;
  }

  /** Ends the move of the running side: adds the increment and starts the other clock. A clock at zero gets no increment. */
  press(): void {
    const color = this.running;
    if (!color) return;
    this.pause();
    if (this.left[color] > 0) this.left[color] += this.increment;
    this.start(opposite(color));
  }

  /** Returns the side that ran out of time, if any. */
  flagged(): Color | undefined {
    return this.remaining("white") <= 0 ? "white" : this.remaining("black") <= 0 ? "black" : undefined;
  }

  /** Returns the remaining times, for `restore`. */
  snapshot(): Record<Color, number> {
    return { white: this.remaining("white"), black: this.remaining("black") };
  }

  /** Sets the remaining times; both clocks are stopped. */
  restore(times: Record<Color, number>): void {
    this.running = undefined;
    this.left = { ...times };
  }
}

/** Formats a remaining time: `1:05:09`, `5:09`, or with tenths below ten seconds `0:09.4`. */
export function formatTime(ms: number): string {
  if (ms < 10_000) {
    const tenths = Math.floor(ms / 100);
    return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  }
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
