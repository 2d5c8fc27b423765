import { isRecord } from "../source/json.ts";
import type { Ask } from "./log-in.ts";

/** The modes that a session can be in, such as one that plans only. */
interface SessionModes {
  current: unknown;
  ids: string[];
  /** What puts the session into one. */
  request(id: string): { method: string; params: Record<string, unknown> };
}

/** What {@link chooseMode} needs. */
export interface ModeWish {
  sessionId: string;
  /** The answer that opened the session. */
  answer: Record<string, unknown>;
  /** The ids of modes that would do, the best first. */
  modes: readonly string[];
  /** Having none of these is worth a warning. */
  mustHave: boolean;
}

/** Puts a session into the best of the modes that it has; returns what the result should say when it has none of them. */
export async function chooseMode(ask: Ask, wish: ModeWish): Promise<string[]> {
  const known = readModes(wish.answer);
  if (known === undefined) return [];
  const id = wish.modes
    .map((mode) => known.ids.find((one) => nameOf(one) === mode))
    .find((one) => one !== undefined);
  if (id === undefined) {
    if (!wish.mustHave) return [];
    const [wanted, names] = [wish.modes.join(" or "), known.ids.map(nameOf).join(", ")];
    return [`The runner has no mode ${wanted} (it has ${names}): it stayed in its own.`];
  }
  if (id !== known.current) {
    const { method, params } = known.request(id);
    await ask(method, { sessionId: wish.sessionId, ...params });
  }
  return [];
}

/** Some have addresses as ids: https://example.com/modes#plan. */
function nameOf(id: string): string {
  return id.slice(id.lastIndexOf("#") + 1);
}

/** Modes by their own method, or as one of the options of a session, which is what is to take its place. */
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
  // They may be in groups.
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
