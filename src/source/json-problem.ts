import { isRecord } from "./json.ts";

/** Deeper nesting is a mistake, and what walks it would run out of stack. */
const maxDepth = 100;
/** More than these help nobody to correct a value. */
const mostProblems = 20;

/**
 * What keeps `value` from being JSON, one line each, such as `a.b[2]: NaN`; empty when it is. A key without a value
 * (`undefined`) is no key. `name` is what the value is called.
 */
export function findJsonProblems(value: unknown, name = ""): string[] {
  const problems: string[] = [];
  walk(value, name, { above: [], problems });
  return problems;
}

interface Walk {
  /** What the value is inside of. */
  above: readonly object[];
  problems: string[];
}

function walk(value: unknown, place: string, { above, problems }: Walk): void {
  if (problems.length >= mostProblems) return;
  const say = (what: string): void => void problems.push(`${place || "the value"}: ${what}`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) say(`${value}, which JSON does not have`);
    return;
  }
  if (value === undefined) return say("nothing, where JSON has a value");
  if (typeof value !== "object") return say(`a ${typeof value}, which JSON does not have`);
  if (above.includes(value)) return say("a cycle: it contains itself");
  if (above.length >= maxDepth) return say(`nested more than ${maxDepth} deep`);
  const inside = { above: [...above, value], problems };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      walk(value[index], `${place}[${index}]`, inside);
    }
    return;
  }
  if (!isPlain(value)) return say(`a ${value.constructor?.name ?? "strange object"}, not JSON`);
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) walk(item, place === "" ? key : `${place}.${key}`, inside);
  }
}

/** Written as `{ … }`, here or in another realm, or read from JSON. */
function isPlain(value: object): boolean {
  if (!isRecord(value) || typeof value["toJSON"] === "function") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
