import { type Command, Option } from "commander";
import type { DbosOptions } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The options of a command that can give its run to the workers. */
export interface DetachOptions extends Pick<DbosOptions, "workspace" | "pushSecrets"> {
  detach?: boolean;
  needs?: string;
}

/** Adds these options to a command. */
export function addDetachOptions(command: Command): Command {
  return command
    .option(
      "--detach",
      "let a worker execute the run, on any machine, and return its id at once; see `cadre worker`",
    )
    .option("--needs <label>", "with --detach: only workers with this label execute it")
    .addOption(
      new Option(
        "--workspace <how>",
        "with --detach: workers have the folder at the same path, or get its files through git (default: same)",
      ).choices(["same", "git"]),
    )
    .option("--push-secrets", "with --workspace git: push files that seem to hold secrets too");
}

/** Returns which workers execute the run, and how its files reach them. */
export function toWay({ needs, workspace, pushSecrets }: DetachOptions): DbosOptions {
  return omitUndefined({ label: needs, workspace, pushSecrets });
}
