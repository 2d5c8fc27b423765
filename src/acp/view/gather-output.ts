/** Gathers pieces of command output, so that a fast command does not flood the editor. */
export interface OutputGatherer {
  add(callId: string, text: string): void;
  /** Emits the gathered output of a call at once. */
  flush(callId: string): void;
}

/** Creates a gatherer that emits the output of each call at most every `everyMs` milliseconds. */
export function createOutputGatherer(
  give: (callId: string, text: string) => void,
  everyMs = 100,
): OutputGatherer {
  const gathered = new Map<string, { text: string; timer: NodeJS.Timeout }>();

  function flush(callId: string): void {
    const found = gathered.get(callId);
    if (found === undefined) return;
    clearTimeout(found.timer);
    gathered.delete(callId);
    give(callId, found.text);
  }

  return {
    flush,
    add(callId, text) {
      const known = gathered.get(callId);
      if (known !== undefined) {
        known.text += text;
        return;
      }
      const timer = setTimeout(() => flush(callId), everyMs).unref();
      gathered.set(callId, { text, timer });
    },
  };
}
