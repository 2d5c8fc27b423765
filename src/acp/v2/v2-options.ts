import type {
  AvailableCommand,
  SessionConfigOption,
} from "@agentclientprotocol/sdk/experimental/v2";
import { type Choice, toOptionValues } from "../editor/choice.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { Command } from "../editor/editor.ts";

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
  return choices.map((choice) => ({
    type: "select",
    configId: choice.id,
    name: choice.name,
    ...omitUndefined({ category: choice.category }),
    currentValue: choice.current,
    options: toOptionValues(choice),
  }));
}
