/** A pool with a maximum size, which drops the least recently used item. */
export interface LruPool<Item> {
  /** Returns the item with that name and marks it as used. */
  find(name: string): Item | undefined;
  /** Adds an item. A full pool drops the least recently used idle item. Returns `false` when all items are busy. */
  enter(name: string, item: Item): boolean;
  leave(name: string): void;
  all(): Item[];
}

/** Options of {@link createLruPool}. */
export interface LruPoolOptions<Item> {
  most: number;
  /** Reports whether an item must not be dropped. Default: no item is busy. */
  isBusy?: (item: Item) => boolean;
  /** Called with each dropped item. */
  onEvicted?: (item: Item) => void;
}

/** Creates an empty pool. */
export function createLruPool<Item>(options: LruPoolOptions<Item>): LruPool<Item> {
  const { most, isBusy = () => false, onEvicted } = options;
  /** The most recently used item is at the end. */
  const items = new Map<string, Item>();

  function makeRoom(): boolean {
    if (items.size < most) return true;
    for (const [name, item] of items) {
      if (isBusy(item)) continue;
      items.delete(name);
      onEvicted?.(item);
      return true;
    }
    return false;
  }

  return {
    find(name) {
      const item = items.get(name);
      if (item === undefined) return undefined;
      items.delete(name);
      items.set(name, item);
      return item;
    },
    enter(name, item) {
      if (!makeRoom()) return false;
      items.set(name, item);
      return true;
    },
    leave: (name) => void items.delete(name),
    all: () => [...items.values()],
  };
}

/** Caches the values of `make` by key; keeps the `most` values used last. */
export function cacheRecent<Value>(
  most: number,
  make: (key: string) => Value,
): (key: string) => Value {
  const pool = createLruPool<{ value: Value }>({ most });
  return (key) => {
    const found = pool.find(key);
    if (found !== undefined) return found.value;
    const value = make(key);
    pool.enter(key, { value });
    return value;
  };
}
