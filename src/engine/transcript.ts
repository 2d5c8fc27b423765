import { cutMiddle } from "../tool/output-cap.ts";

/** The characters of a transcript; whoever delegates caps it once more, and keeps the whole of this. */
const longest = 100_000;

/** All that an agent said and its tools gave, in order, for those who want no summary. */
export interface Transcript {
  say(text: string): void;
  give(tool: string, text: string): void;
  /** The whole, or its beginning and end with a line between them that says where the whole is. */
  text(): string;
}

/** The transcript of one attempt at the run `runId`. */
export function createTranscript(runId: string): Transcript {
  const parts: string[] = [];
  return {
    say(text) {
      if (text.trim() !== "") parts.push(text);
    },
    give(tool, text) {
      parts.push(`Tool result (${tool}):\n${text}`);
    },
    text() {
      const whole = parts.join("\n\n");
      if (whole.length <= longest) return whole;
      const rest = `\`cadre events ${runId} --json\` has all of it.`;
      return cutMiddle({ head: whole, tail: whole, length: whole.length, limit: longest, rest });
    },
  };
}
