import { resolve } from "node:path";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import { createModels } from "../model/provider/create-models.ts";
import { createRecordedModel, type RecordedModelOptions } from "../model/record/recorded-model.ts";
import { accessOf } from "../model/request/model-access.ts";

/** Options of {@link recordedModel}. */
export interface RecordedOptions extends Pick<RecordedModelOptions, "file"> {
  /** The model to ask: a model of the AI SDK's provider interface, or `provider:model`. Not needed for a replay. */
  model?: LanguageModelV4 | string;
  /**
   * `replay` replies only from the file. `record` asks the model and appends each reply to the file. `auto` replies from the
   * file, and asks and records the rest. Default: `replay` when the variable `CI` is set, else `auto`.
   */
  mode?: RecordedModelOptions["mode"];
  /** The project's folder, which the recording calls `<project>`. Default: the working directory. */
  folder?: string;
  /** Texts to remove from the recording, besides the model's key and the values of variables such as `GITHUB_TOKEN`. */
  secrets?: readonly string[];
}

/**
 * Opens a model that replays conversations from a file, and records them. See docs/models.md.
 *
 * @throws CadreError `model-unavailable` for an invalid recording, `invalid-argument` for an unknown mode, and for a mode
 * that needs a `model`.
 */
export async function recordedModel(options: RecordedOptions): Promise<LanguageModelV4> {
  const { file, model, folder = process.cwd(), secrets = [] } = options;
  const mode = options.mode ?? (process.env["CI"] === undefined ? "auto" : "replay");
  checkMode(mode, options);
  const keys: string[] = [...secrets];
  const findModel = async (): Promise<LanguageModelV4> => {
    if (typeof model === "object") return model;
    const models = createModels({ environment: process.env, folder });
    const found = await models.resolve(model ?? "");
    keys.push(...accessOf(found).secrets);
    return found.language;
  };
  return await createRecordedModel({
    file: resolve(file),
    mode,
    folder,
    secrets: () => keys,
    findModel,
  });
}

function checkMode(mode: string, { model, file }: RecordedOptions): void {
  const modes = ["replay", "record", "auto"];
  if (!modes.includes(mode)) {
    const message = `Expected the mode ${modes.join(", ")}, got ${JSON.stringify(mode)}.`;
    throw new CadreError("invalid-argument", message);
  }
  if (mode === "replay" || model !== undefined) return;
  throw new CadreError(
    "invalid-argument",
    `Expected a \`model\` to ask for what is not in ${file}. Give one, or use the mode replay.`,
  );
}
