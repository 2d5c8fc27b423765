import { createForms } from "./answer-form.ts";
import { createParameterQuestions } from "./ask-parameter.ts";
import { createEventDisplay, createLineDisplay, type Display } from "./display.ts";
import { cancelledExit, exitCodeOf } from "./exit-code.ts";
import { type Interrupts, listenForInterrupts } from "./interrupts.ts";
import { openCadre } from "./open-cadre.ts";
import { writeError, writeJson, writeLine } from "./output.ts";
import { createQuestions } from "./question.ts";
import { createQuestionTerminal } from "./question-terminal.ts";
import { shownText } from "./result/shown-text.ts";
import { summarize } from "./summary.ts";
import type { Cadre, CadreOptions, RunHandle, RunResult } from "../index.ts";

/** How runs are shown; `--json` and `--events` exclude each other. */
export interface ShowOptions {
  json?: boolean;
  events?: boolean;
}

/** What {@link conductRuns} does. */
export interface ConductRequest {
  show: ShowOptions;
  options: CadreOptions;
  /** Starts the runs; `note` tells the user something meanwhile. */
  begin: (cadre: Cadre, note: Display["note"]) => Promise<RunHandle[]>;
  /** What `--json` writes. */
  toJson: (results: readonly RunResult[]) => unknown;
}

/** Runs under way, for whoever wants to end them. */
interface Conduct {
  handles: RunHandle[];
  display?: Display | undefined;
  isCancelled: boolean;
  /** The root of each run's family, by the run's id. */
  roots: Map<string, string>;
}

/**
 * Starts runs, shows them until they ended, answers signals and questions meanwhile, and writes the results. Returns the
 * exit code.
 */
export async function conductRuns(request: ConductRequest): Promise<number> {
  const { show, options } = request;
  const conduct: Conduct = { handles: [], isCancelled: false, roots: new Map() };
  const isTerminal = process.stderr.isTTY && show.events !== true;
  const interrupts = await listen(conduct);
  const cadre = await openCadre({
    ...options,
    stream: isTerminal,
    ...askOnTerminal(interrupts, conduct),
  });
  try {
    conduct.display = await createDisplay(show, isTerminal);
    if (!(await begin(cadre, conduct, request))) return cancelledExit;
    await Promise.all(conduct.handles.map((handle) => handle.result()));
    // Some may be meant to outlive those who started them; what they take counts as well.
    await cadre.idle();
    const results = await Promise.all(conduct.handles.map(readResult));
    await endDisplay(conduct);
    await report(cadre, results, request);
    return worstOf(results);
  } finally {
    await endDisplay(conduct);
    await cadre.close();
    interrupts.stop();
  }
}

async function readResult(handle: RunHandle): Promise<RunResult> {
  return (await handle.state()).result ?? (await handle.result());
}

async function listen(conduct: Conduct): Promise<Interrupts> {
  const { killAllProcesses } = await import("../index.ts");
  // Whoever wanted to read the output has gone (`| head`).
  const onGone = (): void => cancelAll(conduct);
  process.stdout.on("error", onGone);
  const interrupts = listenForInterrupts({
    onFirst() {
      conduct.display?.note("Cancelling; Ctrl-C again ends at once.");
      cancelAll(conduct);
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

/** `false`: it was cancelled before there was a run. */
async function begin(cadre: Cadre, conduct: Conduct, request: ConductRequest): Promise<boolean> {
  const { display, roots } = conduct;
  cadre.onEvent((event, run) => {
    roots.set(run.id, run.rootId);
    display?.event(event, run);
  });
  cadre.onActivity((activity) => display?.activity(activity));
  try {
    conduct.handles = await request.begin(cadre, (line) => conduct.display?.note(line));
  } catch (error) {
    if (conduct.isCancelled) return false;
    throw error;
  }
  // It was wanted while they were being started.
  if (conduct.isCancelled) cancelHandles(conduct);
  for (const { id } of conduct.handles) display?.take(await cadre.tree(id));
  return true;
}

async function endDisplay(conduct: Conduct): Promise<void> {
  const { display } = conduct;
  conduct.display = undefined;
  conduct.handles = [];
  await display?.stop();
}

/** Ends all runs in good order; what becomes of it shows in their results. */
function cancelAll(conduct: Conduct): void {
  if (conduct.isCancelled) return;
  conduct.isCancelled = true;
  cancelHandles(conduct);
}

function cancelHandles({ handles }: Conduct): void {
  for (const handle of handles) {
    // A registry that fails is told to those who wait for results.
    handle.cancel("cancelled by the user").catch(() => undefined);
  }
}

function adviseResume({ handles }: Conduct): string {
  const commands = handles.map(({ id }) => `cadre resume ${id}`);
  return commands.length === 0
    ? ""
    : `What is unfinished is brought to its end by: ${commands.join(", ")}`;
}

/** Where nobody sits at a terminal, nobody is asked. */
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
    onApproval: createQuestions(terminal, (runId) => conduct.roots.get(runId) ?? runId),
    onElicit: createForms(terminal),
    onParameter: createParameterQuestions(terminal),
  };
}

async function createDisplay(show: ShowOptions, isTerminal: boolean): Promise<Display> {
  if (show.events === true) return createEventDisplay();
  if (!isTerminal) return createLineDisplay();
  const { createLiveTree } = await import("./live-tree.ts");
  return createLiveTree(process.stderr);
}

async function report(
  cadre: Cadre,
  results: readonly RunResult[],
  { show, toJson }: ConductRequest,
): Promise<void> {
  if (show.json === true) writeJson(toJson(results));
  for (const result of results) {
    const isShown = show.json !== true && show.events !== true && result.text !== "";
    if (isShown) writeLine(shownText(result, process.stdout.isTTY));
    for (const line of summarize(await cadre.tree(result.runId))) writeError(line);
  }
}

/** The exit code of the first run that did not succeed. */
function worstOf(results: readonly RunResult[]): number {
  return results.map(({ status }) => exitCodeOf(status)).find((code) => code !== 0) ?? 0;
}
