import { type Component, truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";
import type { Paint } from "../../terminal/paint.ts";
import { showCall } from "./show-call.ts";

/** How many lines of a change, an input or a result are shown: closed, and opened. */
const maxErrorLines = 3;
const maxLines = { closed: 12, open: 200 } as const;

/** A tool call in a conversation: one line, the change of an edit or the todo list, and the details on request. */
export interface CallBlock extends Component {
  end(text: string, isError: boolean): void;
  /** Shows or hides the arguments and the result. */
  open(isOpen: boolean): void;
}

/** Creates the block of a call that has begun. */
export function createCallBlock(tool: string, input: unknown, paint: Paint): CallBlock {
  const name = cleanLine(tool);
  const shown = showCall(tool, input);
  const subject = cleanLine(shown.subject);
  const below = shown.lines?.map((line) => paintLine(line, paint));
  let result: { text: string; isError: boolean } | undefined;
  let isOpen = false;
  /** The lines of the last rendering. A conversation has many calls and is drawn many times a second. */
  let drawn: { width: number; lines: string[] } | undefined;

  function head(): string {
    const mark =
      result === undefined
        ? paint("cyan", "●")
        : result.isError
          ? paint("red", "✗")
          : paint("green", "✓");
    return `${mark} ${paint("bold", name)} ${subject}`;
  }

  function details(): string[] {
    if (!isOpen)
      return result?.isError === true
        ? cleanText(result.text).split("\n").slice(0, maxErrorLines)
        : [];
    const given = below === undefined ? cleanText(JSON.stringify(input, null, 2) ?? "") : "";
    const texts = [given, result === undefined ? "" : cleanText(result.text)];
    return texts.filter((text) => text !== "").flatMap((text) => cut(text.split("\n"), true));
  }

  function draw(width: number): string[] {
    const inside = Math.max(10, width - 4);
    const lines = [...cut(below ?? [], isOpen), ...details().map((line) => paint("dim", line))];
    const wrapped = lines.flatMap((line) => wrapTextWithAnsi(line, inside));
    return [truncateToWidth(head(), width), ...wrapped.map((line) => `    ${line}`)];
  }

  return {
    end(text, isError) {
      result = { text, isError };
      drawn = undefined;
    },
    open(wanted) {
      if (wanted !== isOpen) drawn = undefined;
      isOpen = wanted;
    },
    render(width) {
      if (drawn?.width !== width) drawn = { width, lines: draw(width) };
      return drawn.lines;
    },
    invalidate: () => (drawn = undefined),
  };
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint("green", line);
  if (line.startsWith("[>]")) return paint("bold", line);
  return line.startsWith("-") ? paint("red", line) : paint("dim", line);
}

function cut(lines: readonly string[], isOpen: boolean): string[] {
  const most = isOpen ? maxLines.open : maxLines.closed;
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… ${lines.length - most} more lines`];
}
