import type { Command } from "commander";
import { trustHelp } from "./wording/trust-text.ts";
import type { CadreOptions } from "../index.ts";

/** What a command grants runs that began earlier; a journal does not keep what it was granted then. */
export interface GrantOptions {
  trust?: boolean;
  mode?: string;
  model?: string;
  sandbox?: string;
}

/** Adds the options by which a user grants an earlier run again what it began with. */
export function addGrantOptions(command: Command): Command {
  return command
    .option("--trust", trustHelp)
    .option(
      "--mode <mode>",
      "plan, read-only, deny, ask, accept-edits or auto: what it may do unasked",
    )
    .option("--model <model>", "provider:model or an alias, for what names none")
    .option("--sandbox <mode>", "auto, off or required: whether commands run in a sandbox");
}

/** What Cadre is opened with for them. */
export function toGrants({ trust, mode, model, sandbox }: GrantOptions): CadreOptions {
  return {
    ...(trust === true && { trust }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    ...(sandbox !== undefined && { sandbox }),
  };
}
