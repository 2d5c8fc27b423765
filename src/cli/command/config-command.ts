import type { Command } from "commander";
import { cleanText } from "../terminal/clean-text.ts";
import type { findWeakenedPromises } from "../../host.ts";
import { usageExit } from "../error/exit-code.ts";
import { writeError, writeJson, writeLine, writeMessage } from "../terminal/output.ts";
import { formatTable } from "../view/table/table.ts";

const example = `
Example:
  cadre config --json

Exit code: 2 when a configuration file has an error.`;

/** `cadre config`. */
export function defineConfig(command: Command, setExit: (code: number) => void): void {
  command
    .option(
      "--json",
      "write JSON: { settings: { key: { value, origin } }, diagnostics, stateFolder, weakened: { reason, promises }, telemetry }",
    )
    .addHelpText("after", example)
    .action(async ({ json }: { json?: boolean }) => {
      setExit(await showConfig(json === true));
    });
}

async function showConfig(json: boolean): Promise<number> {
  const { createCadre, describeTelemetry, findWeakenedPromises, formatDiagnostic, hasError } =
    await import("../../host.ts");
  const cadre = await createCadre();
  const { sources, diagnostics, config } = cadre.configuration;
  const weakened = await findWeakenedPromises(config.sandbox);
  const telemetry = describeTelemetry(process.env);
  if (json) {
    const { stateFolder } = cadre;
    writeJson({ settings: sources, diagnostics, stateFolder, weakened, telemetry });
  } else {
    const rows = Object.entries(sources).map(([key, { value, origin }]) => [
      key,
      origin,
      JSON.stringify(value),
    ]);
    for (const line of formatTable(["SETTING", "FROM", "VALUE"], rows)) writeLine(line);
    const why = sources["stateDir"]?.origin ?? "default";
    writeMessage(`\nRuns are kept in ${cadre.stateFolder} (${why}).`);
    writeMessage(cleanText(`Telemetry is ${telemetry}`));
    for (const line of describeWeakened(weakened)) writeMessage(line);
    for (const finding of diagnostics) writeError(cleanText(formatDiagnostic(finding)));
  }
  await cadre.close();
  return hasError(diagnostics) ? usageExit : 0;
}

function describeWeakened({
  reason,
  promises,
}: Awaited<ReturnType<typeof findWeakenedPromises>>): string[] {
  if (reason === null) return [];
  const lines = promises.map(({ promise, instead }) => `- ${promise} Here: ${instead}`);
  return [`\nWeaker promises for commands (${cleanText(reason)}):`, ...lines];
}
