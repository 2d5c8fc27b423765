/** One server-sent event. `data` is sent as JSON. */
export interface SentEvent {
  /** The position from which a reader can continue. Absent when the stream cannot be continued. */
  id?: string;
  type?: string;
  data: unknown;
  /** `data` as JSON on one line, if it is already serialized. */
  json?: string | undefined;
}

/** Formats an event for the stream. */
export function formatSentEvent({ id, type, data, json }: SentEvent): string {
  const head = `${id === undefined ? "" : `id: ${id}\n`}${type === undefined ? "" : `event: ${type}\n`}`;
  return `${head}data: ${json ?? JSON.stringify(data)}\n\n`;
}
