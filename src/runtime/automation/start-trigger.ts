import type { TriggerSetting } from "../../config/automation-setting.ts";
import type { GraphRequest } from "../../delegate/graph/start-graph.ts";
import { CadreError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../source/json.ts";
import type { StartRun } from "../request/resolve-request.ts";
import type { SpawnOptions } from "../spawn-options.ts";

/** The services that start runs and graphs. */
export interface TriggerServices {
  start: StartRun;
  startGraph: (path: string, request: GraphRequest) => Promise<string>;
}

/** A start of a trigger. */
export interface TriggerStart {
  data?: JsonValue | undefined;
  /** The id of the new run. */
  id?: string | undefined;
}

/** Finds a trigger of the configuration. @throws CadreError `invalid-argument`. */
export function findTrigger(
  triggers: Readonly<Record<string, TriggerSetting>>,
  name: string,
): TriggerSetting {
  if (Object.hasOwn(triggers, name)) return triggers[name] ?? {};
  const names = Object.keys(triggers);
  const got = JSON.stringify(name);
  const message =
    names.length === 0
      ? `There is no trigger ${got}: the configuration has no triggers. docs/automation.md describes them.`
      : `Expected the name of a trigger, one of ${names.join(", ")}; got ${got}.`;
  throw new CadreError("invalid-argument", message);
}

/**
 * Starts the run or the graph of a trigger. Resolves with the id of the run.
 *
 * @throws CadreError `invalid-argument`, and the errors of starting a run.
 */
export async function startTrigger(
  { start, startGraph }: TriggerServices,
  setting: TriggerSetting & { resolvePath: (path: string) => string },
  { data, id }: TriggerStart,
): Promise<string> {
  if (setting.graph !== undefined) {
    if (data !== undefined) throw refuseData("no data, because it starts a graph", data);
    const { queue } = setting;
    return await startGraph(setting.resolvePath(setting.graph), omitUndefined({ id, queue }));
  }
  const request = { ...setting.start, ...toFields(setting, data), ...omitUndefined({ id }) };
  // `start` checks the request from the file.
  return await start(request as unknown as SpawnOptions);
}

function toFields({ start, data: use = "input" }: TriggerSetting, data?: JsonValue): JsonObject {
  if (data === undefined) return {};
  if (use === "input") return { input: data };
  if (!isRecord(data)) throw refuseData("an object with the parameters of the recipe", data);
  const given = start?.["parameters"];
  return { parameters: { ...(isRecord(given) ? given : {}), ...data } };
}

function refuseData(expected: string, data: JsonValue): CadreError {
  const came = JSON.stringify(data).slice(0, 100);
  return new CadreError("invalid-argument", `Expected ${expected}; got ${came}.`);
}
