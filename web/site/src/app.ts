/**
 * The interface between the page and its views.
 *
 * Elements that tests may rely on have a `data-testid`; the list is in `web/site/README.md`.
 */

import type { Engine } from "./engine";
import type { GameTree } from "./game";

/** Name of a view, which is also the path of the URL hash: `#/analyze`, `#/play`, `#/learn`. */
export type ViewName = "analyze" | "play" | "learn";

/** Parameters of the URL hash; `undefined` removes a parameter. */
export type Params = Record<string, string | number | undefined>;

/** State and services that all views share. */
export interface App {
  /** FEN of the position on the board. */
  readonly fen: string;

  /** The game that contains the position. */
  readonly game: GameTree;

  /**
   * Replaces the game by one that starts at `fen`.
   *
   * Throws a `FenError` whose message states what is wrong if `fen` is not a legal position.
   */
  setFen(fen: string): void;

  /** Replaces the game; its current node becomes the position. */
  setGame(game: GameTree): void;

  /** Reports that the current node of `game` changed. */
  positionChanged(): void;

  /** Calls `callback` after each change of the position; returns a function that ends the subscription. */
  onPosition(callback: (fen: string) => void): () => void;

  /** Parameters of the URL hash of the current view. */
  readonly params: URLSearchParams;

  /** Changes parameters of the current view in the URL without mounting the view again. */
  setParams(params: Params): void;

  /** Mounts `view` with `params` and adds an entry to the browser's history. */
  navigate(view: ViewName, params?: Params): void;

  /** Announces `text` to screen readers. */
  announce(text: string): void;

  /** Shows a message above the view and announces it. */
  showError(text: string): void;

  /** Removes the message, because its cause has ended. */
  clearError(): void;

  /** The engine that all views share. It starts at the first use. */
  readonly engine: Engine;
}

/** A mounted view. */
export interface View {
  /** Removes listeners and stops work. The page empties the container afterward. */
  unmount(): void;
}

/** The module of a view. */
export interface ViewModule {
  mount(container: HTMLElement, app: App): View;
}
