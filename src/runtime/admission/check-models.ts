import { isFileModel } from "../../delegate/settings/choose-model.ts";
import type { RecordedRun } from "../../engine/life/recorded-run.ts";
import { CadreError } from "../../errors.ts";
import { modelsOf } from "../../run/fallback/model-change.ts";
import { isRecord } from "../../source/json.ts";
import type { AdmissionContext } from "./admission-context.ts";

/**
 * Refuses a recorded model that reads or writes a file, unless the project is trusted or the user names the same model now.
 *
 * @throws CadreError `not-trusted`.
 */
export async function checkModels(
  context: AdmissionContext,
  { spec, definition }: RecordedRun,
): Promise<void> {
  const { model, fallbacks, extra, prompt } = definition;
  const recorded = [...modelsOf(spec), spec.options, model, fallbacks, extra, prompt];
  await checkFileModels(context, { recorded, family: spec.rootId });
}

/**
 * Refuses models that read or write a file among the strings of recorded JSON, as {@link checkModels} does.
 *
 * @throws CadreError `not-trusted`.
 */
export async function checkFileModels(
  context: Pick<
    AdmissionContext,
    "hasModel" | "isTrusted" | "cwd" | "defaultModel" | "fallbacks" | "namedModels"
  >,
  { recorded, family }: { recorded: unknown; family: string },
): Promise<void> {
  const found = textsOf(recorded)
    .filter(isFileModel)
    .filter((one) => !context.hasModel(one, family));
  if (found.length === 0 || context.isTrusted(context.cwd)) return;
  const { fallbacks = [], namedModels } = context;
  const current = new Set([await context.defaultModel(), ...fallbacks, ...namedModels]);
  const strange = found.find((one) => !current.has(one));
  if (strange === undefined) return;
  const message = `Its model reads or writes a file: ${strange}. Add the option \`model\` set to \`${strange}\` if it may (for a fallback: \`fallbacks\`), or the option \`trust\`.`;
  throw new CadreError("not-trusted", message, { details: { model: strange } });
}

/**
 * Refuses recorded options for providers unless the project is trusted: they may give a model the provider's servers and tools,
 * which no permission covers.
 *
 * @throws CadreError `not-trusted`.
 */
export function checkProviderOptions(
  { isTrusted, cwd }: Pick<AdmissionContext, "isTrusted" | "cwd">,
  { providerOptions }: Pick<RecordedRun["spec"], "providerOptions">,
): void {
  if (providerOptions === undefined || isTrusted(cwd)) return;
  const providers = Object.keys(providerOptions).join(", ");
  const message = `It has options for a provider (${providers}). Add the option \`trust\` if they may be sent, or start a new run.`;
  throw new CadreError("not-trusted", message);
}

/** Every string in a JSON value. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isRecord(value) ? Object.values(value).flatMap(textsOf) : [];
}
