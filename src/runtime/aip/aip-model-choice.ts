import type { AgentDefinition } from "../../agent/definition/agent.ts";
import { readAipDefaults } from "../../aip/location/aip-defaults.ts";
import {
  type AipOptions,
  chooseAipModel,
  mergeAipOptions,
  readAipOptions,
} from "../../aip/document/aip-options.ts";
import { parseAip } from "../../aip/document/parse-aip.ts";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import type { ChooseAipModel } from "../../delegate/request/to-assignment.ts";
import { CadreError } from "../../errors.ts";
import type { AgentConfig } from "../../pipeline/prompt-file/entry.ts";
import type { JsonObject } from "../../source/json.ts";

/** Creates the lookup of AIPack's model names in a project. */
export function createAipModelChoice({
  cwd: workspace,
  home,
  isTrusted,
}: {
  cwd: string;
  home: string;
  isTrusted: (path: string) => boolean;
}): ChooseAipModel {
  return async (options, definition) => {
    const { model: name } = options;
    if (name === undefined) return undefined;
    const folders = { workspace, home, isWorkspaceTrusted: isTrusted(workspace) };
    const { options: defaults } = await readAipDefaults(folders);
    const own = mergeAipOptions(defaults, optionsOf(definition));
    const chosen = chooseAipModel(mergeAipOptions(own, options));
    if (chosen === undefined || chosen.model === name || !isFileModel(chosen.model)) return chosen;
    const message = `Expected a provider's model, got ${name}, which stands for ${chosen.model}: an alias of AIPack must not name a file.`;
    throw new CadreError("model-unavailable", message);
  };
}

function optionsOf(definition: AgentDefinition | undefined): AipOptions {
  if (definition?.source.format !== "aip") return {};
  return parseAip(definition.systemPrompt, definition.source.path ?? "").options;
}

/** Returns the model that a prompt file names for its coder, resolved with the file's aliases. */
export function readPromptOptions({ model, model_aliases }: JsonObject): AipOptions {
  return readOptions({ ...(model !== "" && { model }), model_aliases });
}

/** Returns the options of an entry for an `.aip` agent, with the prompt file's aliases. */
export function readEntryOptions({ options = {} }: AgentConfig, params: JsonObject): AipOptions {
  const { temperature, top_p, input_concurrency, allow_run_on_task_fail } = options;
  const { model, model_aliases } = options;
  const own = { temperature, top_p, input_concurrency, allow_run_on_task_fail };
  return mergeAipOptions(
    readPromptOptions({ ...params, model: "" }),
    readOptions({ ...own, model, model_aliases }),
  );
}

function readOptions(given: Partial<JsonObject>): AipOptions {
  const { options, problems } = readAipOptions(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
  const [problem] = problems;
  if (problem === undefined) return options;
  throw new CadreError(
    "invalid-argument",
    `The option ${problem.key} is wrong: ${problem.message}.`,
  );
}
