import { type Command, Option } from "commander";
import { readVersion } from "../../../version.ts";
import { withRuns } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { writeLine } from "../../terminal/output.ts";
import { writeNewFile } from "../../arguments/output-file.ts";
import { describeRunArgument } from "../../arguments/describe-run-argument.ts";

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
    .argument("<run>", describeRunArgument())
    .addOption(new Option("--format <format>", "the format").choices(formats).default("html"))
    .option("--no-content", "leave out tasks, texts, inputs and outputs: only the figures")
    .requiredOption(
      "--output <file>",
      "the file to write; its folder is created, an existing file is kept",
    )
    .addHelpText("after", examples)
    .action(async (id: string, { format, content, output }: ExportOptions) => {
      await withRuns(async (cadre) => {
        const { exportFamily } = await import("../../../serve/export/export-family.ts");
        const version = readVersion();
        const options = { format, version, hasContent: content, environment: process.env };
        const text = await exportFamily(cadre, id, options);
        writeNewFile({ option: "--output", path: output }, text);
        writeLine(`wrote ${cleanLine(output)}`);
      });
    });
}
