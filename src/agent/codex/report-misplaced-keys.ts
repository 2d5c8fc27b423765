import { isRecord, type JsonObject } from "../../source/json.ts";
import type { KeyPath } from "../../source/position.ts";
import type { Fields } from "../fields/fields.ts";

/** Keys without which an agent would be unrestricted or empty. In other programs' tables they are settings of those programs. */
const ownKeys = new Set(["sandbox_mode", "default_permissions", "developer_instructions"]);
const tablesWithSettings = new Set(["agents", "profiles", "permissions"]);

/** Reports keys of the agent below a `[table]`, which makes them keys of that table. */
export function reportMisplacedKeys(fields: Fields, data: JsonObject): void {
  for (const [name, value] of Object.entries(data)) {
    if (isRecord(value) && !tablesWithSettings.has(name)) reportBelow(fields, value, [name]);
  }
}

function reportBelow(fields: Fields, table: JsonObject, path: KeyPath): void {
  for (const [key, value] of Object.entries(table)) {
    if (isRecord(value) && path.length < 3) reportBelow(fields, value, [...path, key]);
    if (!ownKeys.has(key) || typeof value !== "string") continue;
    const message = `\`${key}\` is below \`[${path.join(".")}]\`, so it belongs to that table and has no effect on the agent.`;
    const fix = `Move \`${key}\` above the first line with a \`[table]\`.`;
    fields.report([...path, key], { severity: "error", code: "key-swallowed", message, fix });
  }
}
