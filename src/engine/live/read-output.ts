import { randomUUID } from "node:crypto";
import type { Clock } from "../../clock.ts";
import type { LiveChannel } from "../../registry/live-channel.ts";
import {
  parsePieces,
  type ReaderMessage,
  readersTopic,
  startsTopic,
  writeReaderMessages,
} from "./live-message.ts";
import { createReceivedOutput, type ReceivedOutputOptions } from "./received-output.ts";

/** Receives the output of runs of other processes that are being read. */
export interface OutputReader {
  /** Starts to read a run. Returns a function that stops. */
  read(runId: string): () => void;
}

/** The options of {@link createOutputReader}. */
export interface OutputReaderOptions extends ReceivedOutputOptions {
  live: LiveChannel;
  clock: Pick<Clock, "scheduleIdly">;
}

/** How often a reader announces its runs, in milliseconds. It counts as a reader for three times as long. */
const announceIntervalMs = 3000;

/** Creates the reader of one channel. It sends and holds nothing while it reads no run. */
export function createOutputReader(options: OutputReaderOptions): OutputReader {
  const { live, clock } = options;
  /** The number of readers of each run. */
  const counts = new Map<string, number>();
  const received = createReceivedOutput(options);
  /** A new value makes senders start from the beginning. */
  let session = randomUUID();
  let isComplete = true;
  let isListening = false;
  let isAnnouncing = false;

  const announce = (type: ReaderMessage["type"], runs: Iterable<string>): void =>
    sendAnnouncement(live, { type, from: live.id, session, runs: [...runs] });

  /** Repeats the announcement of the runs it reads, for processes that begin to execute a run or have forgotten the reader. */
  function repeatAnnouncement(): void {
    if (!isComplete) session = randomUUID();
    isComplete = true;
    announce("read", counts.keys());
    isAnnouncing = counts.size > 0;
    if (isAnnouncing) clock.scheduleIdly(announceIntervalMs, repeatAnnouncement);
  }

  const change = collectChanges((runs) => {
    announce(
      "read",
      runs.filter((run) => counts.has(run)),
    );
    announce(
      "leave",
      runs.filter((run) => !counts.has(run)),
    );
    if (isAnnouncing || counts.size === 0) return;
    isAnnouncing = true;
    clock.scheduleIdly(announceIntervalMs, repeatAnnouncement);
  });

  function listen(): void {
    if (isListening) return;
    isListening = true;
    live.listen(live.id, (message) => {
      const pieces = message === undefined ? [] : parsePieces(message);
      isComplete &&= message !== undefined;
      for (const piece of pieces)
        if (counts.has(piece.run)) isComplete = received.take(piece) && isComplete;
    });
    live.listen(startsTopic, (message) => message !== undefined && announce("read", counts.keys()));
  }

  return {
    read(run) {
      listen();
      counts.set(run, (counts.get(run) ?? 0) + 1);
      if (counts.get(run) === 1) change(run);
      return () => {
        const left = (counts.get(run) ?? 0) - 1;
        counts.set(run, left);
        if (left > 0) return;
        counts.delete(run);
        received.forget(run);
        change(run);
      };
    },
  };
}

function sendAnnouncement(live: LiveChannel, message: ReaderMessage): void {
  const messages = writeReaderMessages(message);
  // The next announcement replaces a lost one.
  if (messages.length > 0) live.send(readersTopic, messages).catch(() => undefined);
}

/** Creates a function that collects runs during one turn of the event loop for one call of `report`. */
function collectChanges(report: (runs: string[]) => void): (run: string) => void {
  const changed = new Set<string>();
  return (run) => {
    if (changed.size === 0) {
      setImmediate(() => {
        const runs = [...changed];
        changed.clear();
        report(runs);
      });
    }
    changed.add(run);
  };
}
