import { type Component, Text } from "@earendil-works/pi-tui";
import { type CallBlock, createCallBlock } from "./call-block.ts";
import { SpacedContainer } from "./spaced-container.ts";
import { createTextBlocks } from "./text-blocks.ts";
import type { Theme } from "./theme.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";
import { cutText } from "../../terminal/text-width.ts";
import { explainFailure } from "../../view/summary.ts";
import type { Style } from "../../terminal/paint.ts";
import {
  type ApprovalRequest,
  describeApproval,
  type RunResult,
  type RunStreamPart,
} from "../../../host.ts";

/** A conversation on the screen. */
export interface TranscriptView {
  readonly component: Component;
  /** Shows a text of the user. The returned function removes it again. */
  userMessage(text: string): () => void;
  /** Shows a text of the program. */
  note(text: string, style?: Style): void;
  /** Shows a part of the output of a run. */
  take(part: RunStreamPart): void;
  /** Shows how a turn ended, unless it succeeded. */
  ended(result: Pick<RunResult, "status" | "failure">): void;
  /** Opens or closes tool calls and thoughts. */
  toggle(): void;
}

/** Creates an empty conversation. */
export function createTranscriptView(theme: Theme): TranscriptView {
  const { paint } = theme;
  const component = new SpacedContainer();
  const textBlocks = createTextBlocks(component, theme);
  const calls = new Map<string, CallBlock>();
  /** The calls that the user was asked about. */
  const asked = new Map<string, string>();
  let isOpen = false;

  const note = (text: string, style: Style = "dim"): void => {
    component.addChild(new Text(paint(style, cleanText(text)), 0, 0));
  };

  function addCall(part: PartOf<"tool-call">): void {
    if (part.tool === "final_output") return;
    const block = createCallBlock(part.tool, part.input, paint);
    block.open(isOpen);
    calls.set(keyOf(part), block);
    component.addChild(block);
  }

  const show: { [Type in RunStreamPart["type"]]?: (part: PartOf<Type>) => void } = {
    text: (part) => textBlocks.addText(keyOf(part), part.text),
    reasoning: (part) => textBlocks.addThought(keyOf(part), part.text),
    "tool-call": addCall,
    "tool-result": (part) => calls.get(keyOf(part))?.end(part.text, part.isError),
    "reply-discarded": ({ reason }) =>
      note(`The reply is discarded and requested again: ${reason}`),
    message: ({ from, text }) => note(`${from === "user" ? "you" : from}> ${text}`, "cyan"),
    warning: ({ message }) => note(`warning: ${message}`, "yellow"),
    "approval-requested": ({ runId, request }) =>
      void asked.set(keyOf({ runId, id: request.stepKey }), nameCall(request)),
    "approval-answered": ({ runId, step, answer }) => {
      const call = asked.get(keyOf({ runId, id: step }));
      note(`${call === undefined ? "" : `${call}: `}${describeApproval(answer)}`);
    },
    "attempt-failed": ({ attempt, failure }) =>
      note(`Attempt ${attempt} failed: ${failure.message}`, "yellow"),
  };

  return {
    component,
    note,
    userMessage(text) {
      const block = new Text(paint("cyan", `> ${shorten(cleanText(text))}`), 0, 1);
      component.addChild(block);
      return () => component.removeChild(block);
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
      textBlocks.open(isOpen);
    },
  };
}

type PartOf<Type extends RunStreamPart["type"]> = RunStreamPart & { type: Type };

/** The maximum number of columns of a call's name in a note. */
const callColumns = 60;

/** Names a call as its block does. */
function nameCall({ tool, subject }: Pick<ApprovalRequest, "tool" | "subject">): string {
  return cutText(cleanLine(`${tool} ${subject}`).trim(), callColumns);
}

/** The maximum number of lines shown of a text of the user. */
const maxMessageLines = 40;

function shorten(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= maxMessageLines) return text;
  return [
    ...lines.slice(0, maxMessageLines),
    `… ${lines.length - maxMessageLines} more lines`,
  ].join("\n");
}

/** Returns a key for an id, which is unique only within its run. */
function keyOf({ runId, id }: { runId: string; id: string }): string {
  return `${runId} ${id}`;
}
