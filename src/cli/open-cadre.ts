import { writeError } from "./output.ts";
import { cleanText } from "./clean-text.ts";
import type { Cadre, CadreOptions } from "../index.ts";

/**
 * Opens Cadre for a command; says what there is to say about the configuration.
 *
 * @throws CadreError `config-invalid` when a configuration file has an error: going on without what it says could allow
 * more than its author wanted.
 */
export async function openCadre(options: CadreOptions = {}): Promise<Cadre> {
  const { CadreError, createCadre, formatDiagnostic } = await import("../index.ts");
  const cadre = await createCadre(options);
  const { diagnostics } = cadre.configuration;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    await cadre.close();
    const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
    throw new CadreError("config-invalid", `The configuration has errors:${lines}`);
  }
  for (const diagnostic of diagnostics) writeError(cleanText(formatDiagnostic(diagnostic)));
  return cadre;
}

/** Opens Cadre, does `work` with it, and closes it however that ends. */
export async function withCadre<Value>(
  options: CadreOptions,
  work: (cadre: Cadre) => Promise<Value>,
): Promise<Value> {
  const cadre = await openCadre(options);
  try {
    return await work(cadre);
  } finally {
    await cadre.close();
  }
}
