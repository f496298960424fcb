import type { WriteStream } from 'node:tty';
import pc from 'picocolors';

export type Colors = ReturnType<typeof pc.createColors>;

/** The output of a script for people. */
export interface Terminal {
  /** Without effect if the stream is not a terminal, or `NO_COLOR` is set. */
  readonly colors: Colors;
  line(text?: string): void;
  /**
   * Shows the current work on a line that the next output replaces; only on a terminal.
   *
   * @returns a function that removes the line
   */
  busy(text: string): () => void;
}

/** The sign at the start of a verdict. */
export function markOf(isGood: boolean, { green, red }: Colors): string {
  return isGood ? green('✓') : red('✗');
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const FRAME_MS = 80;
const CLEAR_LINE = '\r\u001b[2K';

/** A terminal on `stream` (stdout or stderr). `noColor` is the environment's `NO_COLOR`. */
export function terminalOn(stream: Pick<WriteStream, 'write' | 'isTTY'>, noColor: string | undefined): Terminal {
  const isTerminal = stream.isTTY === true;
  const colors = pc.createColors(isTerminal && !noColor);
  let shown: { readonly text: string; readonly timer: NodeJS.Timeout } | null = null;

  const hide = (): void => {
    if (shown === null) return;
    clearInterval(shown.timer);
    shown = null;
    stream.write(CLEAR_LINE);
  };
  const show = (text: string): void => {
    hide();
    let frame = 0;
    const draw = (): void => {
      stream.write(`${CLEAR_LINE} ${colors.cyan(FRAMES[frame % FRAMES.length] ?? '')} ${colors.dim(text)}`);
      frame += 1;
    };
    shown = { text, timer: setInterval(draw, FRAME_MS) };
    draw();
  };

  return {
    colors,
    line(text = '') {
      const waiting = shown?.text;
      hide();
      stream.write(`${text}\n`);
      if (waiting !== undefined) show(waiting);
    },
    busy(text) {
      if (!isTerminal) return () => undefined;
      show(text);
      return hide;
    },
  };
}

/** Rows as columns as wide as their widest cells, two spaces apart. `?` stands for control characters. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  return lines
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Foreign text without characters that could control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?');
}
