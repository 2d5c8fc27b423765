import type { AgentCall } from "../../acp-runner/agent-update.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { CallPermission } from "../../run/permission.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { cutMiddle } from "../../tool/output/output-cap.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import { recordFiles } from "../run-context/record-files.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { RunFailed } from "../run-failed.ts";
import { titleOfCall } from "./call-title.ts";
import { readChangedFiles } from "./files.ts";

/** Records the tool calls that a runner reports in one turn. */
export interface CallJournal {
  /**
   * Records a report. Returns the key and title of the call's step when the step starts. A call that was only announced starts
   * with its next report.
   */
  note(call: AgentCall): { key: string; title: string } | undefined;
  /** Adds to the record of a call how it was allowed or denied without a question. The last decision counts. */
  decided(id: string, permission: CallPermission): void;
  /** Records that a call was refused, with the warning in the run's result about it. */
  refuse(id: string, reason: string, warning?: string): void;
  /** Returns the step key for an action that the runner asks Cadre to do. */
  nextKey(): string;
  /** Returns all reported facts about a call. */
  known(id: string): AgentCall | undefined;
  /** Ends the turn and its calls. Resolves when that is recorded. */
  close(): Promise<void>;
}

/** The maximum recorded output of a runner's tool, in characters. The record is for people; the runner has the whole output. */
const outcomeCharacters = 10_000;
/** The maximum number of calls in one turn. An agent that makes more is out of control. */
const maxCalls = 5000;
/** How long a runner may be silent while one of its tools runs; the same time as for a command of Cadre. */
const quietMs = 10 * 60 * 1000;

const harmless: ReadonlySet<string> = new Set(["read", "search", "think", "fetch"]);

interface OpenCall {
  key: string;
  call: AgentCall;
  startedAt: number;
  isDone: boolean;
  permission?: CallPermission;
  warning?: string | undefined;
  end: () => void;
}

/** Creates the journal of a turn's calls. Step keys are `keys` and a number, from `first` on. */
export function createCallJournal(
  run: RunContext,
  { keys, first, now }: { keys: string; first: number; now: () => number },
): CallJournal {
  const { registry, spec, budget, watchdog } = run;
  const calls = new Map<string, OpenCall>();
  const announced = createAnnouncements();
  const outcomes = createOutcomes(run);
  let next = first;
  const nextKey = (): string => `${keys}${next++}`;

  function begin(call: AgentCall): OpenCall {
    if (calls.size + announced.size >= maxCalls) throw tooMany(spec.agent);
    budget.callTool();
    const key = nextKey();
    const { promise, resolve } = Promise.withResolvers<void>();
    void watchdog.allowSilence(quietMs, promise);
    const open = { key, call, startedAt: now(), isDone: false, end: resolve };
    calls.set(call.id, open);
    const hasEffect = !harmless.has(call.kind ?? "");
    const title = titleOfCall(call);
    registry.append(spec.id, { type: "step-started", key, title, hasEffect, tool: toolOf(call) });
    return open;
  }

  function finish(open: OpenCall, outcome: ToolOutcome): void {
    open.isDone = true;
    open.end();
    outcomes.add(open, outcome, Math.round(now() - open.startedAt));
  }

  return {
    note(report) {
      const before = calls.get(report.id);
      const update = before === undefined ? announced.complete(report) : report;
      if (update === undefined) return undefined;
      const open = before ?? begin(update);
      if (open.isDone) return undefined;
      if (before !== undefined) open.call = join(before.call, update);
      const { status, part, text = part ?? titleOfCall(open.call) } = open.call;
      const isError = status === "failed";
      if (isError || status === "completed") {
        finish(open, { text: cut(text), ...(isError && { isError }) });
      }
      return before === undefined ? { key: open.key, title: titleOfCall(update) } : undefined;
    },
    nextKey,
    decided: (id, permission) => void Object.assign(calls.get(id) ?? {}, { permission }),
    refuse(id, reason, warning) {
      const open = calls.get(id);
      if (open?.isDone === false) finish(Object.assign(open, { warning }), toDenial(reason));
    },
    known: (id) => calls.get(id)?.call ?? announced.get(id),
    async close() {
      for (const call of announced.take()) begin(call);
      for (const open of calls.values()) {
        if (!open.isDone) finish(open, { text: "The turn ended before it did.", isError: true });
      }
      await outcomes.written();
    },
  };
}

function toDenial(reason: string): ToolOutcome {
  return { text: `Permission denied: ${reason}.`, isError: true };
}

/** Returns the name of a call's tool, or the kind of call. */
export function toolOf({ name, kind = "tool" }: AgentCall): string {
  return name ?? kind;
}

/** Merges a report into the known state of a call. */
function join(before: AgentCall, update: AgentCall): AgentCall {
  const part = `${before.part ?? ""}${update.part ?? ""}`.slice(0, 2 * outcomeCharacters);
  return { ...before, ...update, ...(part !== "" && { part }) };
}

/** Tracks calls that were only announced. */
function createAnnouncements(): {
  readonly size: number;
  get(id: string): AgentCall | undefined;
  /** Merges a report with its announcement; `undefined` while the call is only announced. */
  complete(report: AgentCall): AgentCall | undefined;
  /** Returns and removes calls that were only announced. */
  take(): AgentCall[];
} {
  const calls = new Map<string, AgentCall>();
  return {
    get size() {
      return calls.size;
    },
    get: (id) => calls.get(id),
    complete(report) {
      const before = calls.get(report.id);
      if (before === undefined && isAnnouncement(report)) {
        calls.set(report.id, report);
        return undefined;
      }
      calls.delete(report.id);
      return { ...before, ...report };
    },
    take() {
      const left = [...calls.values()];
      calls.clear();
      return left;
    },
  };
}

/** Some agents announce a call first and report its title and arguments later. */
function isAnnouncement({ status, input, paths = [], text }: AgentCall): boolean {
  // A location alone does not describe a call.
  const given: JsonObject = isRecord(input) ? input : { input: input ?? null };
  const isAbout = paths.some((path) => path !== given["cwd"]);
  const hasInput = Object.entries(given).some(([name, value]) => name !== "cwd" && value !== null);
  return status === "pending" && !hasInput && !isAbout && text === undefined;
}

/** Records outcomes one after another, after reading the changed files. */
function createOutcomes(run: RunContext): {
  add(call: OpenCall, outcome: ToolOutcome, durationMs: number): void;
  /** Resolves when all outcomes are recorded. */
  written(): Promise<void>;
} {
  const { registry, spec } = run;
  let last: Promise<void> = Promise.resolve();

  async function write(
    before: Promise<void>,
    { key, call, permission, warning }: OpenCall,
    end: CallEnd,
  ): Promise<void> {
    await before;
    const value = await withFiles(run, end.outcome, call);
    const { durationMs } = end;
    const files = await recordFiles(run, { runId: spec.id, step: key });
    registry.append(spec.id, {
      type: "step-finished",
      key,
      kind: "tool",
      value,
      durationMs,
      ...files,
      ...omitUndefined({ permission, warning }),
    });
  }

  return {
    add(call, outcome, durationMs) {
      last = write(last, call, { outcome, durationMs });
      // `close` reports the error.
      last.catch(() => undefined);
    },
    written: () => last,
  };
}

interface CallEnd {
  outcome: ToolOutcome;
  durationMs: number;
}

/** Adds the current content of the changed files to an outcome. */
async function withFiles(
  run: RunContext,
  outcome: ToolOutcome,
  { changed = [] }: AgentCall,
): Promise<JsonObject> {
  const files = await readChangedFiles(run, outcome.isError === true ? [] : changed);
  const whole: ToolOutcome = { ...outcome, ...(files.length > 0 && { files }) };
  return whole as unknown as JsonObject;
}

function cut(text: string): string {
  const { length } = text;
  if (length <= outcomeCharacters) return text;
  const rest = "The agent has the whole.";
  return cutMiddle({ head: text, tail: text, length, limit: outcomeCharacters, rest });
}

function tooMany(agent: string): RunFailed {
  const message = `Agent ${agent} made more than ${maxCalls} calls in one turn of its runner. Give it a smaller task.`;
  return new RunFailed({ code: "limit-exceeded", message });
}
