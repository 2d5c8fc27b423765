import type { Failure } from "../run/failure.ts";
import type { RetryPolicy } from "../run/retry-policy.ts";
import type { JsonObject } from "../source/json.ts";
import { describeUndone } from "../tool/control-file/undo-changes.ts";
import { endingMs, oneLine, type Shell } from "../tool/shell.ts";
import type { Session } from "./session.ts";

/** What commands of a retry policy need. */
export interface CheckOptions {
  /** Asked for when the first command is to be run. */
  openShell: () => Promise<Shell>;
}

const defaultCheckSeconds = 300;
const defaultTidySeconds = 600;
/** The end of a command's output says what went wrong. */
const keptCharacters = 4000;

/** Runs the checks of `retry` in order, as durable steps; returns the failure of the first that is not passed. */
export async function runChecks(
  session: Session,
  options: CheckOptions,
  retry: RetryPolicy,
): Promise<Failure | undefined> {
  const { timeoutSeconds = defaultCheckSeconds } = retry;
  for (const [index, { command }] of retry.checks.entries()) {
    const key = `${session.prefix}check/${index + 1}`;
    const end = await runStep(session, options, { key, what: "Check", command, timeoutSeconds });
    if (!isGood(end)) return toFailure(session.spec.agent, command, describeEnd(end), end);
  }
  return undefined;
}

/** Tidies up after an attempt that was not good; what goes wrong with that is a warning. */
export async function tidyUp(
  session: Session,
  options: CheckOptions,
  retry: RetryPolicy,
): Promise<void> {
  const { onFailure: command, onFailureTimeoutSeconds: timeoutSeconds = defaultTidySeconds } =
    retry;
  if (command === undefined) return;
  const key = `${session.prefix}on-failure`;
  const end = await runStep(session, options, { key, what: "Tidy up", command, timeoutSeconds });
  if (isGood(end)) return;
  session.warnings.add(`The command that tidies up, ${quote(command)}, ${describeEnd(end)}.`);
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

/** One that was interrupted is run again: half a check says nothing, and half a tidying up is none. */
async function runStep(
  session: Session,
  { openShell }: CheckOptions,
  { key, what, command, timeoutSeconds }: CheckCommand,
): Promise<CheckEnd> {
  const { spec, outputFolder, steps, signal, watchdog, warnings } = session;
  const title = `${what}: ${oneLine(command)}`;
  return await steps.do({ key, kind: "tool", title, hasEffect: true }, async () => {
    const shell = await openShell();
    const { id: runId, workspace, policies } = spec;
    const place = { runId, stepKey: key, workspace, outputFolder, signal, policies };
    const timeoutMs = timeoutSeconds * 1000;
    const work = shell.run({ command, timeoutMs }, place);
    const end = await watchdog.expectQuietWhile(timeoutMs + endingMs, work);
    if (end.undone.length > 0) warnings.add(`${title}: ${describeUndone(end.undone)}`);
    // It did not fail; the run is ending.
    signal.throwIfAborted();
    const { exitCode, signal: killedBy, endedBy, text } = end;
    const output = text.trimEnd().slice(-keptCharacters);
    return { value: { exitCode, signal: killedBy, endedBy, timeoutSeconds, output } };
  });
}

function isGood({ exitCode, endedBy }: CheckEnd): boolean {
  return exitCode === 0 && endedBy === null;
}

function describeEnd({ exitCode, signal, endedBy, timeoutSeconds }: CheckEnd): string {
  if (endedBy === "timeout") return `took longer than its ${timeoutSeconds} s`;
  return exitCode === null ? `was killed by ${signal}` : `ended with exit code ${exitCode}`;
}

function toFailure(agent: string, command: string, ended: string, end: CheckEnd): Failure {
  const { exitCode, signal, output } = end;
  const said = output === "" ? "It said nothing." : `It said last:\n${output}`;
  const message = `The check ${quote(command)} of agent ${agent} ${ended}. ${said}`;
  const details: JsonObject = { command, exitCode, signal, output };
  return { code: "output-invalid", message, details };
}

function quote(command: string): string {
  return `\`${oneLine(command)}\``;
}
