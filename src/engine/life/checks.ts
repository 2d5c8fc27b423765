import type { Failure } from "../../run/failure.ts";
import type { RetryPolicy } from "../../run/retry-policy.ts";
import type { JsonObject } from "../../source/json.ts";
import { describeUndone } from "../../tool/control-file/undo-changes.ts";
import { endingMs, commandTitle, type Shell } from "../../tool/builtin/shell.ts";
import type { RunContext } from "../run-context/run-context.ts";

/** Options of commands in a retry policy. */
export interface CheckOptions {
  /** Called before the first command runs. */
  openShell: () => Promise<Shell>;
}

const defaultCheckSeconds = 300;
const defaultCleanupSeconds = 600;
/** The characters that are kept from the end of a command's output, which says what went wrong. */
const keptCharacters = 4000;

/** Runs the checks of `retry` in order, as durable steps. Returns the failure of the first check that fails. */
export async function runChecks(
  run: RunContext,
  options: CheckOptions,
  retry: RetryPolicy,
): Promise<Failure | undefined> {
  const { timeoutSeconds = defaultCheckSeconds } = retry;
  for (const [index, { command }] of retry.checks.entries()) {
    const key = `${run.prefix}check/${index + 1}`;
    const end = await runStep(run, options, { key, what: "Check", command, timeoutSeconds });
    if (!isGood(end)) return describeFailedCheck(run.spec.agent, command, describeEnd(end), end);
  }
  return undefined;
}

/** Runs the cleanup command after a failed attempt. A failing cleanup is a warning. */
export async function runCleanup(
  run: RunContext,
  options: CheckOptions,
  retry: RetryPolicy,
): Promise<void> {
  const { onFailure: command, onFailureTimeoutSeconds: timeoutSeconds = defaultCleanupSeconds } =
    retry;
  if (command === undefined) return;
  const key = `${run.prefix}on-failure`;
  const end = await runStep(run, options, { key, what: "Tidy up", command, timeoutSeconds });
  if (isGood(end)) return;
  run.warnings.add(`The on_failure command ${quote(command)}, ${describeEnd(end)}.`);
}

/** How a command ended, as it is recorded. */
type CheckEnd = {
  exitCode: number | null;
  signal: string | null;
  endedBy: "timeout" | "cancel" | null;
  timeoutSeconds: number;
  output: string;
};

interface CheckCommand {
  key: string;
  what: string;
  command: string;
  timeoutSeconds: number;
}

/** Runs an interrupted command again, because half a check proves nothing. */
async function runStep(
  run: RunContext,
  { openShell }: CheckOptions,
  { key, what, command, timeoutSeconds }: CheckCommand,
): Promise<CheckEnd> {
  const { spec, outputFolder, steps, signal, watchdog, warnings } = run;
  const title = `${what}: ${commandTitle(command)}`;
  const step = { key, kind: "tool", title, hasEffect: true, call: { tool: "Bash" } } as const;
  return await steps.do(step, async () => {
    const shell = await openShell();
    const { id: runId, workspace, policies } = spec;
    const shellContext = { runId, stepKey: key, workspace, outputFolder, signal, policies };
    const timeoutMs = timeoutSeconds * 1000;
    const work = shell.run({ command, timeoutMs }, shellContext);
    const end = await watchdog.allowSilence(timeoutMs + endingMs, work);
    const { undone } = end;
    const warning = undone.length === 0 ? undefined : `${title}: ${describeUndone(undone)}`;
    if (warning !== undefined) warnings.add(warning);
    // The check did not fail; the run is ending.
    signal.throwIfAborted();
    const { exitCode, signal: killedBy, endedBy, text } = end;
    const output = text.trimEnd().slice(-keptCharacters);
    return { value: { exitCode, signal: killedBy, endedBy, timeoutSeconds, output }, warning };
  });
}

function isGood({ exitCode, endedBy }: CheckEnd): boolean {
  return exitCode === 0 && endedBy === null;
}

function describeEnd({ exitCode, signal, endedBy, timeoutSeconds }: CheckEnd): string {
  if (endedBy === "timeout") return `took longer than its ${timeoutSeconds} s`;
  return exitCode === null ? `was killed by ${signal}` : `ended with exit code ${exitCode}`;
}

function describeFailedCheck(
  agent: string,
  command: string,
  ended: string,
  end: CheckEnd,
): Failure {
  const { exitCode, signal, output } = end;
  const shown = output === "" ? "It printed nothing." : `Its last output:\n${output}`;
  const message = `The check ${quote(command)} of agent ${agent} ${ended}. ${shown}`;
  const details: JsonObject = { command, exitCode, signal, output };
  return { code: "output-invalid", message, details };
}

function quote(command: string): string {
  return `\`${commandTitle(command)}\``;
}
