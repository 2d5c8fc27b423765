// The command `cadre db`, which migrates a registry in PostgreSQL.

import type { Command } from "commander";
import { withRuns } from "../../run/open-cadre.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { writeError, writeJson, writeLine } from "../../terminal/output.ts";

const examples = `
Examples:
  cadre db migrate
  cadre db migrate --json
  CADRE_REGISTRY_URL=postgresql://host/name cadre db migrate

Run this once for a registry in PostgreSQL, and after each update of Cadre that changes its tables. A registry in a file never
needs it.`;

/** `cadre db` and its subcommand. */
export function defineDb(command: Command): void {
  command.addHelpText("after", examples);
  command
    .command("migrate")
    .description("create the tables of the registry in PostgreSQL, or migrate them")
    .option(
      "--json",
      "write JSON: { name, from, to, queue }, with the schema versions before and now",
    )
    .addHelpText("after", examples)
    .action(async ({ json }: { json?: boolean }) => await migrate(json === true));
}

async function migrate(json: boolean): Promise<void> {
  const { migrateRegistry } = await import("../../../host.ts");
  const migrated = await withRuns(
    async ({ configuration }) => await migrateRegistry(configuration.config),
  );
  if (json) return writeJson(migrated);
  const { name, from, to, queue } = migrated;
  writeLine(cleanText(`${name}: ${describeMigration(from, to)}`));
  if (!queue) {
    writeError("Workers need the package @dbos-inc/dbos-sdk, and then this command again.");
  }
}

function describeMigration(from: number, to: number): string {
  if (from === to) return `the tables have schema version ${to} already.`;
  if (from === 0) return `created the tables, schema version ${to}.`;
  return `migrated the tables from schema version ${from} to ${to}.`;
}
