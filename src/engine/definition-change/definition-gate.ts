import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ExtensionConfig } from "../../run/extension-config.ts";
import type { RunSpec } from "../../run/run.ts";
import { grantOf, refuseCall } from "../permit.ts";
import type { Session } from "../session.ts";
import { RunFailed } from "../to-failure.ts";
import { type BroughtCode, findBroughtCode } from "./brought-code.ts";
import { type DefinitionPlace, findChangedFiles } from "./definition-files.ts";

/** What {@link createDefinitionGate} needs. */
export interface DefinitionGateOptions {
  place: DefinitionPlace;
  /** The configurations of the servers that a run does not have from its parent. */
  ownServers: (spec: RunSpec) => Promise<readonly ExtensionConfig[]>;
}

/** Lets a run begin, or rejects with `RunFailed`. */
export type DefinitionGate = (session: Session) => Promise<void>;

/**
 * Asks the user before a run executes code of a definition that appeared or changed after `RunSpec.definitionsAsOf`. Otherwise an
 * agent that may write files, and nothing else, could write a definition with a server of its own and delegate to it.
 *
 * The question is one of the new run: it is stored there, names the whole chain of agents, and is asked again after a crash. An answer
 * counts for the content it was given for: when that changes while the user thinks, the next question follows. "Always" counts for
 * every family of this process.
 */
export function createDefinitionGate({ place, ownServers }: DefinitionGateOptions): DefinitionGate {
  const accepted = new Set<string>();

  async function findChange({ spec, definition }: Session): Promise<Change | undefined> {
    const servers = await ownServers(spec);
    const code = await findBroughtCode(definition, servers, place);
    if (code.lines.length === 0) return undefined;
    // Runs of earlier versions do not say what they knew.
    const since = spec.definitionsAsOf ?? 0;
    const changed = await findChangedFiles(code.files, since, place);
    if (changed.length === 0) return undefined;
    return { ...code, changed, subject: `${spec.agent} ${await hashOf(code, servers)}` };
  }

  return async (session) => {
    for (let asked = ""; ;) {
      const change = await findChange(session);
      if (change === undefined || change.subject === asked) return;
      asked = change.subject;
      const grant = grantOf("Agent", asked);
      if (accepted.has(grant)) session.granted.add(grant);
      const refusal = await refuseCall(session, toRequest(change, session));
      if (refusal !== undefined) throw refused(change, session, refusal);
      if (session.granted.has(grant)) accepted.add(grant);
    }
  };
}

/** Of the servers all counts, also the values that a question does not show. */
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
  /** Those of its files that changed. */
  changed: readonly string[];
  /** What rules are matched against: the agent, and a hash of what would run. */
  subject: string;
}

function toRequest(
  { lines, changed, subject }: Change,
  { spec }: Session,
): Parameters<typeof refuseCall>[1] {
  const runs = lines.join("\n");
  const title = `start ${spec.agent}, which would run ${lines.join("; ")}`;
  return {
    key: `definition/${subject}`,
    tool: { name: "Agent", access: "delegate" },
    call: { title, subject, paths: [] },
    input: { runs, changed: changed.join("\n") },
    raisesRights: "the code of the agent changed after its family began",
  };
}

function refused(
  { lines, changed, subject }: Change,
  { spec }: Session,
  reason: string,
): RunFailed {
  const message = [
    `The agent ${spec.agent} was not started: ${reason}.`,
    `It brings code that changed after its family began (${changed.join(", ")}), which the user has to allow: ${lines.join("; ")}.`,
    `Do without it. The user can allow exactly this code with the rule \`Agent(${subject})\` under permissions.allow, or start anew.`,
  ].join(" ");
  return new RunFailed({ code: "permission-denied", message, details: { changed: [...changed] } });
}
