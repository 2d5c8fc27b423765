import type { AgentCall } from "../../acp-runner/agent-update.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { cutMiddle } from "../../tool/output-cap.ts";
import type { ToolOutcome } from "../../tool/tool.ts";
import type { Session } from "../session.ts";
import { RunFailed } from "../to-failure.ts";
import { titleOfCall } from "./call-title.ts";
import { lookAtChanged } from "./files.ts";

/** The calls that a runner reports in one turn, in the journal of its run. */
export interface CallJournal {
  /**
   * Takes in a report; returns the key and the title of the call's step when that begins. A call that was only announced, with
   * nothing said about it, begins with the next report.
   */
  hear(call: AgentCall): { key: string; title: string } | undefined;
  /** A call that was asked about may not go on. */
  refuse(id: string, reason: string): void;
  /** The key of a step for what the runner has Cadre do. */
  nextKey(): string;
  /** All that is known of a call. */
  known(id: string): AgentCall | undefined;
  /** The turn has ended, and so have its calls; resolves when that is written. */
  close(): Promise<void>;
}

/** The characters of what a tool of a runner gave: for people only, the runner has the whole. */
const outcomeCharacters = 10_000;
/** The calls of one turn; more are a sign of an agent that runs away. */
const mostCalls = 5000;
/** How long a runner may show no sign of life while one of its tools is at work: as long as a command of Cadre's own. */
const quietMs = 10 * 60 * 1000;

const harmless: ReadonlySet<string> = new Set(["read", "search", "think", "fetch"]);

interface OpenCall {
  key: string;
  call: AgentCall;
  startedAt: number;
  isDone: boolean;
  end: () => void;
}

/** The journal of the calls of a turn; the keys of their steps are `keys` and a number, from `first` on. */
export function createCallJournal(
  session: Session,
  { keys, first, now }: { keys: string; first: number; now: () => number },
): CallJournal {
  const { registry, spec, budget, watchdog } = session;
  const calls = new Map<string, OpenCall>();
  const announced = createAnnouncements();
  const outcomes = createOutcomes(session);
  let next = first;
  const nextKey = (): string => `${keys}${next++}`;

  function begin(call: AgentCall): OpenCall {
    if (calls.size + announced.size >= mostCalls) throw tooMany(spec.agent);
    budget.callTool();
    const key = nextKey();
    const { promise, resolve } = Promise.withResolvers<void>();
    void watchdog.expectQuietWhile(quietMs, promise);
    const open = { key, call, startedAt: now(), isDone: false, end: resolve };
    calls.set(call.id, open);
    const hasEffect = !harmless.has(call.kind ?? "");
    registry.append(spec.id, { type: "step-started", key, title: titleOfCall(call), hasEffect });
    return open;
  }

  function finish(open: OpenCall, outcome: ToolOutcome): void {
    open.isDone = true;
    open.end();
    outcomes.add(open, outcome, Math.round(now() - open.startedAt));
  }

  return {
    hear(report) {
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
    refuse(id, reason) {
      const open = calls.get(id);
      if (open?.isDone === false) {
        finish(open, { text: `Permission denied: ${reason}.`, isError: true });
      }
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

/** What is known of a call with one more report of it. */
function join(before: AgentCall, update: AgentCall): AgentCall {
  const part = `${before.part ?? ""}${update.part ?? ""}`.slice(0, 2 * outcomeCharacters);
  return { ...before, ...update, ...(part !== "" && { part }) };
}

/** Calls that were only announced. */
function createAnnouncements(): {
  readonly size: number;
  get(id: string): AgentCall | undefined;
  /** The call with what was said before; `undefined` when that is no more than that there will be one. */
  complete(report: AgentCall): AgentCall | undefined;
  /** Those that nothing more was said of; they are forgotten. */
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

/** Some say at first only that there will be a call: its title and arguments follow. */
function isAnnouncement({ status, input, paths = [], text }: AgentCall): boolean {
  // Where it will be done does not say what.
  const given: JsonObject = isRecord(input) ? input : { input: input ?? null };
  const isAbout = paths.some((path) => path !== given["cwd"]);
  const hasInput = Object.entries(given).some(([name, value]) => name !== "cwd" && value !== null);
  return status === "pending" && !hasInput && !isAbout && text === undefined;
}

/** Writes outcomes one after another: what was changed is looked at first. */
function createOutcomes(session: Session): {
  add(call: OpenCall, outcome: ToolOutcome, durationMs: number): void;
  /** Resolves when all are written. */
  written(): Promise<void>;
} {
  const { registry, spec } = session;
  let last: Promise<void> = Promise.resolve();

  async function write(
    before: Promise<void>,
    { key, call }: OpenCall,
    end: CallEnd,
  ): Promise<void> {
    await before;
    const value = await withFiles(session, end.outcome, call);
    const { durationMs } = end;
    registry.append(spec.id, { type: "step-finished", key, kind: "tool", value, durationMs });
  }

  return {
    add(call, outcome, durationMs) {
      last = write(last, call, { outcome, durationMs });
      // Whoever closes the journal sees it; until then nobody has to.
      last.catch(() => undefined);
    },
    written: () => last,
  };
}

interface CallEnd {
  outcome: ToolOutcome;
  durationMs: number;
}

/** An outcome with the files that were changed, as they are now. */
async function withFiles(
  session: Session,
  outcome: ToolOutcome,
  { changed = [] }: AgentCall,
): Promise<JsonObject> {
  const files = await lookAtChanged(session, outcome.isError === true ? [] : changed);
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
  const message = `Agent ${agent} made more than ${mostCalls} calls in one turn of its runner. Give it a smaller task.`;
  return new RunFailed({ code: "limit-exceeded", message });
}
