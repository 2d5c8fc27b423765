// Approval of code whose definition changed after the family began.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { RunSpec } from "../../run/run.ts";
import { grantOf, refuseCall } from "../tool-call/check-permission.ts";
import type { RunContext } from "../run-context/run-context.ts";
import { RunFailed } from "../run-failed.ts";
import { type BroughtCode, findBroughtCode } from "./brought-code.ts";
import { type DefinitionFolders, findNewerFiles } from "./definition-files.ts";

/** Options of {@link createDefinitionGate}. */
export interface DefinitionGateOptions {
  folders: DefinitionFolders;
  /** Returns the configurations of servers that a run does not inherit from its parent. */
  ownServers: (spec: RunSpec) => Promise<readonly ExtensionConfig[]>;
}

/** Allows a run to start, or rejects with `RunFailed`. */
export type DefinitionGate = (run: RunContext) => Promise<void>;

/**
 * Asks the user before a run executes code of a definition that appeared or changed after `RunSpec.definitionsAsOf`. Without
 * this, an agent that may only write files could write a definition with a server and delegate to it.
 * The question belongs to the new run: it is recorded there, names the whole chain of agents, and is asked again after a crash.
 * An answer applies to the content that was shown. If that content changes meanwhile, another question follows. "Always" applies
 * to every family of this process.
 */
export function createDefinitionGate({
  folders,
  ownServers,
}: DefinitionGateOptions): DefinitionGate {
  const accepted = new Set<string>();

  async function findChange({ spec, definition }: RunContext): Promise<Change | undefined> {
    const servers = await ownServers(spec);
    const code = await findBroughtCode(definition, servers, folders);
    if (code.lines.length === 0) return undefined;
    // Runs of earlier versions lack this time.
    const since = spec.definitionsAsOf ?? 0;
    const changed = findNewerFiles(code.files, since, folders);
    if (changed.length === 0) return undefined;
    return { ...code, changed, subject: `${spec.agent} ${await hashOf(code, servers)}` };
  }

  return async (run) => {
    for (let asked = ""; ;) {
      const change = await findChange(run);
      if (change === undefined || change.subject === asked) return;
      asked = change.subject;
      const grant = grantOf("Agent", asked);
      if (accepted.has(grant)) run.granted.add(grant);
      const refusal = await refuseCall(run, toRequest(change, run));
      if (refusal !== undefined) throw refused(change, run, refusal);
      if (run.granted.has(grant)) accepted.add(grant);
    }
  };
}

/** The hash covers servers completely, including values that the question does not show. */
async function hashOf(
  { files, lines }: BroughtCode,
  servers: readonly ExtensionConfig[],
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify([lines, servers]));
  for (const path of files) {
    const content = await readFile(path).catch(() => "");
    hash.update(JSON.stringify([path, createHash("sha256").update(content).digest("hex")]));
  }
  return hash.digest("hex").slice(0, 16);
}

interface Change extends BroughtCode {
  /** The changed files. */
  changed: readonly string[];
  /** The subject that rules match: the agent and a hash of the code. */
  subject: string;
}

function toRequest(
  { lines, changed, subject }: Change,
  { spec }: RunContext,
): Parameters<typeof refuseCall>[1] {
  const runs = lines.join("\n");
  const title = `start ${spec.agent}, which would run ${lines.join("; ")}`;
  return {
    key: `definition/${subject}`,
    tool: { name: "Agent", access: "delegate" },
    call: {
      title,
      subject,
      paths: [],
      raisesRights:
        "code of the agent, or a file that refers to it, changed after its family began",
    },
    input: { runs, changed: changed.join("\n") },
  };
}

function refused(
  { lines, changed, subject }: Change,
  { spec }: RunContext,
  reason: string,
): RunFailed {
  const message = [
    `The agent ${spec.agent} was not started: ${reason}.`,
    `Its code, or a file that refers to it, changed after its family began (${changed.join(", ")}), so the user has to allow what it would run: ${lines.join("; ")}.`,
    `Continue without it. The user can allow exactly this code with the rule \`Agent(${subject})\` under permissions.allow, or start a new run.`,
  ].join(" ");
  return new RunFailed({ code: "permission-denied", message, details: { changed: [...changed] } });
}
