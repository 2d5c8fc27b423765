import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ClonedRepository, createClone } from "../fixtures/git-remote.ts";
import { postgresUrl } from "../fixtures/postgres/test-schema.ts";
import {
  createWorkerPlace,
  listWork,
  startReadyWorker,
  submit,
} from "../fixtures/postgres/worker-place.ts";
import { cadre, type Project } from "./command-line.ts";

/** A run that changes files in two steps, and waits between them. */
const script = `scripts:
  - when: { task: change, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "cat a.txt dirty.txt > b.txt; rm a.txt" } }] }
  - when: { task: change, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "cat b.txt > c.txt; pwd" } }] }
  - reply: { text: "answer to {{task}}" }
`;

const poll = { timeout: 60_000, interval: 100 };

interface GitPlace extends Project {
  clone: ClonedRepository;
}

async function createGitPlace(): Promise<GitPlace> {
  const place = await createWorkerPlace(script);
  place.write(".gitignore", "ignored\nstate\n");
  const clone = createClone(place.path);
  return { ...place, clone };
}

async function submitByGit(place: Project, ...words: string[]): Promise<string> {
  return await submit(place, "--workspace", "git", ...words);
}

async function resultOf(place: Project, id: string): Promise<{ status: string; text: string }> {
  const { stdout } = await cadre(place, ["attach", id, "--json"]);
  return JSON.parse(stdout) as { status: string; text: string };
}

describe.skipIf(postgresUrl === undefined)("cadre run --detach --workspace git", () => {
  it("works on the files as they were, and brings the changes back as a branch", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    place.write("dirty.txt", "dirty\n");
    await startReadyWorker(place, "--clone", clone.remote);
    const id = await submitByGit(place, "change");
    place.write("dirty.txt", "later\n");
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
    await expect.poll(async () => (await listWork(place)).workers[0]?.families, poll).toEqual([]);
    expect(clone.atRemote("show", `cadre/${id}:c.txt`)).toBe("0\ndirty\n");
    expect(existsSync(join(place.path, "c.txt"))).toBe(false);
    expect(clone.atRemote("for-each-ref", "--format=%(refname)", "refs/cadre")).toBe("");
  });
});
