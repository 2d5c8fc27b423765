/** How to work on items. */
export interface Mapping<Item, Result> {
  work: (item: Item, index: number) => Promise<Result>;
  /** Reports whether no further item may begin after this result. */
  isLast: (result: Result) => boolean;
}

/**
 * Works on items, at most `limit` at once. Items begin in order, and the results of all begun items are in the same order. When
 * one rejects, the promise rejects after the others have settled.
 */
export async function mapInOrder<Item, Result>(
  items: readonly Item[],
  limit: number,
  { work, isLast }: Mapping<Item, Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  let next = 0;
  let isOver = false;
  const takeTurns = async (): Promise<void> => {
    while (!isOver && next < items.length) {
      const index = next;
      next += 1;
      try {
        const result = await work(items[index] as Item, index);
        results.set(index, result);
        if (isLast(result)) isOver = true;
      } catch (error) {
        isOver = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(limit, items.length) }, takeTurns);
  for (const worker of await Promise.allSettled(workers)) {
    if (worker.status === "rejected") throw worker.reason;
  }
  return [...results].sort(([left], [right]) => left - right).map(([, result]) => result);
}
