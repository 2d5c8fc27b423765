/**
 * Headers with the members of the standard class that providers' clients use. Node loads the standard class together with all of
 * its `fetch`.
 */
export class LightHeaders {
  readonly #values = new Map<string, string>();

  constructor(input: RequestInit["headers"] = {}) {
    const pairs = Symbol.iterator in input ? input : Object.entries(input);
    for (const [name, value] of pairs) if (value !== undefined) this.append(name, value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value.trim());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (const [name, value] of this) visit(value, name);
  }

  /** Returns the entries in order of their names. */
  entries(): ArrayIterator<[string, string]> {
    return [...this.#values].toSorted(([left], [right]) => (left < right ? -1 : 1)).values();
  }

  keys(): IteratorObject<string> {
    return this.entries().map(([name]) => name);
  }

  values(): IteratorObject<string> {
    return this.entries().map(([, value]) => value);
  }

  [Symbol.iterator](): ArrayIterator<[string, string]> {
    return this.entries();
  }
}
