import { createInterface } from "node:readline/promises";
import { cleanLine, revealText } from "./clean-text.ts";
import { readKey } from "./read-key.ts";
import { wrapText } from "./text-width.ts";
import type { ApprovalAnswer, ApprovalRequest, Ask } from "../index.ts";

/** What {@link createQuestions} needs. */
export interface QuestionsOptions {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** Clears the screen for a question; `resume` takes it back. */
  pause: () => Promise<void>;
  resume: () => void;
  /** Ctrl-C was pressed. */
  onInterrupt: () => void;
  /** The root of the family that a run belongs to. */
  rootOf: (runId: string) => string;
}

/** Asks the user on the terminal, one question at a time. */
export function createQuestions(options: QuestionsOptions): Ask {
  let last: Promise<unknown> = Promise.resolve();
  /** What was allowed for good while others of the family waited with the same question. */
  const always = new Set<string>();
  const answer = async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> => {
    const { runId, tool, subject } = request;
    const question = JSON.stringify([options.rootOf(runId), tool, subject]);
    if (always.has(question)) return { decision: "allow", scope: "always" };
    const answered = await ask(request, signal, options);
    if (answered.decision === "allow" && answered.scope === "always") always.add(question);
    return answered;
  };
  return (request, signal) => {
    const turn = last.then(() => answer(request, signal));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function ask(
  request: ApprovalRequest,
  signal: AbortSignal,
  options: QuestionsOptions,
): Promise<ApprovalAnswer> {
  const { input, output, pause, resume, onInterrupt } = options;
  signal.throwIfAborted();
  await pause();
  try {
    const question = formatQuestion(request, output.columns);
    output.write(`${question.join("\n")}\n`);
    for (;;) {
      const key = await readKey(input, signal, () => output.write("allow? [y/a/n/r] "));
      output.write(`${cleanLine(key)}\n`);
      if (key === "\u0003") {
        onInterrupt();
        return { decision: "deny", reason: "the user cancelled the run" };
      }
      if (key === "r") return await askReason(options, signal);
      const answer = answers[key.toLowerCase()];
      if (answer !== undefined) return answer;
    }
  } finally {
    resume();
  }
}

const answers: Readonly<Record<string, ApprovalAnswer>> = {
  y: { decision: "allow", scope: "once" },
  a: { decision: "allow", scope: "always" },
  n: { decision: "deny" },
};

async function askReason(
  { input, output, onInterrupt }: QuestionsOptions,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const lines = createInterface({ input, output });
  lines.on("SIGINT", () => {
    onInterrupt();
    lines.close();
  });
  const closed = new Promise<string>((resolve) => {
    lines.once("close", () => resolve(""));
  });
  try {
    const reason = await Promise.race([lines.question("reason: ", { signal }), closed]);
    return reason.trim() === "" ? { decision: "deny" } : { decision: "deny", reason };
  } finally {
    lines.close();
  }
}

const mostInputLines = 12;

/**
 * The question in lines of at most `columns` columns. What comes from a model stands behind a bar on every line, with its
 * control characters made visible, so that it cannot pass itself off as part of the question.
 */
export function formatQuestion(request: ApprovalRequest, columns: number): string[] {
  const { chain, tool, subject, title, input, reason } = request;
  const quote = (text: string): string[] =>
    revealText(text)
      .split("\n")
      .flatMap((line) => wrapText(line, columns - 5))
      .map((line) => `  │ ${line}`);
  const details = describeInput(input, subject).flatMap(quote);
  const hidden = details.length - mostInputLines;
  return [
    "",
    `${chain.map(cleanLine).join(" > ")} asks to use ${cleanLine(tool)}:`,
    ...quote(subject === "" ? title : subject),
    ...(hidden > 0 ? details.slice(0, mostInputLines) : details),
    ...(hidden > 0 ? [`  … ${hidden} more lines of its input are not shown`] : []),
    `  why you are asked: ${cleanLine(reason)}`,
    "  y yes, once · a yes, always · n no · r no, with a reason · Ctrl-C cancel",
  ].flatMap((line) => (line.startsWith("  │ ") ? [line] : wrapText(line, columns - 1)));
}

/** The arguments besides the subject, which is shown anyway. */
function describeInput(input: unknown, subject: string): string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input)
    .filter(([, value]) => value !== subject)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
}
