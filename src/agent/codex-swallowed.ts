import { isRecord, type JsonObject } from "../source/json.ts";
import type { KeyPath } from "../source/place.ts";
import type { Fields } from "./fields.ts";

/** Keys of an agent that its author would miss; in tables of their own they are other programs' settings. */
const ownKeys = new Set(["sandbox_mode", "default_permissions", "developer_instructions"]);
const tablesWithSettings = new Set(["agents", "profiles", "permissions"]);

/** Reports keys of the agent that stand below a `[table]`, and so became a part of that. */
export function reportSwallowed(fields: Fields, data: JsonObject): void {
  for (const [name, value] of Object.entries(data)) {
    if (isRecord(value) && !tablesWithSettings.has(name)) reportBelow(fields, value, [name]);
  }
}

function reportBelow(fields: Fields, table: JsonObject, path: KeyPath): void {
  for (const [key, value] of Object.entries(table)) {
    if (isRecord(value) && path.length < 3) reportBelow(fields, value, [...path, key]);
    if (!ownKeys.has(key) || typeof value !== "string") continue;
    const message = `\`${key}\` stands below \`[${path.join(".")}]\`, so it is a part of that and has no effect on the agent.`;
    const fix = `Move \`${key}\` above the first line with a \`[table]\`.`;
    fields.report([...path, key], { severity: "error", code: "key-swallowed", message, fix });
  }
}
