import { cleanLine } from "./clean-text.ts";
import { interrupt, type QuestionTerminal } from "./question-terminal.ts";
import { quoteLines, wrapOwnLines } from "./quote-lines.ts";
import type {
  ElicitAnswer,
  ElicitField,
  ElicitRequest,
  ElicitValue,
  OnElicit,
} from "../../host.ts";

/** Returns a handler for questions of MCP servers, tools and agents. It asks whether to answer, then asks for each field. */
export function createForms(terminal: QuestionTerminal): OnElicit {
  return async (request, signal) => {
    const { readElicitFields } = await import("../../host.ts");
    const fields = readElicitFields(request.schema);
    const form = { request, fields, terminal, signal };
    return await terminal.inTurn(() => terminal.onScreen(() => askForm(form), signal));
  };
}

interface Form {
  request: ElicitRequest;
  fields: readonly ElicitField[];
  terminal: QuestionTerminal;
  signal: AbortSignal;
}

async function askForm(form: Form): Promise<ElicitAnswer> {
  const { request, fields, terminal, signal } = form;
  terminal.write(formatForm(request, fields, terminal.columns));
  for (;;) {
    const key = await terminal.askKey("answer? [y/n/c] ", signal);
    if (key === interrupt || key === "c") return { action: "cancel" };
    if (key === "n") return { action: "decline" };
    if (key === "y") return await askFields(form);
  }
}

async function askFields(form: Form): Promise<ElicitAnswer> {
  const content: [string, ElicitValue][] = [];
  for (const [at, field] of form.fields.entries()) {
    const answer = await askField(form, field, at + 1);
    if (answer === undefined) return { action: "cancel" };
    if (answer.value !== undefined) content.push([field.key, answer.value]);
  }
  return { action: "accept", content: Object.fromEntries(content) };
}

/** Asks until the answer is valid. Returns `undefined` when the user gives up. */
async function askField(
  { fields, terminal, signal }: Form,
  field: ElicitField,
  number: number,
): Promise<{ value?: ElicitValue } | undefined> {
  terminal.write(formatField(field, terminal.columns));
  for (;;) {
    const line = await terminal.askLine(`${number} of ${fields.length}> `, signal);
    if (line === undefined) return undefined;
    const answer = field.read(line);
    if (!("problem" in answer)) return answer;
    terminal.write(quoteLines(answer.problem, terminal.columns));
  }
}

const receivers = {
  server: "that server",
  tool: "that tool",
  agent: "the agent and its model",
} as const;

/** Formats a question in lines of at most `columns` columns. The asker's text stands behind a bar. */
function formatForm(
  { extension, from, callers, message }: ElicitRequest,
  fields: readonly ElicitField[],
  columns: number,
): string[] {
  const chains = callers.map(({ chain }) => chain.join(" > ")).join("; ");
  const asks = callers.map(({ chain, tool }) => `${chain.join(" > ")} called ${tool}`).join("; ");
  const kind = from === "server" ? "MCP server" : "tool";
  const lines = [
    "",
    from === "agent"
      ? `The agent ${cleanLine(chains)} asks you:`
      : `The ${kind} ${cleanLine(extension)} asks you (${cleanLine(asks)}):`,
    ...quoteLines(message, columns),
    ...fields.flatMap(({ title, isRequired }) =>
      quoteLines(`- ${title}${isRequired ? "" : " (may be left empty)"}`, columns),
    ),
    `  Your answer is sent to ${receivers[from]}: enter no passwords and no keys.`,
    "  y answer · n decline · c give no answer · Ctrl-C cancel the run",
  ];
  return wrapOwnLines(lines, columns);
}

function formatField(field: ElicitField, columns: number): string[] {
  const { title, description, expected, isRequired, choices } = field;
  const empty = isRequired ? "" : "; may be left empty";
  const preset = field.default === undefined ? empty : `; empty: ${String(field.default)}`;
  const what = description === "" ? title : `${title}: ${description}`;
  const listed = choices.map(({ value, title: shown }, at) => {
    const name = shown === value ? value : `${value} (${shown})`;
    return `${at + 1} ${name}`;
  });
  return [
    "",
    ...[`${what} [${expected}${preset}]`, ...listed].flatMap((line) => quoteLines(line, columns)),
  ];
}
