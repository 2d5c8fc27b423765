// Replies and outputs that are arriving: held for readers of this process, and sent to readers of others.

import type { Clock } from "../../clock.ts";
import type { LiveChannel } from "../../registry/live-channel.ts";
import type { Activities } from "./activities.ts";
import { parseReaderMessage, readersTopic, startsTopic, writePieces } from "./live-message.ts";
import { createOutputPieces, type SentCharacters } from "./output-pieces.ts";

/** The options of {@link shareOutput}. */
export interface ShareOptions {
  activities: Pick<Activities, "watch" | "replies" | "outputs">;
  live: LiveChannel;
  clock: Pick<Clock, "scheduleIdly" | "monotonic">;
}

/** How long arriving output is collected before it is sent, in milliseconds. */
const collectMs = 100;
/** How long a run counts as read after the reader's last announcement, in milliseconds. */
const readMs = 10_000;

/** Another process that reads runs of this one. */
interface Reader {
  session: string;
  /** Its runs. */
  runs: Map<string, { until: number; stop: () => void }>;
  /** The runs with unsent output. */
  grown: Set<string>;
  sent: SentCharacters;
}

/** Sends the output of this process's runs to the processes that read them, while they read. */
export function shareOutput(options: ShareOptions): void {
  const { activities, live, clock } = options;
  const readers = new Map<string, Reader>();
  const note = createSending(options, readers);
  let isChecking = false;

  function findReader(id: string, session: string): Reader {
    const known = readers.get(id);
    if (known === undefined) {
      const reader = { session, runs: new Map(), grown: new Set<string>(), sent: new WeakMap() };
      readers.set(id, reader);
      return reader;
    }
    if (known.session !== session) {
      // The reader lost something and receives everything again.
      known.session = session;
      known.sent = new WeakMap();
      for (const run of known.runs.keys()) note(known, run);
    }
    return known;
  }

  function read(reader: Reader, run: string): void {
    const until = clock.monotonic() + readMs;
    const known = reader.runs.get(run);
    if (known !== undefined) {
      known.until = until;
      return;
    }
    reader.runs.set(run, { until, stop: activities.watch(run, () => note(reader, run)) });
    note(reader, run);
  }

  function leave(id: string, run: string): void {
    const reader = readers.get(id);
    reader?.runs.get(run)?.stop();
    reader?.runs.delete(run);
    reader?.grown.delete(run);
    if (reader?.runs.size === 0) readers.delete(id);
  }

  /** Removes readers that left without notice. */
  function check(): void {
    const now = clock.monotonic();
    for (const [id, { runs }] of readers) {
      for (const [run, { until }] of runs) if (until < now) leave(id, run);
    }
    isChecking = readers.size > 0;
    if (isChecking) clock.scheduleIdly(readMs, check);
  }

  live.listen(readersTopic, (text) => {
    const message = text === undefined ? undefined : parseReaderMessage(text);
    if (message === undefined || message.from === live.id) return;
    if (message.type === "leave") return message.runs.forEach((run) => leave(message.from, run));
    const reader = findReader(message.from, message.session);
    for (const run of message.runs) read(reader, run);
    if (!isChecking) check();
  });
  // Existing readers then announce their runs. Otherwise they do so at their next turn.
  live.send(startsTopic, [""]).catch(() => undefined);
}

/** Creates a function that records a run with new output for a reader, and sends the output soon. */
function createSending(
  { activities, live, clock }: ShareOptions,
  readers: ReadonlyMap<string, Reader>,
): (reader: Reader, run: string) => void {
  const pieces = createOutputPieces(activities);
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    clock.scheduleIdly(collectMs, () => void send());
  }

  async function send(): Promise<void> {
    for (const [id, { grown, sent }] of readers) {
      const runs = [...grown];
      grown.clear();
      const messages = writePieces(pieces(runs, sent), live.maxBytes);
      // Output that an outage loses is recorded later.
      if (messages.length > 0) await live.send(id, messages).catch(() => undefined);
    }
    isScheduled = false;
    if (readers.values().some(({ grown }) => grown.size > 0)) schedule();
  }

  return ({ grown }, run) => {
    grown.add(run);
    schedule();
  };
}
