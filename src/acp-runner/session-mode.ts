import { isRecord } from "../source/json.ts";
import type { AskAgent } from "./log-in.ts";

/** The modes of a session, such as a mode that only plans. */
interface SessionModes {
  current: unknown;
  ids: string[];
  /** Returns the request that selects a mode. */
  request(id: string): { method: string; params: Record<string, unknown> };
}

/** Options of {@link chooseMode}. */
export interface ModeOptions {
  sessionId: string;
  /** The response that opened the session. */
  answer: Record<string, unknown>;
  /** The ids of acceptable modes, in order of preference. */
  modes: readonly string[];
  /** Whether a session without any of the modes causes a warning. */
  mustHave: boolean;
}

/** Selects the first acceptable mode that the session has. Returns a warning for the result when it has none of them. */
export async function chooseMode(ask: AskAgent, options: ModeOptions): Promise<string[]> {
  const known = readModes(options.answer);
  if (known === undefined) return [];
  const id = options.modes
    .map((mode) => known.ids.find((one) => nameOf(one) === mode))
    .find((one) => one !== undefined);
  if (id === undefined) {
    if (!options.mustHave) return [];
    const [wanted, names] = [options.modes.join(" or "), known.ids.map(nameOf).join(", ")];
    return [`The runner has no mode ${wanted} (it has ${names}): it keeps its own mode.`];
  }
  if (id !== known.current) {
    const { method, params } = known.request(id);
    await ask(method, { sessionId: options.sessionId, ...params });
  }
  return [];
}

/** Returns the name of a mode from its id, which may be a URL: https://example.com/modes#plan. */
function nameOf(id: string): string {
  return id.slice(id.lastIndexOf("#") + 1);
}

/** Parses modes, which have their own method or, in newer agents, are an option of the session. */
function readModes({ modes, configOptions }: Record<string, unknown>): SessionModes | undefined {
  if (isRecord(modes)) {
    const ids = textsIn(modes["availableModes"], "id");
    const request: SessionModes["request"] = (modeId) => ({
      method: "session/set_mode",
      params: { modeId },
    });
    return { current: modes["currentModeId"], ids, request };
  }
  const option = recordsIn(configOptions).find(({ category }) => category === "mode");
  if (option === undefined) return undefined;
  const { id: configId, currentValue: current, options } = option;
  // The options may be grouped.
  const ids = [options, ...recordsIn(options).map((group) => group["options"])].flatMap((list) =>
    textsIn(list, "value"),
  );
  const request: SessionModes["request"] = (value) => ({
    method: "session/set_config_option",
    params: { configId, value },
  });
  return { current, ids, request };
}

function textsIn(list: unknown, name: string): string[] {
  return recordsIn(list).flatMap(({ [name]: text }) => (typeof text === "string" ? [text] : []));
}

function recordsIn(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
