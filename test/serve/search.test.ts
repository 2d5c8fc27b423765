import { expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { cadre } from "../cli/command-line.ts";
import { serveInProcess, token } from "./serve-fixture.ts";

test("runs of every process are found by what they said; deleted ones are not", async () => {
  const { url, project } = await serveInProcess();
  const client = createClient({ url, token });
  expect(await client.searchRuns({ text: "harbour" })).toEqual({
    hits: [],
    next: null,
    isComplete: true,
  });
  const { run } = await client.startRun({ agent: "main", task: "Describe the <b>harbour</b>" });
  await client.readResult(run.id);
  expect((await cadre(project, ["run", "harbour lights"])).code).toBe(0);
  const { hits } = await client.searchRuns({ text: "harb" });
  expect(hits).toHaveLength(2);
  expect(hits[1]).toMatchObject({ kind: "task", seq: 1, run: { id: run.id, isLeft: false } });
  expect(hits[1]?.excerpt.map(({ text }) => text).join("")).toBe("Describe the <b>harbour</b>");
  // Each passage belongs to its own run.
  expect(hits[0]?.excerpt.map(({ text }) => text).join("")).toBe("harbour lights");
  const page = await client.searchRuns({ text: "harb", limit: 1 });
  const rest = await client.searchRuns({ text: "harb", limit: 1, cursor: page.next ?? "" });
  expect(rest.hits.map((hit) => hit.run.id)).toEqual([run.id]);
  await expect(client.searchRuns({ text: "" })).rejects.toMatchObject({ status: 400 });
  await expect(client.searchRuns({ text: "a", cursor: "x" })).rejects.toMatchObject({
    status: 400,
  });
  expect((await cadre(project, ["prune", "--older-than", "0s"])).stderr).not.toContain("Expected");
  expect((await client.searchRuns({ text: "harbour" })).hits).toEqual([]);
});
