// A conversation on a terminal: each line of the user is one turn, and each turn is a run.

import { conductRuns } from "../run/conduct-runs.ts";
import { findConversation } from "../run/continue-run.ts";
import { reportError } from "../error/report-error.ts";
import { readLine } from "../terminal/read-line.ts";
import { writeError } from "../terminal/output.ts";
import type { ChatRequest } from "./chat-request.ts";
import { mentionedImages } from "./dialog/mentioned-images.ts";
import { agentAfter, fillTypedCommand } from "./dialog/typed-command.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Cadre, RunHandle } from "../../host.ts";

const prompt = "you> ";
const endLine = "/quit";

/**
 * Reads lines from the terminal and executes each as a turn, until `/quit`, Ctrl-C or Ctrl-D. Returns the exit code of the last
 * turn.
 *
 * @throws CadreError when the first turn cannot begin, such as `agent-not-found` or `run-not-found`. Shows errors of later turns.
 */
export async function chatByLines(request: ChatRequest): Promise<number> {
  const standing: Standing = { request };
  let code = 0;
  writeError(`Enter sends a line. ${endLine} or Ctrl-D ends the conversation.`);
  for (;;) {
    const line = await readLine({ input: process.stdin, output: process.stderr }, prompt);
    if (line === undefined || isEnd(line.trim())) break;
    if (line.trim() === "") continue;
    code = await executeTurn(line, standing).catch((error: unknown) => {
      if (standing.runId === undefined) throw error;
      return reportError(error);
    });
  }
  const { runId } = standing;
  if (runId !== undefined) writeError(`\nContinue with: cadre chat --continue=${runId}`);
  return code;
}

/** Users of other programs type `/exit`. */
function isEnd(line: string): boolean {
  return line === endLine || line === "/exit";
}

/** The state of a conversation between two turns. */
interface Standing {
  request: ChatRequest;
  /** The latest turn. */
  runId?: string;
  /** The agent that the next turn names. */
  agent?: string;
}

/** Executes a turn and updates `standing`. */
async function executeTurn(text: string, standing: Standing): Promise<number> {
  const { request, runId = request.continue } = standing;
  const { agent, options } = request;
  return await conductRuns({
    show: { plain: true },
    options,
    toJson: ([result]) => result,
    async begin(cadre): Promise<RunHandle[]> {
      const command = await fillTypedCommand(cadre, text, () => nameCommands(cadre));
      const { notes, ...turn } = command ?? { task: text, notes: [] };
      for (const note of notes) writeError(note);
      const last = runId === undefined ? undefined : await findConversation(cadre, runId);
      const chosen = standing.agent ?? (last === undefined ? agent : undefined);
      const after = command && (await agentAfter(cadre, command, { chosen, last }));
      const images = await mentionedImages(text, process.cwd());
      const own = { ...turn, ...(images.length > 0 && { images }) };
      const named = { ...omitUndefined({ agent: standing.agent }), ...own };
      const next = last?.continue(named) ?? cadre.spawn({ agent: agent ?? "main", ...own });
      const run = await next;
      Object.assign(standing, { runId: run.id }, omitUndefined({ agent: after }));
      return [run];
    },
  });
}

async function nameCommands({ commands }: Pick<Cadre, "commands">): Promise<string> {
  const { commands: found } = await commands.list({ taken: [endLine.slice(1), "exit"] });
  const names = found.map(({ name }) => `/${name}`).join(", ");
  return `The commands are ${endLine}${names === "" ? "" : `, ${names}`}.`;
}
