import { isRecord } from "./json.ts";

/** The maximum nesting. Deeper values would overflow the stack of recursive readers. */
const maxDepth = 100;
/** The maximum number of problems listed. */
const maxProblems = 20;

/**
 * Lists why `value` is not JSON, with a line for each problem, such as `a.b[2]: NaN`; empty for JSON. Ignores keys with the value
 * `undefined`. `name` names the value in the lines.
 */
export function findJsonProblems(value: unknown, name = ""): string[] {
  const problems: string[] = [];
  walk(value, name, { above: [], problems });
  return problems;
}

interface Walk {
  /** The objects that contain the value. */
  above: readonly object[];
  problems: string[];
}

function walk(value: unknown, place: string, { above, problems }: Walk): void {
  if (problems.length >= maxProblems) return;
  const report = (what: string): void => void problems.push(`${place || "the value"}: ${what}`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) report(`${value}, which JSON does not have`);
    return;
  }
  if (value === undefined) return report("nothing, where JSON has a value");
  if (typeof value !== "object") return report(`a ${typeof value}, which JSON does not have`);
  if (above.includes(value)) return report("a cycle: it contains itself");
  if (above.length >= maxDepth) return report(`nested more than ${maxDepth} deep`);
  const inside = { above: [...above, value], problems };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      walk(value[index], `${place}[${index}]`, inside);
    }
    return;
  }
  if (!isPlain(value)) return report(`a ${value.constructor?.name ?? "strange object"}, not JSON`);
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) walk(item, place === "" ? key : `${place}.${key}`, inside);
  }
}

/** Reports whether an object is a plain object of this or another realm. */
function isPlain(value: object): boolean {
  if (!isRecord(value) || typeof value["toJSON"] === "function") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
