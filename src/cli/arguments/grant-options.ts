import type { Command } from "commander";
import { trustHelp } from "./trust-text.ts";
import type { CadreOptions } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** Rights that a command grants to an earlier run, because journals do not store granted rights. `createCadre` checks the values. */
export interface GrantOptions extends Pick<CadreOptions, "trust" | "mode" | "sandbox"> {
  model?: string;
  waitForAnswers?: boolean;
}

/** The help of `--wait-for-answers`. */
export const waitHelp =
  "permission questions wait for `cadre answer`; without this and without a terminal they are denied";

/** Adds the options that grant an earlier run its rights again. */
export function addGrantOptions(command: Command): Command {
  return addRightOptions(command, "the run").option("--wait-for-answers", waitHelp);
}

/** Adds the options that grant rights to `whom`, such as `the run`. */
export function addRightOptions(command: Command, whom: string): Command {
  return command
    .option("--trust", trustHelp)
    .option(
      "--mode <mode>",
      `what ${whom} may do without asking: plan, read-only, deny, ask, accept-edits or auto`,
    )
    .option("--model <model>", "provider:model or an alias, for agents that name none")
    .option("--sandbox <mode>", "whether commands run in a sandbox: auto, off or required");
}

/** Returns the options of `createCadre` for the granted rights. */
export function toGrants(options: GrantOptions): CadreOptions {
  const { trust, mode, model, sandbox, waitForAnswers } = options;
  return {
    ...(trust === true && { trust }),
    ...(waitForAnswers === true && { onApproval: "wait" }),
    ...omitUndefined({ mode, model, sandbox }),
  };
}
