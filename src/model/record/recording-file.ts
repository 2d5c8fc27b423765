/** The file of a recording: a line of JSON for each reply. */

import { appendFile, readFile } from "node:fs/promises";
import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { isRecord, parseJson } from "../../source/json.ts";
import type { ProviderResult } from "../request/collect-stream.ts";
import type { RequestRecord } from "./request-record.ts";
import { jsonValue } from "../../source/json-value.ts";

/** The format version that this Cadre reads and writes. */
const version = 2;

/** The recorded part of a provider's answer. */
export type StoredReply = Required<
  Pick<ProviderResult, "content" | "finishReason" | "usage" | "warnings">
>;

/** One line: a request and its reply. */
export interface RecordedLine {
  key: string;
  /** The key of the recorded request that the conversation continues. `request.messages` holds only the later messages. */
  after?: string;
  request: RequestRecord;
  /** The model that replied, for readers of the file. */
  model: string;
  reply: StoredReply;
}

const lineSchema = z.strictObject({
  version: z.literal(version),
  key: z.string(),
  after: z.string().optional(),
  model: z.string(),
  request: z.strictObject({
    tools: z.record(z.string(), z.string()),
    settings: z.record(z.string(), jsonValue),
    messages: z.array(jsonValue),
  }),
  reply: z.looseObject({
    content: z.array(z.looseObject({ type: z.string() })),
    finishReason: z.looseObject({ unified: z.string() }),
    usage: z.looseObject({ inputTokens: z.looseObject({}), outputTokens: z.looseObject({}) }),
    warnings: z.array(z.looseObject({ type: z.string() })),
  }),
});

/**
 * Reads a recording. A missing file counts as empty if `mayBeMissing`.
 *
 * @throws CadreError `model-unavailable` for an unreadable file, a truncated or invalid line, or another version.
 */
export async function readRecording(file: string, mayBeMissing: boolean): Promise<RecordedLine[]> {
  const text = await readText(file, mayBeMissing);
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const isCut = index === lines.length - 1 && parseJson(line) === undefined;
    return isCut ? refuseCut(file, index + 1) : readLine(line, file, index + 1);
  });
}

/** Appends a line in a single write, so that several processes may record to one file. */
export async function appendRecording(file: string, line: RecordedLine): Promise<void> {
  try {
    await appendFile(file, `${JSON.stringify({ version, ...line })}\n`);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new CadreError(
      "invalid-argument",
      `Expected a writable file at ${file}, got ${code}. Create its folder, or record to another file.`,
    );
  }
}

async function readText(file: string, mayBeMissing: boolean): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT" && mayBeMissing) return "";
    const advice = `Make one with the model record:${file}=MODEL`;
    throw unreadable(file, `it could not be read (${code}). ${advice}`);
  }
}

function readLine(text: string, file: string, number: number): RecordedLine {
  const value = parseJson(text);
  const written = isRecord(value) ? (value["version"] ?? ("hash" in value ? 1 : undefined)) : null;
  if (typeof written === "number" && written !== version) {
    const problem = `line ${number} has version ${written} of the format, and this Cadre reads version ${version}`;
    throw unreadable(file, `${problem}. Delete the file, and record it again`);
  }
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return parsed.data as unknown as RecordedLine;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` (${issue.path.join(".")})`;
  throw unreadable(
    file,
    `line ${number} is not a recorded reply${where}. Delete the line, or record the file again`,
  );
}

function refuseCut(file: string, number: number): never {
  throw unreadable(
    file,
    `line ${number}, the last one, is cut off. Delete the line, or record the file again`,
  );
}

function unreadable(file: string, why: string): CadreError {
  return new CadreError("model-unavailable", `Expected a recording at ${file}, but ${why}.`, {
    details: { kind: "recording-invalid" },
  });
}
