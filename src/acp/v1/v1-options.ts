import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type Choice, toOptionValues } from "../editor/choice.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Converts the settings of a session. */
export function toV1Options(choices: readonly Choice[]): SessionConfigOption[] {
  return choices.map((choice) => ({
    type: "select",
    id: choice.id,
    name: choice.name,
    ...omitUndefined({ category: choice.category }),
    currentValue: choice.current,
    options: toOptionValues(choice),
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
