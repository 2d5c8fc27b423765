import { cleanLine, revealText } from "./clean-text.ts";
import { interrupt, type QuestionTerminal } from "./question-terminal.ts";
import { quoteLines, wrapOwnLines } from "./quote-lines.ts";
import type { ApprovalAnswer, ApprovalRequest, Ask } from "../../host.ts";

/** The scope of a rule that the user adds: this family of runs, all runs of the project, or all runs of the user. */
export type RuleScope = "family" | "project" | "user";

/** Options of {@link createQuestions}. */
export interface QuestionsOptions {
  terminal: QuestionTerminal;
  /** Returns the root of a run's family. */
  rootOf: (runId: string) => string;
  /** Writes a rule into a configuration file. Returns a sentence that says where. */
  saveRule: (rule: string, scope: Exclude<RuleScope, "family">) => Promise<string>;
}

/** Returns a handler that asks the user for approval. */
export function createQuestions({ terminal, rootOf, saveRule }: QuestionsOptions): Ask {
  /** Calls that the user allowed always while other runs of the family waited with the same question. */
  const always = new Set<string>();
  let waiting = 0;
  const answer = async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> => {
    const { runId, tool, subject } = request;
    const question = JSON.stringify([rootOf(runId), tool, subject]);
    if (always.has(question)) return { decision: "allow", scope: "always" };
    const work = async (): Promise<ApprovalAnswer> =>
      await askApproval(request, { terminal, signal, saveRule, waiting: waiting - 1 });
    const answered = await terminal.onScreen(work, signal);
    if (answered.decision === "allow" && answered.scope === "always") always.add(question);
    return answered;
  };
  return async (request, signal) => {
    waiting++;
    try {
      return await terminal.inTurn(() => answer(request, signal));
    } finally {
      waiting--;
    }
  };
}

/** Options of {@link askApproval}. */
export interface ApprovalOptions extends Pick<QuestionsOptions, "terminal" | "saveRule"> {
  signal: AbortSignal;
  /** The number of other open questions. */
  waiting: number;
}

/** Asks one question until a key answers it. */
export async function askApproval(
  request: ApprovalRequest,
  options: ApprovalOptions,
): Promise<ApprovalAnswer> {
  const { terminal, signal, waiting } = options;
  const { diffOfEdit } = await import("./edit-diff.ts");
  const diff = diffOfEdit(request);
  const { columns, rows = Infinity } = terminal;
  terminal.write(formatQuestion(request, { columns, rows, diff, waiting }));
  for (;;) {
    const key = await terminal.askKey("allow? [y/a/p/n/r/v] ", signal);
    const answer = await answerTo(key.toLowerCase(), request, options);
    if (answer !== undefined) return answer;
    if (key.toLowerCase() !== "v") continue;
    const lines = detailsOf(request, diff).flatMap((line) => quoteLines(line, terminal.columns));
    terminal.write([...lines, ...wrapOwnLines(describeLevels(request), terminal.columns)]);
  }
}

/** Returns the answer of a key; `undefined` for any other key, and when the user goes back. */
async function answerTo(
  key: string,
  request: ApprovalRequest,
  options: ApprovalOptions,
): Promise<ApprovalAnswer | undefined> {
  if (key === interrupt) return { decision: "deny", reason: "the user cancelled the run" };
  if (key === "p") return await askRule(request, options);
  if (key !== "r") return answers[key];
  const reason = (await options.terminal.askLine("reason: ", options.signal)) ?? "";
  return reason.trim() === "" ? { decision: "deny" } : { decision: "deny", reason };
}

const answers: Readonly<Record<string, ApprovalAnswer>> = {
  y: { decision: "allow", scope: "once" },
  a: { decision: "allow", scope: "always" },
  n: { decision: "deny" },
};

const scopes: Readonly<Record<string, RuleScope>> = { f: "family", p: "project", u: "user" };

/** Asks for a rule that allows this call and similar ones, and for the rule's scope. */
async function askRule(
  { proposal = "" }: ApprovalRequest,
  { terminal, signal, saveRule }: ApprovalOptions,
): Promise<ApprovalAnswer | undefined> {
  const typed = await terminal.askLine("rule: ", signal, revealText(proposal));
  const rule = (typed === revealText(proposal) ? proposal : (typed ?? "")).trim();
  if (rule === "") return undefined;
  const { describeRuleProblem } = await import("../../host.ts");
  const problem = describeRuleProblem(rule);
  if (problem !== null) {
    terminal.write(wrapOwnLines([`  ${cleanLine(problem)}`], terminal.columns));
    return undefined;
  }
  terminal.write([
    "  for: f this family of runs · p the project · u all your projects · other: back",
  ]);
  const scope = scopes[(await terminal.askKey("for? [f/p/u] ", signal)).toLowerCase()];
  if (scope === undefined) return undefined;
  if (scope !== "family") terminal.write([`  ${cleanLine(await saveRule(rule, scope))}`]);
  return { decision: "allow", scope: "rule", rule };
}

const maxDetails = 12;
const maxDiffLines = 40;
const minDetails = 3;

/** The parts of a question besides the request. */
interface QuestionView {
  columns: number;
  /** The rows that the question and its prompt may take, if the fixed lines leave enough. Default: no limit. */
  rows?: number;
  /** The change of an edit. */
  diff?: readonly string[] | undefined;
  waiting: number;
}

/**
 * Formats the question in lines of at most `columns` columns. Each line of a model's text stands behind a bar, with its control
 * characters made visible, so that it cannot imitate the question.
 */
export function formatQuestion(
  request: ApprovalRequest,
  { columns, rows = Infinity, diff, waiting }: QuestionView,
): string[] {
  const { chain, tool, subject, title, reason, proposal } = request;
  const quote = (text: string): string[] => quoteLines(text, columns);
  const details = detailsOf(request, diff).flatMap(quote);
  const above = [
    "",
    ...(waiting > 0
      ? [`(${waiting} more ${waiting === 1 ? "question waits" : "questions wait"})`]
      : []),
    `${chain.map(cleanLine).join(" > ")} asks to use ${cleanLine(tool)}:`,
    ...quote(subject === "" ? title : subject),
  ];
  const below = [
    `  why you are asked: ${cleanLine(reason)}`,
    "  y yes, once · a always this · p a pattern · n no · r no, with a reason",
    "  v view all · Ctrl-C cancel",
    ...(proposal === undefined ? [] : [`  proposed pattern: ${cleanLine(proposal)}`]),
  ];
  const [first, last] = [wrapOwnLines(above, columns), wrapOwnLines(below, columns)];
  // Two rows for the line about other questions and the prompt.
  const room = Math.max(minDetails, rows - first.length - last.length - 2);
  const most = Math.min(diff === undefined ? maxDetails : maxDiffLines, room);
  const hidden = details.length - most;
  if (hidden <= 0) return [...first, ...details, ...last];
  const more = `  … ${hidden} more lines, which v shows`;
  return [...first, ...details.slice(0, most), more, ...last];
}

/** Returns the change of an edit, or else the arguments without the subject, which is shown separately. */
function detailsOf(
  { input, subject }: ApprovalRequest,
  diff: readonly string[] | undefined,
): readonly string[] {
  if (diff !== undefined) return diff;
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input)
    .filter(([, value]) => value !== subject)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
}

/** Describes the decision of each permission level. */
function describeLevels({ levels = [] }: ApprovalRequest): string[] {
  return levels.map(({ decision, reason }) => `  ${decision.padEnd(5)} by ${cleanLine(reason)}`);
}
