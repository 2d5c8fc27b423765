/** Starts work with the same key one after another, in order of arrival. */
export interface KeyedQueue {
  pass<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

/** Creates an empty queue. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<void>>();

  function forget(key: string, over: Promise<void>): void {
    if (last.get(key) === over) last.delete(key);
  }

  return {
    pass(key, work) {
      const before = last.get(key);
      const turn = before === undefined ? work() : before.then(work);
      const over: Promise<void> = turn.catch(() => undefined).then(() => forget(key, over));
      last.set(key, over);
      return turn;
    },
  };
}
