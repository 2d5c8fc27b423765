import { cleanLine } from "./clean-text.ts";
import { interrupt, type QuestionTerminal } from "./question-terminal.ts";
import { quoteLines, wrapOwnLines } from "./quote-lines.ts";
import type { ApprovalAnswer, ApprovalRequest, Ask } from "../../host.ts";

/** Returns a handler that asks the user for approval. `rootOf` returns the root of a run's family. */
export function createQuestions(
  terminal: QuestionTerminal,
  rootOf: (runId: string) => string,
): Ask {
  /** Calls that were always allowed while other runs of the family waited with the same question. */
  const always = new Set<string>();
  const answer = async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> => {
    const { runId, tool, subject } = request;
    const question = JSON.stringify([rootOf(runId), tool, subject]);
    if (always.has(question)) return { decision: "allow", scope: "always" };
    const work = async (): Promise<ApprovalAnswer> => await ask(request, signal, terminal);
    const answered = await terminal.onScreen(work, signal);
    if (answered.decision === "allow" && answered.scope === "always") always.add(question);
    return answered;
  };
  return (request, signal) => terminal.inTurn(() => answer(request, signal));
}

async function ask(
  request: ApprovalRequest,
  signal: AbortSignal,
  terminal: QuestionTerminal,
): Promise<ApprovalAnswer> {
  terminal.write(formatQuestion(request, terminal.columns));
  for (;;) {
    const key = await terminal.askKey("allow? [y/a/n/r] ", signal);
    if (key === interrupt) return { decision: "deny", reason: "the user cancelled the run" };
    if (key === "r") {
      const reason = (await terminal.askLine("reason: ", signal)) ?? "";
      return reason.trim() === "" ? { decision: "deny" } : { decision: "deny", reason };
    }
    const answer = answers[key.toLowerCase()];
    if (answer !== undefined) return answer;
  }
}

const answers: Readonly<Record<string, ApprovalAnswer>> = {
  y: { decision: "allow", scope: "once" },
  a: { decision: "allow", scope: "always" },
  n: { decision: "deny" },
};

const mostInputLines = 12;

/**
 * Formats the question in lines of at most `columns` columns. Text of a model stands behind a bar on every line, with its
 * control characters made visible, so that it cannot imitate the question.
 */
export function formatQuestion(request: ApprovalRequest, columns: number): string[] {
  const { chain, tool, subject, title, input, reason } = request;
  const quote = (text: string): string[] => quoteLines(text, columns);
  const details = describeInput(input, subject).flatMap(quote);
  const hidden = details.length - mostInputLines;
  const lines = [
    "",
    `${chain.map(cleanLine).join(" > ")} asks to use ${cleanLine(tool)}:`,
    ...quote(subject === "" ? title : subject),
    ...(hidden > 0 ? details.slice(0, mostInputLines) : details),
    ...(hidden > 0 ? [`  … ${hidden} more lines of its input are not shown`] : []),
    `  why you are asked: ${cleanLine(reason)}`,
    "  y yes, once · a yes, always · n no · r no, with a reason · Ctrl-C cancel",
  ];
  return wrapOwnLines(lines, columns);
}

/** Returns the arguments without the subject, which is shown separately. */
function describeInput(input: unknown, subject: string): string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input)
    .filter(([, value]) => value !== subject)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
}
