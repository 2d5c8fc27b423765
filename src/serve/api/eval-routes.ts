import { z } from "zod";
import { budgetSchema, closedObject } from "../../host.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { startOnce } from "../http/start-once.ts";
import { defineRoute, queryNumber, type Route, type RouteServices } from "../http/route.ts";
import { evalSchema, findingSchema } from "../http/schemas.ts";

async function viewEval({ cadre }: RouteServices, id: string): Promise<{ eval: unknown }> {
  const { readEval } = await import("../../host.ts");
  return { eval: (await readEval(cadre.stateFolder, id)).eval };
}

const listEvals = defineRoute({
  method: "GET",
  path: "/evals",
  operation: "listEvals",
  summary: "Lists the evals of all processes of the project, newest first.",
  query: closedObject({
    limit: queryNumber(1, 200).default(50),
    cursor: z.string().min(1).optional().describe("`next` of the previous page."),
  }),
  isShared: true,
  answer: z.object({ evals: z.array(evalSchema), next: z.string().nullable() }),
  async handle({ services: { cadre }, query: { limit, cursor } }) {
    const host = await import("../../host.ts");
    const wanted = { limit: limit + 1, ...omitUndefined({ before: cursor }) };
    const found = await host.listEvals(cadre.stateFolder, wanted);
    const evals = found.slice(0, limit);
    return { json: { evals, next: found.length > limit ? (evals.at(-1)?.id ?? null) : null } };
  },
});

const readEval = defineRoute({
  method: "GET",
  path: "/evals/{eval}",
  operation: "readEval",
  summary:
    "Returns an eval with its cases and its report so far, by its id, the part of it after the dash, or `last`.",
  answer: z.object({
    eval: evalSchema,
    cases: z.array(z.looseObject({ name: z.string(), task: z.string() })),
    report: z.looseObject({ trials: z.array(z.looseObject({})) }),
  }),
  async handle({ services: { cadre }, param }) {
    const host = await import("../../host.ts");
    return { json: await host.readEval(cadre.stateFolder, param("eval")) };
  },
});

const listEvalFiles = defineRoute({
  method: "GET",
  path: "/eval-files",
  operation: "listEvalFiles",
  summary: "Lists the eval files of the project with their cases and findings.",
  answer: z.object({
    files: z.array(
      z.object({
        file: z.string(),
        cases: z.array(z.string()),
        diagnostics: z.array(findingSchema),
      }),
    ),
  }),
  async handle({ services: { cadre, recipes } }) {
    const { findFiles, isEval, loadEvals } = await import("../../host.ts");
    const { cwd } = recipes;
    const files = [];
    for (const file of await findFiles(cwd, isEval)) {
      const { cases, diagnostics } = await loadEvals(cadre, [`${cwd}/${file}`]);
      files.push({ file, cases: cases.map(({ name }) => name), diagnostics });
    }
    return { json: { files } };
  },
});

const text = z.string().min(1);

const startEval = defineRoute({
  method: "POST",
  path: "/evals",
  operation: "startEval",
  summary:
    "Starts an eval of the project's files. This server executes it. A file with commands needs a trusted project.",
  body: closedObject({
    files: z.array(text).min(1).describe("Relative to the folder of the project."),
    filter: text.exactOptional(),
    models: z.array(text).min(1).exactOptional(),
    repeat: z.int().min(1).max(1000).exactOptional(),
    concurrency: z.int().min(1).max(100).exactOptional(),
    budget: budgetSchema.exactOptional(),
  }),
  answer: z.object({ eval: evalSchema }),
  status: 201,
  starts: true,
  async handle(call) {
    const { services, body } = call;
    const { id, status } = await startOnce(
      call,
      body,
      async () => await services.evals.start(body),
    );
    return { status, json: await viewEval(services, id) };
  },
});

const resumeEval = defineRoute({
  method: "POST",
  path: "/evals/{eval}/resume",
  operation: "resumeEval",
  summary: "Continues an eval that was ended or whose process is gone. This server executes it.",
  answer: z.object({ eval: evalSchema }),
  async handle({ services, param }) {
    return { json: await viewEval(services, await services.evals.resume(param("eval"))) };
  },
});

const cancelEval = defineRoute({
  method: "POST",
  path: "/evals/{eval}/cancel",
  operation: "cancelEval",
  summary:
    "Ends an eval of any process with its active runs, and waits until they have ended. `isCancelled` is false when the eval had already ended.",
  answer: z.object({ isCancelled: z.boolean(), eval: evalSchema }),
  async handle({ services, param }) {
    const host = await import("../../host.ts");
    const { stateFolder } = services.cadre;
    const { id } = (await host.readEval(stateFolder, param("eval"))).eval;
    const isCancelled = await host.cancelEval(stateFolder, id);
    return { json: { isCancelled, ...(await viewEval(services, id)) } };
  },
});

/** The routes about evals. */
export const evalRoutes: readonly Route[] = [
  listEvals,
  readEval,
  listEvalFiles,
  startEval,
  resumeEval,
  cancelEval,
];
