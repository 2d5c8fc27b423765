import {
  appendRecording,
  readRecording,
  type RecordedLine,
  type StoredReply,
} from "./recording-file.ts";
import { keyOf, previousLength, type RequestRecord } from "./request-record.ts";

/** The replies of a recording. Each is given out once. */
export interface Recording {
  readonly file: string;
  /** Returns the next reply to this request; `undefined` when none is left. */
  take(request: RequestRecord): StoredReply | undefined;
  /** Returns how many replies to this request are recorded. */
  count(request: RequestRecord): number;
  /** Writes a reply to the file. This object does not give it out. */
  add(request: RequestRecord, model: string, reply: StoredReply): Promise<void>;
  /** Returns every recorded request with all of its messages. */
  requests(): RequestRecord[];
}

/**
 * Opens a recording. A missing file counts as empty if `mayBeMissing`.
 *
 * @throws CadreError `model-unavailable` as {@link readRecording}.
 */
export async function openRecording(file: string, mayBeMissing: boolean): Promise<Recording> {
  const requests = new Map<string, RequestRecord>();
  const replies = new Map<string, StoredReply[]>();
  const taken = new Map<string, number>();
  const keep = ({ key, after, request, reply }: RecordedLine): void => {
    const before = after === undefined ? [] : (requests.get(after)?.messages ?? []);
    requests.set(key, { ...request, messages: [...before, ...request.messages] });
    replies.set(key, [...(replies.get(key) ?? []), reply]);
  };
  for (const line of await readRecording(file, mayBeMissing)) keep(line);

  return {
    file,
    take(request) {
      const key = keyOf(request);
      const index = taken.get(key) ?? 0;
      const reply = replies.get(key)?.[index];
      if (reply !== undefined) taken.set(key, index + 1);
      return reply;
    },
    count: (request) => replies.get(keyOf(request))?.length ?? 0,
    async add(request, model, reply) {
      const length = previousLength(request);
      const before = keyOf(request, length);
      const key = keyOf(request);
      // A conversation is written once: each line holds only its new messages.
      const isContinued = length > 0 && requests.has(before);
      const messages = isContinued ? request.messages.slice(length) : request.messages;
      const line = { key, ...(isContinued && { after: before }), model, reply };
      await appendRecording(file, { ...line, request: { ...request, messages } });
      keep({ ...line, request: { ...request, messages } });
      taken.set(key, (taken.get(key) ?? 0) + 1);
    },
    requests: () => [...requests.values()],
  };
}
