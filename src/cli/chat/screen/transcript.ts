import { type Component, Container, Markdown, Text } from "@earendil-works/pi-tui";
import { type CallBlock, createCallBlock } from "./call-block.ts";
import type { Theme } from "./theme.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";
import { explainFailure } from "../../view/summary.ts";
import type { Style } from "../../terminal/paint.ts";
import type { RunResult, RunStreamPart } from "../../../host.ts";

/** A conversation on the screen. */
export interface Transcript {
  readonly component: Component;
  /** Shows what the user said. */
  said(text: string): void;
  /** Shows a line of the program. */
  note(text: string, style?: Style): void;
  /** Shows a part of the output of the run; parts of other runs are left out. */
  take(part: RunStreamPart): void;
  /** Shows how a turn ended, unless it succeeded. */
  ended(result: Pick<RunResult, "status" | "failure">): void;
  /** Opens or closes tool calls and reasoning. */
  toggle(): void;
}

/** Creates an empty conversation. */
export function createTranscript(theme: Theme): Transcript {
  const { paint } = theme;
  const component = new Container();
  const calls = new Map<string, CallBlock>();
  /** The texts that are arriving, by the ids of their parts. */
  const texts = new Map<string, { text: string; block: Markdown | Text }>();
  const thoughts: { text: string; block: Text }[] = [];
  let isOpen = false;

  const note = (text: string, style: Style = "dim"): void => {
    component.addChild(new Text(paint(style, cleanText(text)), 0, 0));
  };

  function addText(id: string, text: string): void {
    const known = texts.get(id) ?? begin(id, new Markdown("", 0, 1, theme.markdown));
    known.text += text;
    known.block.setText(cleanText(known.text));
  }

  function begin(id: string, block: Markdown | Text): { text: string; block: Markdown | Text } {
    const one = { text: "", block };
    texts.set(id, one);
    component.addChild(block);
    return one;
  }

  function addThought(id: string, text: string): void {
    let known = texts.get(id);
    if (known === undefined) {
      const block = new Text("", 0, 0);
      known = begin(id, block);
      thoughts.push(Object.assign(known, { block }));
    }
    known.text += text;
    known.block.setText(showThought(known.text));
  }

  function showThought(text: string): string {
    const lines = cleanText(text).trim();
    return paint("dim", isOpen ? lines : `✻ ${cleanLine(lines).slice(0, 100)}`);
  }

  function addCall(id: string, tool: string, input: unknown): void {
    if (tool === "final_output") return;
    const block = createCallBlock(tool, input, paint);
    block.open(isOpen);
    calls.set(id, block);
    component.addChild(block);
  }

  const show: { [Type in RunStreamPart["type"]]?: (part: PartOf<Type>) => void } = {
    text: (part) => addText(keyOf(part), part.text),
    reasoning: (part) => addThought(keyOf(part), part.text),
    "tool-call": (part) => addCall(keyOf(part), part.tool, part.input),
    "tool-result": (part) => calls.get(keyOf(part))?.end(part.text, part.isError),
    "reply-discarded": ({ reason }) => note(`The reply is void and is requested again: ${reason}`),
    message: ({ from, text }) => note(`${from === "user" ? "you" : from}> ${text}`, "cyan"),
    warning: ({ message }) => note(`warning: ${message}`, "yellow"),
    "approval-answered": ({ answer }) => note(describeAnswer(answer)),
    "attempt-failed": ({ attempt, failure }) =>
      note(`Attempt ${attempt} failed: ${failure.message}`, "yellow"),
  };

  return {
    component,
    note,
    said(text) {
      component.addChild(new Text(paint("cyan", `> ${shorten(cleanText(text))}`), 0, 1));
    },
    take(part) {
      (show[part.type] as ((part: RunStreamPart) => void) | undefined)?.(part);
    },
    ended({ status, failure }) {
      if (status === "succeeded") return;
      note(`${status}.`, "yellow");
      for (const line of failure === undefined ? [] : explainFailure(failure)) note(line);
    },
    toggle() {
      isOpen = !isOpen;
      for (const call of calls.values()) call.open(isOpen);
      for (const { text, block } of thoughts) block.setText(showThought(text));
    },
  };
}

/** How many lines of what the user said are shown. */
const mostSaid = 40;

function shorten(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= mostSaid) return text;
  return [...lines.slice(0, mostSaid), `… ${lines.length - mostSaid} more lines`].join("\n");
}

/** Ids are unique in a run only. */
function keyOf({ runId, id }: { runId: string; id: string }): string {
  return `${runId} ${id}`;
}

type PartOf<Type extends RunStreamPart["type"]> = RunStreamPart & { type: Type };

function describeAnswer(answer: PartOf<"approval-answered">["answer"]): string {
  if (answer.decision === "allow") return `allowed (${answer.scope})`;
  const { reason } = answer;
  return reason === undefined ? "denied" : `denied: ${reason}`;
}
