import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { AgentHandle, Cadre, RunHandle, RunResult } from "../../src/index.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import { createModelProject } from "../fixtures/project.ts";

const Report = z.object({
  files: z.array(z.object({ path: z.string(), lines: z.int().min(0) })),
  note: z.string().nullable(),
});
type Report = z.infer<typeof Report>;

const output: Report = { files: [{ path: "a.ts", lines: 3 }], note: null };

async function openReporter(): Promise<Cadre> {
  const server = await startModelServer(() => [{ tool: "final_output", input: output }]);
  return await createModelProject(server).open();
}

describe("the output of a run", () => {
  test("has the type of a schema of zod", async () => {
    const cadre = await openReporter();
    const run = await cadre.spawn({ agent: "main", task: "report", outputSchema: Report });
    expectTypeOf(run).toEqualTypeOf<RunHandle<Report>>();
    const result = await run.result();
    expectTypeOf(result.output).toEqualTypeOf<Report | undefined>();
    expect(result.output?.files[0]?.lines).toBe(3);
    expect(result).toMatchObject({ status: "succeeded", output });
    expect((await run.journal())[0]).toMatchObject({
      spec: { outputSchema: { type: "object", required: ["files", "note"] } },
    });
  });

  test("is corrected where it does not fit the schema", async () => {
    const server = await startModelServer(({ turn, last }) => {
      if (turn === 1) expect(last.join()).toContain("files[0].lines: ");
      const lines = turn === 0 ? "three" : 3;
      return [{ tool: "final_output", input: { files: [{ path: "a.ts", lines }], note: null } }];
    });
    const cadre = await createModelProject(server).open();
    const result = await cadre.run({ agent: "main", task: "report", outputSchema: Report });
    expect(result).toMatchObject({ status: "succeeded", turns: 2, output });
  });

  test("has the type that the caller names, and is unknown else", async () => {
    const cadre = await openReporter();
    const outputSchema = { type: "object", properties: { files: {} } } as const;
    const request = { agent: "main", task: "report", outputSchema };
    const plain = await cadre.run(request);
    expectTypeOf(plain).toEqualTypeOf<RunResult>();
    const named = await cadre.run<Report>(request);
    expectTypeOf(named.output).toEqualTypeOf<Report | undefined>();
    const main = cadre.agent("main");
    expectTypeOf(main).toEqualTypeOf<AgentHandle>();
    const typed = await main.run({ task: "report", outputSchema: Report });
    expectTypeOf(typed.output).toEqualTypeOf<Report | undefined>();
    expectTypeOf(await main.run("report")).toEqualTypeOf<RunResult>();
    expect([plain, named, typed].map((result) => result.output)).toEqual([output, output, output]);
    expectTypeOf((await cadre.find("last")).result).returns.resolves.toEqualTypeOf<RunResult>();
  });

  test("cannot be of a type that JSON does not have", () => {
    const start = (cadre: Cadre) =>
      // @ts-expect-error: the schema has another type than the caller names.
      cadre.spawn<{ other: string }>({ agent: "main", task: "x", outputSchema: Report });
    expect(start).toBeTypeOf("function");
  });
});

describe("a schema that JSON Schema cannot express is refused, and names the place:", () => {
  test.each<[string, z.ZodType, string]>([
    ["a date", z.object({ at: z.date() }), "#/properties/at: the type date"],
    ["a map", z.array(z.map(z.string(), z.string())), "#/items: the type map"],
    ["a transform", z.string().transform(Number), "#/: the type transform"],
    [
      "a refinement",
      z.object({ a: z.string().refine((a) => a !== "") }),
      "#/properties/a: a refine",
    ],
    ["a change", z.object({ a: z.string().trim() }), "#/properties/a: a change of the value"],
    ["a bigint", z.bigint(), "#/: the type bigint"],
    ["a class", z.instanceof(Date), "#/: "],
    ["a promise", z.promise(z.string()), "#/: the type promise"],
  ])("%s", async (_, outputSchema, problem) => {
    const cadre = await createModelProject().open();
    const refused = cadre.spawn({ agent: "main", task: "x", outputSchema });
    await expect(refused).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(problem) as string,
    });
    expect(await cadre.runs()).toEqual([]);
  });

  test("a schema of another library that converts itself is accepted, others are refused", async () => {
    const cadre = await openReporter();
    const types = { output: {} as { files: unknown } };
    const jsonSchema = { output: () => ({ type: "object", required: ["files"] }) };
    const own = { "~standard": { vendor: "own", types, jsonSchema } };
    const result = await cadre.run({ agent: "main", task: "x", outputSchema: own });
    expectTypeOf(result.output).toEqualTypeOf<{ files: unknown } | undefined>();
    expect(result.output).toEqual(output);
    const mute = { "~standard": { vendor: "mute", types } };
    const failing = {
      output: () => {
        throw new Error("no dates");
      },
    };
    const broken = { "~standard": { vendor: "broken", types, jsonSchema: failing } };
    for (const [schema, message] of [
      [mute, "a schema of mute, which does not convert itself"],
      [broken, "no dates"],
    ] as const) {
      const refused = cadre.spawn({ agent: "main", task: "x", outputSchema: schema });
      await expect(refused).rejects.toThrow(message);
    }
  });
});
