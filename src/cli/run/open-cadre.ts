import { writeError } from "../terminal/output.ts";
import { cleanText } from "../terminal/clean-text.ts";
import type { Cadre, CadreOptions } from "../../host.ts";

/** Options of {@link openCadre} that are not options of the library. */
interface Opening {
  /** Whether to continue when the configuration has errors, for commands that show or end runs. */
  despiteErrors?: boolean;
  /** Whether to give runs to workers where the setting `engine` says so. Default: this process executes them. */
  submits?: boolean;
}

/**
 * Opens Cadre for a command and reports findings in the configuration.
 *
 * @throws CadreError `config-invalid` when a configuration file has an error: ignoring the file could allow more than its author
 * intended.
 */
export async function openCadre(options: CadreOptions, opening: Opening = {}): Promise<Cadre> {
  const cadre = await openAsConfigured(options, opening);
  try {
    await reportFindings(cadre, opening);
    return cadre;
  } catch (error) {
    await cadre.close();
    throw error;
  }
}

/** Opens Cadre for a command, which reads its settings before it calls {@link reportFindings}. */
export async function openAsConfigured(
  options: CadreOptions,
  { submits = false }: Pick<Opening, "submits"> = {},
): Promise<Cadre> {
  const { createCadre } = await import("../../host.ts");
  const engine = submits ? {} : { engine: "local" as const };
  return await createCadre({ telemetry: "environment", ...engine, ...options });
}

/**
 * Reports findings in the configuration of `cadre`, and variables that Cadre ignores.
 *
 * @throws CadreError `config-invalid` as {@link openCadre} does.
 */
export async function reportFindings(
  cadre: Cadre,
  { despiteErrors = false }: Pick<Opening, "despiteErrors"> = {},
): Promise<void> {
  const { CadreError, describeUnknownVariables, formatDiagnostic, listDiagnostics } =
    await import("../../host.ts");
  const { diagnostics, sources } = cadre.configuration;
  for (const text of describeUnknownVariables(process.env, JSON.stringify(sources))) {
    writeError(cleanText(text));
  }
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  // Runs in the registry of an earlier version would be missing.
  const isFatal = errors.some(({ code }) => code === "state-not-moved");
  if (errors.length > 0 && (isFatal || !despiteErrors)) {
    const lines = errors.map((error) => `\n${formatDiagnostic(error)}`).join("");
    throw new CadreError("config-invalid", `The configuration has errors:${lines}`);
  }
  for (const line of listDiagnostics(diagnostics)) writeError(cleanText(line));
}

/** Opens Cadre without options, calls `work`, and always closes Cadre. */
export async function withCadre<Value>(
  work: (cadre: Cadre) => Promise<Value>,
  opening: Opening = {},
): Promise<Value> {
  const cadre = await openCadre({}, opening);
  try {
    return await work(cadre);
  } finally {
    await cadre.close();
  }
}

/** Does the same for commands that start nothing: a broken configuration must not hide runs or prevent their cancellation. */
export async function withRuns<Value>(work: (cadre: Cadre) => Promise<Value>): Promise<Value> {
  return await withCadre(work, { despiteErrors: true });
}
