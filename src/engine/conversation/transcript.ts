import { cutMiddle } from "../../tool/output/output-cap.ts";

/** The longest transcript, in characters. The caller may cap it again and keeps this one in a file. */
const longest = 100_000;

/** What an agent said and its tools returned, in order, for callers that want no summary. */
export interface Transcript {
  say(text: string): void;
  give(tool: string, text: string): void;
  /** The whole transcript, or its beginning and end with a line that names where the whole is. */
  text(): string;
}

/** The transcript of one attempt at the run `runId`. */
export function createTranscript(runId: string): Transcript {
  return new AttemptTranscript(runId);
}

/** A class, so that its methods exist once and not for each run: thousands may wait. */
class AttemptTranscript implements Transcript {
  readonly #runId: string;
  readonly #parts: string[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  say(text: string): void {
    if (text.trim() !== "") this.#parts.push(text);
  }

  give(tool: string, text: string): void {
    this.#parts.push(`Tool result (${tool}):\n${text}`);
  }

  text(): string {
    const whole = this.#parts.join("\n\n");
    if (whole.length <= longest) return whole;
    const rest = `\`cadre events ${this.#runId} --json\` has all of it.`;
    return cutMiddle({ head: whole, tail: whole, length: whole.length, limit: longest, rest });
  }
}
