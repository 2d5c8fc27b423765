import { cutMiddle } from "../../tool/output/output-cap.ts";

/** The maximum length of a transcript, in characters. The caller may shorten it further, and keeps this one in a file. */
const longest = 100_000;

/** An agent's texts and its tools' results, in order, for callers that want no summary. */
export interface Transcript {
  addText(text: string): void;
  addResult(tool: string, text: string): void;
  /** Returns the whole transcript, or its beginning and end around a line that says where the rest is. */
  text(): string;
}

/** The transcript of one attempt at the run `runId`. */
export function createTranscript(runId: string): Transcript {
  return new AttemptTranscript(runId);
}

/** A class instead of closures: its instances share methods, and thousands of runs may wait. */
class AttemptTranscript implements Transcript {
  readonly #runId: string;
  readonly #parts: string[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  addText(text: string): void {
    if (text.trim() !== "") this.#parts.push(text);
  }

  addResult(tool: string, text: string): void {
    this.#parts.push(`Tool result (${tool}):\n${text}`);
  }

  text(): string {
    const whole = this.#parts.join("\n\n");
    if (whole.length <= longest) return whole;
    const rest = `\`cadre events ${this.#runId} --json\` has all of it.`;
    return cutMiddle({ head: whole, tail: whole, length: whole.length, limit: longest, rest });
  }
}
