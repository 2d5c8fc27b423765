import { cleanText } from "./clean-text.ts";
import { createEventDisplay, createLineDisplay, type Display } from "./display.ts";
import { cancelledExit, exitCodeOf } from "./exit-code.ts";
import { type Interrupts, listenForInterrupts } from "./interrupts.ts";
import { openCadre } from "./open-cadre.ts";
import { writeError, writeJson, writeLine } from "./output.ts";
import { createQuestions } from "./question.ts";
import { summarize } from "./summary.ts";
import type { Ask, Cadre, CadreOptions, RunHandle, RunResult } from "../index.ts";

/** How runs are shown; `--json` and `--events` exclude each other. */
export interface ShowOptions {
  json?: boolean;
  events?: boolean;
}

/** What {@link conductRuns} does. */
export interface ConductRequest {
  show: ShowOptions;
  options: CadreOptions;
  /** Starts the runs. */
  begin: (cadre: Cadre) => Promise<RunHandle[]>;
  /** What `--json` writes. */
  toJson: (results: readonly RunResult[]) => unknown;
}

/** Runs under way, for whoever wants to end them. */
interface Conduct {
  handles: RunHandle[];
  isCancelled: boolean;
}

/**
 * Starts runs, shows them until they ended, answers signals and questions meanwhile, and writes the results. Returns the
 * exit code.
 */
export async function conductRuns(request: ConductRequest): Promise<number> {
  const { show, options } = request;
  const { killAllProcesses } = await import("../index.ts");
  const conduct: Conduct = { handles: [], isCancelled: false };
  const isTerminal = process.stderr.isTTY && show.events !== true;
  const interrupts = listenForInterrupts({
    onFirst: () => cancelAll(conduct),
    onSecond() {
      killAllProcesses();
      writeError(`\nEnded at once. ${adviseResume(conduct)}`);
      process.exit(cancelledExit);
    },
  });
  const onBrokenOutput = (): void => cancelAll(conduct);
  process.stdout.once("error", onBrokenOutput);
  let display: Display | undefined;
  const cadre = await openCadre({
    ...options,
    stream: isTerminal,
    ...askOnTerminal(interrupts, () => display),
  });
  try {
    display = await createDisplay(show, isTerminal);
    await runAll(cadre, conduct, { request, display });
    const results = await Promise.all(conduct.handles.map((handle) => handle.result()));
    await display.stop();
    display = undefined;
    await report(cadre, results, request);
    return worstOf(results);
  } finally {
    await display?.stop();
    await cadre.close();
    interrupts.stop();
  }
}

async function runAll(
  cadre: Cadre,
  conduct: Conduct,
  { request, display }: { request: ConductRequest; display: Display },
): Promise<void> {
  cadre.onEvent((event, run) => display.event(event, run));
  cadre.onActivity((activity) => display.activity(activity));
  conduct.handles = await request.begin(cadre);
  // It was wanted while they were being started.
  if (conduct.isCancelled) cancelAll(conduct);
}

/** Ends all runs in good order; what becomes of it shows in their results. */
function cancelAll(conduct: Conduct): void {
  if (!conduct.isCancelled) {
    writeError("\nCancelling; Ctrl-C again ends at once.");
  }
  conduct.isCancelled = true;
  for (const handle of conduct.handles) {
    // A registry that fails is told to those who wait for results.
    handle.cancel("cancelled by the user").catch(() => undefined);
  }
}

function adviseResume({ handles }: Conduct): string {
  const commands = handles.map(({ id }) => `cadre resume ${id}`);
  return commands.length === 0 ? "" : `To continue: ${commands.join(", ")}`;
}

function askOnTerminal(
  interrupts: Interrupts,
  display: () => Display | undefined,
): { onApproval?: Ask } {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return {};
  const onApproval = createQuestions({
    input: process.stdin,
    output: process.stderr,
    pause: async () => await display()?.pause(),
    resume: () => display()?.resume(),
    onInterrupt: interrupts.press,
  });
  return { onApproval };
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
  for (const { runId, text } of results) {
    if (show.json !== true && show.events !== true && text !== "") writeLine(cleanText(text));
    for (const line of summarize(await cadre.tree(runId))) writeError(line);
  }
}

/** The exit code of the first run that did not succeed. */
function worstOf(results: readonly RunResult[]): number {
  return results.map(({ status }) => exitCodeOf(status)).find((code) => code !== 0) ?? 0;
}
