import { CadreError } from "../errors.ts";
import type { RunEvent, RunEventType } from "../run/event.ts";
import type { Figures } from "../run/figures.ts";
import { type Run, runStatuses } from "../run/run.ts";
import { DamagedContent } from "./damaged-content.ts";
import type { PositionedEvent } from "./registry.ts";

/** The required type of a stored field. */
type Kind = "string" | "number" | "boolean" | "object" | "array" | "defined";

const kinds: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  defined: (value) => value !== undefined,
};

type Fields = Readonly<Record<string, Kind>>;

const identityFields: Fields = {
  id: "string",
  rootId: "string",
  depth: "number",
  agent: "string",
  task: "string",
  dependsOn: "array",
};

const runFields: Fields = {
  ...identityFields,
  parentId: "defined",
  label: "defined",
  activity: "defined",
  approval: "defined",
  result: "defined",
  createdAt: "number",
  attempts: "number",
  spentMs: "number",
  lastSeq: "number",
  lastEventAt: "number",
};

const usageFields: Fields = { inputTokens: "number", outputTokens: "number" };

const figureFields: Fields = {
  turns: "number",
  toolCalls: "number",
  usage: "object",
  cost: "defined",
};

const resultFields: Fields = {
  runId: "string",
  status: "string",
  text: "string",
  usage: "object",
  cost: "defined",
  turns: "number",
  durationMs: "number",
  warnings: "array",
};

const specFields: Fields = {
  ...identityFields,
  definition: "string",
  timeoutSeconds: "number",
  maxTurns: "number",
  maxDepth: "number",
  workspace: "string",
  policies: "array",
  chain: "array",
  warnings: "array",
};

const eventFields: Readonly<Record<RunEventType, Fields>> = {
  "run-created": { spec: "object" },
  "run-started": { owner: "string" },
  "step-started": { key: "string", title: "string", hasEffect: "boolean" },
  "step-finished": { key: "string", kind: "string", durationMs: "number" },
  "approval-requested": { request: "object" },
  "approval-answered": { stepKey: "string", answer: "object" },
  "request-started": { key: "string", reserved: "object" },
  "request-failed": { key: "string", usage: "object", cost: "defined", isEstimate: "boolean" },
  "model-retried": { key: "string", attempt: "number", delayMs: "number", reason: "string" },
  "model-changed": {
    key: "string",
    from: "string",
    to: "string",
    reason: "string",
    message: "string",
  },
  "conversation-compacted": { turn: "number", removedCharacters: "number" },
  "files-recorded": { remote: "string", commit: "string", folder: "string" },
  "warning-raised": { message: "string" },
  "dependencies-settled": {},
  "message-queued": { message: "object" },
  "messages-delivered": { step: "string", messages: "array" },
  "results-collected": { runIds: "array" },
  "children-awaited": { runIds: "array" },
  "board-changed": { number: "number", key: "string", change: "object" },
  "attempt-failed": { attempt: "number", failure: "object" },
  "result-reused": { from: "string" },
  "cancel-requested": { reason: "string", by: "string" },
  "limits-raised": { id: "string", raise: "object", by: "string" },
  "run-finished": { result: "object" },
};

const statuses: ReadonlySet<string> = new Set(runStatuses);

/**
 * Reads a run from the `state` and `own` of its row.
 *
 * @throws DamagedContent for a row that Cadre cannot have written.
 */
export function readStoredRun(row: Readonly<Record<string, unknown>>): Run {
  const run = parseStored(row["state"], "the row of a run");
  checkFields(run, runFields, "the row of a run");
  const { id, status, result } = run;
  const runId = String(id);
  const own = readFigures(row["own"], runId);
  if (!statuses.has(String(status))) {
    throw new DamagedContent(`run ${runId} has the status ${JSON.stringify(status)}`);
  }
  if (result !== null) checkResult(result, runId);
  return { ...run, own } as unknown as Run;
}

/** Reads the figures of the run `runId` alone. @throws DamagedContent for figures that Cadre cannot have written. */
export function readFigures(text: unknown, runId: string): Figures {
  const what = `the figures of run ${runId}`;
  const own = parseStored(text, what);
  checkFields(own, figureFields, what);
  checkFields(own["usage"], usageFields, what);
  return own as unknown as Figures;
}

/**
 * Reads a row of the journal.
 *
 * @throws DamagedContent for a row that Cadre cannot have written; CadreError `registry-newer` for an event of an unknown type.
 */
export function readEvent(runId: string, row: Readonly<Record<string, unknown>>): RunEvent {
  return toEvent(readBody(runId, row), runId, row);
}

/** Reads a row of the journal of all runs, as {@link readEvent} does. */
export function readPositionedEvent(
  position: string,
  row: Readonly<Record<string, unknown>>,
): PositionedEvent {
  const runId = String(row["run_id"]);
  const body = readBody(runId, row);
  const json = joinStored(String(row["data"]), body, row);
  return { position, event: toEvent(body, runId, row), ...(json !== undefined && { json }) };
}

function toEvent(
  body: Readonly<Record<string, unknown>>,
  runId: string,
  { type, seq, at }: Readonly<Record<string, unknown>>,
): RunEvent {
  return { ...body, type, runId, seq, at } as unknown as RunEvent;
}

/** Returns the stored text of an event with the missing columns added; `undefined` for a text in a different form. */
function joinStored(
  text: string,
  body: Readonly<Record<string, unknown>>,
  { run_id: runId, type, seq, at }: Readonly<Record<string, unknown>>,
): string | undefined {
  const isOwn = body["type"] === type && text.startsWith('{"') && text.endsWith("}");
  if (!isOwn || /[\r\n]/.test(text) || columns.some((name) => name in body)) return undefined;
  return `${text.slice(0, -1)},"runId":${JSON.stringify(runId)},"seq":${String(seq)},"at":${String(at)}}`;
}

const columns = ["runId", "seq", "at"] as const;

function readBody(runId: string, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { type, seq } = row;
  const what = `event ${String(seq)} of run ${runId}`;
  const body = parseStored(row["data"], what);
  const fields = Object.hasOwn(eventFields, String(type))
    ? eventFields[type as RunEventType]
    : undefined;
  if (fields === undefined) throw unknownType(what, type);
  checkFields(body, fields, what);
  if (type === "run-created") checkFields(body["spec"], specFields, what);
  if (type === "run-finished") checkResult(body["result"], runId);
  return body;
}

function unknownType(what: string, type: unknown): CadreError {
  const message = `Expected ${what} to have a type that this Cadre knows; got ${JSON.stringify(type)}. A newer Cadre may have recorded it: update this one. Otherwise the registry is damaged: restore a backup.`;
  return new CadreError("registry-newer", message);
}

/** Reads a stored JSON object. @throws DamagedContent for anything else. */
export function parseStored(text: unknown, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch {
    throw new DamagedContent(`${what} is not JSON`);
  }
  if (!kinds.object(value)) throw new DamagedContent(`${what} is not an object`);
  return value as Record<string, unknown>;
}

function checkResult(result: unknown, runId: string): void {
  const what = `the result of run ${runId}`;
  checkFields(result, resultFields, what);
  checkFields((result as { usage: unknown }).usage, usageFields, what);
}

function checkFields(value: unknown, fields: Fields, what: string): void {
  if (!kinds.object(value)) throw new DamagedContent(`${what} is not an object`);
  for (const [key, kind] of Object.entries(fields)) {
    const field = (value as Record<string, unknown>)[key];
    if (!kinds[kind](field)) throw new DamagedContent(`${what} has a wrong "${key}"`);
  }
}
