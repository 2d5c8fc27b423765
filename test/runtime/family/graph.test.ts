import { describe, expect, test } from "vitest";
import { CadreError, type CadreOptions } from "../../../src/index.ts";
import {
  type ServerReply,
  type ServerTurn,
  startModelServer,
} from "../../fixtures/model-server.ts";
import { createModelProject } from "../../fixtures/project.ts";

async function open(
  graph: string,
  script: (turn: ServerTurn) => ServerReply = ({ task }) => `did: ${task}`,
  options: CadreOptions = {},
) {
  const server = await startModelServer(script);
  const project = createModelProject(server);
  project.writeAgent("worker", { max_turns: 1 });
  project.write("release.yaml", graph);
  return { server, project, cadre: await project.open(options) };
}

const release = `
sharedContext: { goal: ship }
runs:
  - { label: build, agent: worker, task: build, dependsOn: [plan, look], includeDependencyResult: true }
  - { label: plan, agent: worker, task: plan, dependsOn: look }
  - { label: look, agent: worker, task: look }
  - { label: tell, agent: worker, task: tell, sharedContext: { $build: reference } }
`;

describe("a graph", () => {
  test("runs as one family, each run after its dependencies, and reports each outcome", async () => {
    const { server, cadre } = await open(release);
    const run = await cadre.spawnGraph("release.yaml", { label: "release" });
    const result = await run.result();
    expect(result).toMatchObject({ status: "succeeded" });
    expect(result.text).toMatch(
      /^4 of 4 runs succeeded\.\n\n## look: succeeded\n\ndid: look\n\n## plan/,
    );
    expect(result.output).toMatchObject({
      runs: { look: { status: "succeeded", text: "did: look", agent: "worker" }, tell: {} },
    });
    const [root, ...children] = await cadre.tree(run.id);
    expect(root).toMatchObject({ agent: "graph", label: "release", depth: 0 });
    expect(children.map(({ label, depth }) => [label, depth])).toEqual(
      ["look", "plan", "build", "tell"].map((label) => [label, 1]),
    );
    expect(server.turns.map(({ task }) => task.split("\n").at(-1))).toEqual([
      "look",
      "plan",
      "build",
      "tell",
    ]);
    expect(server.turns[3]?.system).toMatch(
      /\[Shared Context\]:\n- build: "did: .*\n- goal: "ship"/,
    );
  });

  test("starts all its runs at once, more than an agent may have active", async () => {
    const runs = Array.from({ length: 60 }, (_, index) => {
      const after = index === 0 ? "" : `, dependsOn: r${index - 1}`;
      return `  - { label: r${index}, agent: worker, task: x${after} }`;
    });
    const { cadre } = await open(`runs:\n${runs.join("\n")}\n`);
    const run = await cadre.spawnGraph("release.yaml");
    expect(await run.result()).toMatchObject({ status: "succeeded" });
    expect(await cadre.tree(run.id)).toHaveLength(61);
  });

  test("fails when a run fails that no dependent handles, and keeps the finished results", async () => {
    const { cadre } = await open(release, ({ task }) =>
      task === "plan" ? [{ tool: "LS", input: {} }] : "ok",
    );
    const result = await (await cadre.spawnGraph("release.yaml")).result();
    expect(result).toMatchObject({
      status: "failed",
      failure: {
        code: "limit-exceeded",
        message:
          "3 of 4 runs did not succeed: plan (limit-exceeded), build (dependency-failed), tell (dependency-failed).",
        details: { runs: { look: { status: "succeeded", text: "ok" } } },
      },
    });
    expect(result.text).toContain("1 of 4 runs succeeded.");
  });

  test("succeeds when a dependent handles a failed run", async () => {
    const graph = `runs:
  - { label: first, agent: worker, task: break }
  - { label: second, agent: worker, task: mend, dependsOn: first, onDependencyError: run }
`;
    const { server, cadre } = await open(graph, ({ task }) =>
      task === "break" ? [{ tool: "LS", input: {} }] : "mended",
    );
    const result = await (await cadre.spawnGraph("release.yaml")).result();
    expect(result).toMatchObject({ status: "succeeded" });
    expect(server.turns[1]?.task).toContain("limit-exceeded");
  });

  test("is refused as a whole for unknown agents and models and invalid numbers, before anything starts", async () => {
    const graph = `runs:
  - { label: a, agent: workr, task: x }
  - { label: b, agent: worker }
  - { label: c, agent: worker, task: x, model: "nobody:none" }
`;
    const { server, cadre } = await open(graph, undefined, { limits: { familyRuns: 3 } });
    const error: unknown = await cadre
      .spawnGraph("release.yaml")
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CadreError);
    const { code, message } = error as CadreError;
    expect(code).toBe("definition-invalid");
    expect(message).toMatch(/release\.yaml:2:17 .*There is no agent workr\. Did you mean `worker`/);
    expect(message).toMatch(/release\.yaml:3:5 .*Expected a task for worker/);
    expect(message).toMatch(/release\.yaml:4:41 .*nobody/);
    expect(message).toMatch(
      /There are 3 runs and the graph's own; at most 3 runs may be in a family/,
    );
    expect(await cadre.runs()).toEqual([]);
    expect(server.turns).toEqual([]);
  });

  test("is refused for input that an agent does not accept, and reports problems of agents and of the file together", async () => {
    const say = "title: Say\ndescription: Says it\nprompt: Say {{ what }}\nparameters:\n";
    const parameter = "{ key: what, input_type: string, requirement: required, description: d }";
    const refuse = async (runs: string): Promise<string> => {
      const { cadre, project } = await open(`runs:\n${runs}`);
      project.write(".cadre/recipes/say.yaml", `${say}  - ${parameter}\n`);
      const error: unknown = await cadre
        .spawnGraph("release.yaml")
        .catch((thrown: unknown) => thrown);
      expect(await cadre.runs()).toEqual([]);
      return (error as CadreError).message;
    };
    const wrong = await refuse(
      "  - { label: a, agent: say }\n  - { label: b, agent: worker, task: x, parameters: { y: 1 } }",
    );
    expect(wrong).toMatch(/release\.yaml:2:17 [^]*`what` \(string\) is missing/);
    expect(wrong).toMatch(/release\.yaml:3:41 .*is not a recipe, so it takes no parameters/);
    const both = await refuse("  - { label: a, agent: workr, taks: x }");
    expect(both).toMatch(/release\.yaml:2:17 .*no agent workr[^]*:2:31 .*no such field/);
  });

  test("ends with all its runs when it is cancelled", async () => {
    const working = Promise.withResolvers<void>();
    const graph = `runs:
  - { label: a, agent: worker, task: a }
  - { label: b, agent: worker, task: b, dependsOn: a }
`;
    const server = await startModelServer(async () => {
      working.resolve();
      return await new Promise<never>(() => undefined);
    });
    const project = createModelProject(server);
    project.writeAgent("worker");
    project.write("g.yaml", graph);
    const cadre = await project.open();
    const run = await cadre.spawnGraph("g.yaml");
    await working.promise;
    await run.cancel("enough");
    const family = await cadre.tree(run.id);
    expect(family.map(({ status }) => status)).toEqual(Array(3).fill("cancelled"));
  });
});
