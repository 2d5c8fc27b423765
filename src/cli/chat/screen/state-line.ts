import { type ChatWindow, openingNote } from "./window.ts";
import type { Paint } from "../../terminal/paint.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { formatNumberOf } from "../../view/format-value.ts";

/** The lines around the input: waiting messages above it, and the state of the conversation below it. */
export interface StateLine {
  /** A turn has begun. */
  began(): void;
  /** The turn has ended. Returns its duration in milliseconds. */
  ended(): number;
  /** Shows the agent of the next turn. */
  setAgent(name: string): void;
  /** Shows the model that the user chose, the permission mode, and the cost of the conversation so far. */
  setFacts(facts: StateFacts): void;
  /** Shows the number of questions that wait for an answer. */
  setQuestions(count: number): void;
  /** Shows the messages that the agent has not read yet. */
  setWaiting(texts: readonly string[]): void;
}

/** Facts about the conversation as text; empty = not shown. */
interface StateFacts {
  model?: string;
  mode?: string;
  cost?: string;
}

/** Creates the lines for a conversation that has not begun. */
export function createStateLine(window: ChatWindow, paint: Paint): StateLine {
  let agent: string | undefined;
  const facts: StateFacts = {};
  let waiting: readonly string[] = [];
  let questions = 0;
  let beganAt: number | undefined;
  let ticking: NodeJS.Timeout | undefined;

  function show(): void {
    const above = waiting.map((text) => paint("dim", `waiting: ${cleanLine(text)}`));
    window.setNotes(above.join("\n"), paint("dim", cleanLine(describe())));
  }

  function describe(): string {
    if (agent === undefined) return openingNote;
    if (beganAt === undefined) {
      const { model, mode, cost } = facts;
      const known = [model && `model ${model}`, mode, cost].filter(
        (fact) => fact !== undefined && fact !== "",
      );
      return [agent, "/help", ...known].join(" · ");
    }
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    if (questions > 0) {
      const wait = `${formatNumberOf(questions, "question")} ${questions === 1 ? "waits" : "wait"}`;
      return `working ${seconds} s · ${wait} for your answer`;
    }
    return `working ${seconds} s · Esc interrupts · Enter sends a message · Ctrl-T selects an agent`;
  }

  show();
  return {
    began() {
      beganAt = performance.now();
      clearInterval(ticking);
      // The tree shows increasing times too.
      ticking = setInterval(show, 1000);
      show();
    },
    ended() {
      const took = performance.now() - (beganAt ?? performance.now());
      clearInterval(ticking);
      beganAt = undefined;
      show();
      return took;
    },
    setAgent(name) {
      agent = name;
      show();
    },
    setFacts(known) {
      Object.assign(facts, known);
      show();
    },
    setQuestions(count) {
      questions = count;
      show();
    },
    setWaiting(texts) {
      waiting = texts;
      show();
    },
  };
}
