import { createHash } from "node:crypto";

/** What every provider accepts as the name of a tool and as the id of a call: the narrowest of their rules. */
const acceptable = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * `name` as every provider accepts it: unchanged where it already is, otherwise with a hash, so that two names never
 * become one. The same name always gives the same result.
 */
export function wireName(name: string): string {
  if (acceptable.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 55)}_${hash}`;
}

/** `id` as every provider accepts it and as no id in `taken`, to which it is added; `position` names an empty one. */
export function uniqueId(id: string, taken: Set<string>, position: number): string {
  const base = wireName(id === "" ? `call_${position}` : id);
  let candidate = base;
  for (let count = 2; taken.has(candidate); count += 1) {
    candidate = `${base.slice(0, 58)}_${count}`;
  }
  taken.add(candidate);
  return candidate;
}
