import { CadreError } from "../../errors.ts";
import { isRecord, type JsonObject } from "../../source/json.ts";
import { toPlainValue } from "../../source/plain-value.ts";
import type { CadreOptions } from "../cadre.ts";
import { showValue } from "./field.ts";

/** The maximum size of the option `config`, in characters of JSON. */
const maxConfigLength = 4 * 1024 * 1024;

/**
 * Returns the option `config` as JSON. Its settings are checked where those of files are.
 *
 * @throws CadreError `config-invalid` for a value that is not an object which JSON can represent.
 */
export function readConfigOption({ config }: Pick<CadreOptions, "config">): JsonObject | undefined {
  if (config === undefined) return undefined;
  const plain = toPlainValue(config, maxConfigLength, "config");
  if ("value" in plain && isRecord(plain.value)) return plain.value;
  const came = "value" in plain ? showValue(config) : plain.problem;
  const message = `Expected the option \`config\` to be an object of settings as in .cadre/config.yaml; got ${came}.`;
  throw new CadreError("config-invalid", message);
}
