// A conversation on a terminal: one line of the user is one turn, and each turn is a run.

import { conductRuns } from "../run/conduct-runs.ts";
import { findConversation } from "../run/continue-run.ts";
import { reportError } from "../error/report-error.ts";
import { readLine } from "../terminal/read-line.ts";
import { writeError } from "../terminal/output.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { RunHandle } from "../../host.ts";

const prompt = "you> ";
const endLine = "/quit";

/**
 * Reads lines from the terminal, and executes each as a turn, until `/quit`, Ctrl-C or Ctrl-D. Returns the exit code of the last
 * turn.
 *
 * @throws what begins no run: CadreError `agent-not-found` or `run-not-found`, for example. Errors of later turns are shown.
 */
export async function converse(request: ChatRequest): Promise<number> {
  let runId: string | undefined;
  let code = 0;
  writeError(`Enter sends a line. ${endLine} or Ctrl-D ends the conversation.`);
  for (;;) {
    const line = await readLine({ input: process.stdin, output: process.stderr }, prompt);
    if (line === undefined || line.trim() === endLine) break;
    if (line.trim() === "") continue;
    const turn = executeTurn(line, { ...request, continue: runId ?? request.continue }, (id) => {
      runId = id;
    });
    code = await turn.catch((error: unknown) => {
      if (runId === undefined) throw error;
      return reportError(error);
    });
  }
  if (runId !== undefined) writeError(`\nGo on with: cadre chat --continue=${runId}`);
  return code;
}

async function executeTurn(
  task: string,
  { agent, continue: named, options }: ChatRequest,
  onStart: (runId: string) => void,
): Promise<number> {
  return await conductRuns({
    show: {},
    options,
    toJson: ([result]) => result,
    async begin(cadre): Promise<RunHandle[]> {
      const before = named === undefined ? undefined : await findConversation(cadre, named);
      const run = await (before?.continue({ task }) ??
        cadre.spawn({ agent: agent ?? "main", task }));
      onStart(run.id);
      return [run];
    },
  });
}
