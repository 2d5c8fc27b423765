import { z } from "zod";
import {
  type EffectiveContext,
  readEffectiveContext,
} from "../../engine/prompt/effective-context.ts";
import { CadreError } from "../../errors.ts";
import { readOverview } from "../../registry/read-overviews.ts";
import { answerOf } from "../../run/answer.ts";
import type { Run, RunSpec } from "../../run/run.ts";
import { closedObject } from "../../source/closed-object.ts";
import { didYouMean } from "../../source/nearest.ts";
import type { JsonValue } from "../../source/json.ts";
import { createTool, type Tool, type ToolOutcome } from "../../tool/tool.ts";
import { findFamilyRun } from "../family/dependencies.ts";
import { findNamed, readEarlierFamilyRuns } from "../family/earlier-runs.ts";
import { sessionOf, sessionName } from "../family/session-name.ts";
import { describeRunName, requireRun, type SessionPort } from "./session-scope.ts";
import { describeProgress } from "./sessions-wait-tool.ts";

const input = closedObject({
  key: z.string().optional().describe("Return this value of the shared context, whole."),
  ...sessionName,
}).refine(
  ({ runId, label }) => runId === undefined || label === undefined,
  "expected runId or label, not both",
);

type Reader = Pick<SessionPort, "registry" | "families">;

/** Creates the `context_get` tool, which reads the context shared with the caller, and results of its family. */
export function createContextGetTool(port: Reader): Tool {
  return createTool({
    name: "context_get",
    description:
      "Reads the shared context: with a key, its whole value; with the id or label of any run of this family, the whole result of that run and its shared context. Without arguments: all of your shared context, with its sources.",
    access: "none",
    input,
    describe: ({ key, ...name }) => ({
      title: `Read the context ${[sessionOf(name), key].filter((part) => part !== undefined).join(" ")}`,
      subject: "",
      paths: [],
    }),
    async execute({ key, ...name }, { caller }) {
      const { spec } = caller;
      const asked = sessionOf(name);
      const run = asked === undefined ? undefined : await findRun(port, spec, asked);
      const of = run === undefined ? spec : ((await port.registry.spec(run.id)) ?? spec);
      const context = await readEffectiveContext(port.registry, of);
      if (key !== undefined) return describeValue(context, key);
      return await describeAll(port, context, run);
    },
  });
}

async function findRun({ registry, families }: Reader, spec: RunSpec, name: string): Promise<Run> {
  // A root run may depend on runs of other families.
  if (spec.dependsOn.includes(name)) return await requireRun(registry, name);
  const family = await families.of(spec.rootId);
  const earlier =
    family.find(name) === undefined ? await readEarlierFamilyRuns(registry, spec) : [];
  const { id } = findNamed(earlier, name) ?? findFamilyRun(family, name);
  return await requireRun(registry, id);
}

function describeValue(context: EffectiveContext, key: string): ToolOutcome {
  const entry = context.get(key);
  if (entry === undefined) {
    const keys = [...context.keys()];
    const message = `Nothing is shared under the key "${key}".${didYouMean(key, keys)} Keys: ${keys.join(", ") || "none"}.`;
    throw new CadreError("invalid-argument", message);
  }
  return { text: toText(entry.value) };
}

async function describeAll(
  { registry }: Reader,
  context: EffectiveContext,
  run: Run | undefined,
): Promise<ToolOutcome> {
  const names = await nameSharers(registry, context);
  const shared = [...context].map(
    ([key, { value, from }]) => `- ${key} (shared by ${names.get(from)}): ${JSON.stringify(value)}`,
  );
  const list = shared.length === 0 ? "Nothing is shared." : ["Shared:", ...shared].join("\n");
  return {
    text: run === undefined ? list : `${await describeRunResult(registry, run)}\n\n${list}`,
  };
}

async function describeRunResult(registry: Reader["registry"], run: Run): Promise<string> {
  const { result } = run;
  const name = describeRunName(run);
  if (result === null) {
    const stand = describeProgress(await readOverview(registry, run));
    return `${name} has no result yet: ${stand}.`;
  }
  const { failure, status } = result;
  const end = failure === undefined ? status : `${status}, ${failure.code}: ${failure.message}`;
  return `${name} (${end}):\n${answerOf(result)}`;
}

async function nameSharers(
  registry: Reader["registry"],
  context: EffectiveContext,
): Promise<Map<string, string>> {
  const ids = [...new Set([...context.values()].map(({ from }) => from))];
  const names = ids.map(async (id): Promise<[string, string]> => {
    const spec: RunSpec | undefined = await registry.spec(id);
    if (spec === undefined) return [id, id];
    // The caller of the run defined its layer.
    const giver = spec.parentId === null ? undefined : await registry.run(spec.parentId);
    const by = giver === undefined ? "the user" : describeRunName(giver);
    return [id, `${by} for ${describeRunName(spec)}`];
  });
  return new Map(await Promise.all(names));
}

function toText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
