import { isFileModel } from "../../delegate/choose-model.ts";
import type { RecordedRun } from "../../engine/recorded/recorded-run.ts";
import { CadreError } from "../../errors.ts";
import { isRecord } from "../../source/json.ts";
import type { AdmissionPlace } from "./admission-place.ts";

/**
 * Makes sure that a journal names no model that reads or writes a file, unless the project is trusted or the user names the
 * same one now.
 *
 * @throws CadreError `not-trusted`.
 */
export async function checkModels(
  place: AdmissionPlace,
  { spec, definition }: RecordedRun,
): Promise<void> {
  const { model, fallbackModel, options } = spec;
  const parts = [model, fallbackModel, options, definition.model];
  const found = textsOf([...parts, definition.extra, definition.prompt]).filter(isFileModel);
  if (found.length === 0 || place.isTrusted(place.cwd)) return;
  const current = await place.defaultModel();
  const strange = found.find((one) => one !== current);
  if (strange === undefined) return;
  const message = `Its model reads or writes a file: ${strange}. Add the option \`model\` set to \`${strange}\` if it may, or the option \`trust\`.`;
  throw new CadreError("not-trusted", message, { details: { model: strange } });
}

/** Every text in a value of JSON. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isRecord(value) ? Object.values(value).flatMap(textsOf) : [];
}
