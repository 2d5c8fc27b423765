import { isRecord, type JsonValue } from "../../../source/json.ts";
import { type AipModule, type Arguments, anyOf, textArgument } from "../arguments.ts";
import { writeSortedJson } from "../format/json.ts";

/** `aip.run`: reports about the run to the user. */
export const run: AipModule = pinsOf("run");
/** `aip.task`: reports about one input to the user. */
export const task: AipModule = pinsOf("task");

function pinsOf(scope: "run" | "task"): AipModule {
  return {
    set_label: (args, ask) => {
      ask("report", { type: "label", scope, label: textArgument(args, 1) });
      return undefined;
    },
    pin: (args, ask) => {
      const hasPriority = typeof anyOf(args, 2) === "number" && args.values.length > 2;
      const content = anyOf(args, hasPriority ? 3 : 2) ?? null;
      const isMarker = isRecord(content) && content["content"] !== undefined;
      const label = isMarker && typeof content["label"] === "string" ? content["label"] : null;
      ask("report", {
        type: "pin",
        scope,
        iden: idenOf(args),
        priority: hasPriority ? (anyOf(args, 2) ?? null) : null,
        label,
        content: asText(isMarker ? (content["content"] ?? null) : content),
      });
      return undefined;
    },
  };
}

function idenOf(args: Arguments): string {
  return anyOf(args, 1) === undefined ? "" : textArgument(args, 1);
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : writeSortedJson(value);
}
