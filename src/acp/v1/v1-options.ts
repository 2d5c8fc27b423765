import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { Choice } from "../editor/choice.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Converts the settings of a session. */
export function toV1Options(choices: readonly Choice[]): SessionConfigOption[] {
  return choices.map(({ id, name, category, current, values }) => ({
    type: "select",
    id,
    name,
    ...omitUndefined({ category }),
    currentValue: current,
    options: values.map(({ value, name: shown, description = null }) => ({
      value,
      name: shown,
      description,
    })),
  }));
}

/** Converts the mode, which version 1 also has as a separate setting. */
export function toV1Modes(choices: readonly Choice[]): SessionModeState | null {
  const modes = choices.find(({ category }) => category === "mode");
  if (modes === undefined) return null;
  const availableModes = modes.values.map(({ value: id, name, description = null }) => ({
    id,
    name,
    description,
  }));
  return { currentModeId: modes.current, availableModes };
}
