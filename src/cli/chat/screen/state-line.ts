import type { ChatWindow } from "./window.ts";
import type { Paint } from "../../terminal/paint.ts";
import { cleanLine } from "../../terminal/clean-text.ts";

/** The lines around the input: messages that wait above it, and the state of the conversation below it. */
export interface StateLine {
  /** A turn has begun. */
  began(): void;
  /** The turn has ended. Returns its duration in milliseconds. */
  ended(): number;
  /** Shows the agent of the next turn. */
  setAgent(name: string): void;
  /** Shows the mode of permissions, and what the conversation has cost so far, as text. */
  setFacts(facts: { mode?: string; cost?: string }): void;
  /** Shows the messages that the agent has not read yet. */
  setWaiting(texts: readonly string[]): void;
}

/** Creates the lines for a conversation that has not begun. */
export function createStateLine(window: ChatWindow, paint: Paint): StateLine {
  let agent: string | undefined;
  const facts: { mode?: string; cost?: string } = {};
  let waiting: readonly string[] = [];
  let beganAt: number | undefined;
  let ticking: NodeJS.Timeout | undefined;

  function show(): void {
    const above = waiting.map((text) => paint("dim", `waiting: ${cleanLine(text)}`));
    window.setNotes(above.join("\n"), paint("dim", describe()));
  }

  function describe(): string {
    if (agent === undefined) return "opening …";
    if (beganAt === undefined) {
      const known = [facts.mode, facts.cost].filter((fact) => fact !== undefined && fact !== "");
      return [agent, "/help", ...known].join(" · ");
    }
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    return `working ${seconds} s · Esc interrupts · Enter sends a message · Ctrl-T selects an agent`;
  }

  show();
  return {
    began() {
      beganAt = performance.now();
      clearInterval(ticking);
      // The times in the tree increase too.
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
    setWaiting(texts) {
      waiting = texts;
      show();
    },
  };
}
