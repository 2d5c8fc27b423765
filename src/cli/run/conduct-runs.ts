// Runs of a command: opens Cadre, starts or resumes runs, and follows them to their end.

import { createForms } from "../terminal/answer-form.ts";
import { createParameterQuestions } from "../terminal/ask-parameter.ts";
import type { Display } from "../view/display.ts";
import { cancelledExit } from "../error/exit-code.ts";
import { type Interrupts, listenForInterrupts } from "../terminal/interrupts.ts";
import { saveRule } from "./save-rule.ts";
import { openAsConfigured, reportFindings } from "./open-cadre.ts";
import { writeError } from "../terminal/output.ts";
import { createQuestions } from "../terminal/question.ts";
import { createQuestionTerminal } from "../terminal/question-terminal.ts";
import { createDisplay, reportResults, type ShowOptions, worstOf } from "./show-results.ts";
import type { Cadre, CadreOptions, EngineName, RunHandle, RunResult } from "../../host.ts";

/** Options of {@link conductRuns}. */
export interface ConductRequest {
  show: ShowOptions;
  options: CadreOptions;
  /** Starts the runs; `note` shows the user messages while they start. */
  begin: (cadre: Cadre, note: Display["note"]) => Promise<RunHandle[]>;
  /** Returns the value that `--json` writes. */
  toJson: (results: readonly RunResult[]) => unknown;
  /**
   * Returns the action that replaces the execution in this process when the setting `engine` has this value. `undefined`, or without
   * this function: this process executes the runs. An error ends the command.
   */
  instead?: (engine: EngineName) => (() => Promise<number>) | undefined;
}

/** Active runs and the means to end them. */
interface Conduct {
  handles: RunHandle[];
  display?: Display | undefined;
  /** Why the runs are cancelled, once they are. */
  cancelReason?: string;
  /** The root of each run's family, by the run's id. */
  roots: Map<string, string>;
}

/**
 * Starts runs, shows them until they have ended, handles signals and questions, and writes the results. Returns the exit
 * code.
 */
export async function conductRuns(request: ConductRequest): Promise<number> {
  const { options } = request;
  const conduct: Conduct = { handles: [], roots: new Map() };
  const interrupts = await listen(conduct);
  const cadre = await openAsConfigured({
    ...options,
    ...askOnTerminal(interrupts, conduct),
  });
  let instead: (() => Promise<number>) | undefined;
  try {
    instead = request.instead?.(cadre.configuration.config.engine);
    if (instead === undefined) return await execute(cadre, conduct, request);
  } finally {
    await endDisplay(conduct);
    await cadre.close();
    interrupts.stop();
  }
  return await instead();
}

async function execute(cadre: Cadre, conduct: Conduct, request: ConductRequest): Promise<number> {
  const { show } = request;
  await reportFindings(cadre);
  const isTerminal = process.stderr.isTTY && show.events !== true;
  conduct.display = await createDisplay(show, isTerminal);
  if (!(await begin(cadre, conduct, request))) return cancelledExit;
  await Promise.all(conduct.handles.map((handle) => handle.result()));
  // Detached runs may outlive their parents; their usage counts too.
  await cadre.idle();
  const results = await Promise.all(conduct.handles.map(readResult));
  await endDisplay(conduct);
  await reportResults(cadre, results, request);
  return worstOf(results);
}

async function readResult(handle: RunHandle): Promise<RunResult> {
  return (await handle.state()).result ?? (await handle.result());
}

async function listen(conduct: Conduct): Promise<Interrupts> {
  const { killAllProcesses } = await import("../../host.ts");
  // The reader of the output is gone (`| head`).
  const onGone = (): void => cancelAll(conduct, "the reader of the command's output closed it");
  process.stdout.on("error", onGone);
  const interrupts = listenForInterrupts({
    onFirst() {
      conduct.display?.note("Cancelling; Ctrl-C again ends at once.");
      cancelAll(conduct, "cancelled by the user");
    },
    onSecond() {
      killAllProcesses();
      writeError(`\nEnded at once. ${adviseResume(conduct)}`);
      process.exit(cancelledExit);
    },
  });
  return {
    press: interrupts.press,
    stop() {
      process.stdout.off("error", onGone);
      interrupts.stop();
    },
  };
}

/** Starts the runs. Returns `false` when the user cancelled before a run existed. */
async function begin(cadre: Cadre, conduct: Conduct, request: ConductRequest): Promise<boolean> {
  const { display, roots } = conduct;
  cadre.onEvent((event, run) => {
    roots.set(run.id, run.rootId);
    display?.event(event, run);
  });
  // Replies are streamed only to listeners, so only a display that shows them listens.
  if (display?.activity !== undefined) {
    cadre.onActivity((activity) => conduct.display?.activity?.(activity));
  }
  try {
    conduct.handles = await request.begin(cadre, (line) => conduct.display?.note(line));
  } catch (error) {
    if (conduct.cancelReason !== undefined) return false;
    throw error;
  }
  // The user cancelled while the runs were being started.
  if (conduct.cancelReason !== undefined) cancelHandles(conduct, conduct.cancelReason);
  for (const { id } of conduct.handles) display?.take(await cadre.tree(id));
  display?.colorAgents?.((await cadre.agents()).agents);
  return true;
}

async function endDisplay(conduct: Conduct): Promise<void> {
  const { display } = conduct;
  conduct.display = undefined;
  conduct.handles = [];
  await display?.stop();
}

/** Cancels all runs gracefully; their results show the outcome. */
function cancelAll(conduct: Conduct, reason: string): void {
  if (conduct.cancelReason !== undefined) return;
  conduct.cancelReason = reason;
  cancelHandles(conduct, reason);
}

function cancelHandles({ handles }: Conduct, reason: string): void {
  for (const handle of handles) {
    // A registry failure is reported where the results are awaited.
    handle.cancel(reason).catch(() => undefined);
  }
}

function adviseResume({ handles }: Conduct): string {
  const commands = handles.map(({ id }) => `cadre resume ${id}`);
  return commands.length === 0 ? "" : `To complete it, run: ${commands.join(", ")}`;
}

/** Returns options that ask the user on the terminal, if there is one. */
function askOnTerminal(
  interrupts: Interrupts,
  conduct: Conduct,
): Pick<CadreOptions, "onApproval" | "onElicit" | "onParameter"> {
  const terminal = createQuestionTerminal({
    input: process.stdin,
    output: process.stderr,
    pause: async () => await conduct.display?.pause(),
    resume: () => conduct.display?.resume(),
    onInterrupt: interrupts.press,
  });
  if (terminal === undefined) return {};
  return {
    onApproval: createQuestions({
      terminal,
      rootOf: (runId) => conduct.roots.get(runId) ?? runId,
      saveRule,
    }),
    onElicit: createForms(terminal),
    onParameter: createParameterQuestions(terminal),
  };
}
