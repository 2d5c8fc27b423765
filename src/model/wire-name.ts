import { createHash } from "node:crypto";

/** The tool names and call ids that every provider accepts, by the strictest of their rules. */
const acceptable = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Converts `name` to one that every provider accepts. A valid name stays unchanged. Any other name gets a hash, so that distinct
 * names stay distinct. The result depends only on `name`.
 */
export function wireName(name: string): string {
  if (acceptable.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 55)}_${hash}`;
}

/** Finds the tool that a model means by the wire name `name`. Returns a name without a match unchanged. */
export function toolNamed(tools: readonly { name: string }[], name: string): string {
  return tools.find((tool) => wireName(tool.name) === name)?.name ?? name;
}

/**
 * Converts `id` to one that every provider accepts and that is not in `taken`, and adds it to `taken`. Names an empty id by
 * `position`.
 */
export function uniqueId(id: string, taken: Set<string>, position: number): string {
  const base = wireName(id === "" ? `call_${position}` : id);
  let candidate = base;
  for (let count = 2; taken.has(candidate); count += 1) {
    candidate = `${base.slice(0, 58)}_${count}`;
  }
  taken.add(candidate);
  return candidate;
}
