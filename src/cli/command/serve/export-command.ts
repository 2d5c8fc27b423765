import { writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { readVersion } from "../../../version.ts";
import { withRuns } from "../../run/open-cadre.ts";
import { UsageError } from "../../arguments/usage-error.ts";

const examples = `
Examples:
  cadre export last --output family.html
  cadre export last --format md --output family.md
  cadre export 7f3q01c --format jsonl --no-content --output figures.jsonl
  cadre export last --format otlp --output traces.jsonl

The values of environment variables whose names suggest secrets are replaced.`;

interface ExportOptions {
  format: "html" | "jsonl" | "md" | "otlp";
  content: boolean;
  output: string;
}

/** `cadre export`. */
export function defineExport(command: Command): void {
  const formats = ["html", "jsonl", "md", "otlp"];
  command
    .argument("<run>", "its id, the part of it after the dash, or `last`")
    .addOption(new Option("--format <format>", "the format").choices(formats).default("html"))
    .option("--no-content", "leave out tasks, texts, inputs and outputs: only the figures")
    .requiredOption("--output <file>", "the file to write; an existing one is kept")
    .addHelpText("after", examples)
    .action(async (id: string, { format, content, output }: ExportOptions) => {
      await withRuns(async (cadre) => {
        const { exportFamily } = await import("../../../serve/export/export-family.ts");
        const version = readVersion();
        const options = { format, version, hasContent: content, environment: process.env };
        writeNew(output, await exportFamily(cadre, id, options));
      });
    });
}

function writeNew(path: string, text: string): void {
  try {
    // Journals may hold data that is only for the user.
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new UsageError(
      `Expected a new file that can be written after --output: ${String(error)}`,
    );
  }
}
