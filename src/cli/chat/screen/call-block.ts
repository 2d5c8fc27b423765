import { type Component, truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { diffOfTexts } from "../../terminal/edit-diff.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";
import type { Paint } from "../../terminal/paint.ts";

/** How many lines of a change, an input or a result are shown: closed, and opened. */
const mostErrorLines = 3;
const mostLines = { closed: 12, open: 200 } as const;

/** A tool call in a conversation: one line, the change of an edit, and the rest on request. */
export interface CallBlock extends Component {
  end(text: string, isError: boolean): void;
  /** Shows the arguments and the result too, or not. */
  open(isOpen: boolean): void;
}

/** Creates the block of a call that has begun. */
export function createCallBlock(tool: string, input: unknown, paint: Paint): CallBlock {
  const name = cleanLine(tool);
  const subject = cleanLine(subjectOf(input));
  const change = changeOf(tool, input);
  let result: { text: string; isError: boolean } | undefined;
  let isOpen = false;

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
        ? cleanText(result.text).split("\n").slice(0, mostErrorLines)
        : [];
    const given = change === undefined ? cleanText(JSON.stringify(input, null, 2) ?? "") : "";
    const texts = [given, result === undefined ? "" : cleanText(result.text)];
    return texts.filter((text) => text !== "").flatMap((text) => cut(text.split("\n"), true));
  }

  return {
    end(text, isError) {
      result = { text, isError };
    },
    open(wanted) {
      isOpen = wanted;
    },
    render(width) {
      const inside = Math.max(10, width - 4);
      const lines = cut(change ?? [], isOpen).map((line) => paintChange(line, paint));
      const below = [...lines, ...details().map((line) => paint("dim", line))];
      const wrapped = below.flatMap((line) => wrapTextWithAnsi(line, inside));
      return [truncateToWidth(head(), width), ...wrapped.map((line) => `    ${line}`)];
    },
    invalidate: () => undefined,
  };
}

/** What a call is about: its first argument that is a text, and the task of a delegation. */
function subjectOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input ?? "");
  const given: Readonly<Record<string, unknown>> = { ...input };
  const first = Object.values(given).find((value) => typeof value === "string");
  const task = given["prompt"] ?? given["task"];
  const texts = new Set([first, task].filter((text) => typeof text === "string"));
  return texts.size === 0 ? JSON.stringify(input) : [...texts].join(": ");
}

/** The change that an edit asks to make, as far as its arguments tell. */
function changeOf(tool: string, input: unknown): string[] | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const given: Readonly<Record<string, unknown>> = { ...input };
  const [old, next] =
    tool === "Write" ? ["", given["content"]] : [given["old_string"], given["new_string"]];
  const isEdit = tool === "Write" || tool === "Edit";
  if (!isEdit || typeof old !== "string" || typeof next !== "string") return undefined;
  return diffOfTexts(cleanText(old), cleanText(next))?.filter((line) => !line.startsWith("@@"));
}

function paintChange(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : paint("dim", line);
}

function cut(lines: readonly string[], isOpen: boolean): string[] {
  const most = isOpen ? mostLines.open : mostLines.closed;
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… ${lines.length - most} more lines`];
}
