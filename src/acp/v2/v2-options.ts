import type {
  AvailableCommand,
  SessionConfigOption,
} from "@agentclientprotocol/sdk/experimental/v2";
import type { Choice } from "../editor/choice.ts";
import type { Command } from "../editor/editor.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Converts the commands of a session. */
export function toV2Commands(commands: readonly Command[]): AvailableCommand[] {
  return commands.map(({ name, description, hint }) => ({
    type: "command",
    name,
    description,
    input: hint === undefined ? null : { type: "text", hint },
  }));
}

/** Converts the settings of a session. */
export function toV2Options(choices: readonly Choice[]): SessionConfigOption[] {
  return choices.map(({ id, name, category, current, values }) => ({
    type: "select",
    configId: id,
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
