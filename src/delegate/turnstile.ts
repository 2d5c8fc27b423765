/** Lets works with the same key begin one after the other, in the order they came. */
export interface Turnstile {
  pass<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

/** A turnstile nobody stands in. */
export function createTurnstile(): Turnstile {
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
