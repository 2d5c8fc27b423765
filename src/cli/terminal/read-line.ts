import { createInterface } from "node:readline/promises";

/** The source of a line, and the handler of Ctrl-C. */
export interface ReadLineOptions {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  onInterrupt?: () => void;
}

/**
 * Asks for a line on a terminal, with the initial text `text`; `undefined` at Ctrl-C and Ctrl-D. Rejects when `signal` aborts.
 */
export async function readLine(
  { input, output, onInterrupt }: ReadLineOptions,
  prompt: string,
  signal?: AbortSignal,
  text = "",
): Promise<string | undefined> {
  const lines = createInterface({ input, output });
  lines.on("SIGINT", () => {
    onInterrupt?.();
    lines.close();
  });
  const closed = new Promise<undefined>((resolve) => {
    lines.once("close", () => resolve(undefined));
  });
  try {
    const answer = lines.question(prompt, signal === undefined ? {} : { signal });
    lines.write(text);
    return await Promise.race([answer, closed]);
  } finally {
    lines.close();
  }
}
