import { existsSync, globSync } from "node:fs";
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
import { cadre, createProject, type Project } from "./command-line.ts";

/** A run that changes files in two steps, and waits between them. */
const script = `scripts:
  - when: { task: change, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "cat a.txt dirty.txt > b.txt; rm a.txt" } }] }
  - when: { task: change, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "cat b.txt > c.txt; pwd" } }] }
  - when: { task: halves, turn: 0 }
    reply: { calls: [{ tool: Write, input: { file_path: first.txt, content: first } }] }
  - when: { task: halves, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "echo half > half.txt; echo x > ignored; while [ ! -e $HOME/go ]; do sleep 0.05; done" } }] }
  - when: { task: halves, turn: 2 }
    reply: { calls: [{ tool: Bash, input: { command: "ls > list.txt; pwd > folder.txt" } }] }
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

interface Result {
  status: string;
  text: string;
  warnings: string[];
}

async function resultOf(place: Project, id: string): Promise<Result> {
  const { stdout } = await cadre(place, ["attach", id, "--json"]);
  return JSON.parse(stdout) as Result;
}

/** Waits until workers have nothing to do. */
async function ended(place: Project): Promise<void> {
  const busy = async (): Promise<string[]> => {
    const { workers, waiting } = await listWork(place);
    return [...workers.flatMap(({ families }) => families), ...waiting.map(({ rootId }) => rootId)];
  };
  await expect.poll(busy, poll).toEqual([]);
}

function refsOf(clone: ClonedRepository): string[] {
  return clone.atRemote("for-each-ref", "--format=%(refname)").trim().split("\n");
}

describe.skipIf(postgresUrl === undefined)("cadre run --detach --workspace git", () => {
  it("works on the files as they were, and its changes come home by git", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    await startReadyWorker(place, "--clone", clone.remote);
    place.write("dirty.txt", "dirty\n");
    const id = await submitByGit(place, "change");
    place.write("dirty.txt", "later\n");
    const { status, warnings } = await resultOf(place, id);
    expect(status).toBe("succeeded");
    expect(warnings.join(" ")).toContain(`on the branch cadre/${id} of ${clone.remote}`);
    await ended(place);
    expect(existsSync(join(place.path, "c.txt"))).toBe(false);
    expect(refsOf(clone)).toEqual([`refs/heads/cadre/${id}`, "refs/heads/trunk"]);
    const diff = (await cadre(place, ["diff", id, "--json"])).stdout;
    expect(JSON.parse(diff)).toMatchObject({
      branch: `cadre/${id}`,
      files: [
        { path: "a.txt", status: "deleted" },
        { path: "b.txt", status: "added" },
        { path: "c.txt", status: "added" },
      ],
    });
    // The journal names the folder at home.
    const { stdout: journal } = await cadre(place, ["events", id, "--json"]);
    expect(journal).toContain(`${place.path}\\n`);
    expect(journal).not.toContain("worktrees/families");
    clone.git("checkout", "--quiet", "--", ".");
    clone.git("clean", "--quiet", "--force");
    clone.commit({ "mine.txt": "mine" });
    const { code, stderr } = await cadre(place, ["merge", id]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(clone.git("show", "HEAD:c.txt")).toBe("0\ndirty\n");
    expect(existsSync(join(place.path, "c.txt"))).toBe(true);
    expect(refsOf(clone)).toEqual(["refs/heads/trunk"]);
    expect(clone.git("branch", "--format=%(refname)")).toBe("refs/heads/trunk\n");
    const again = await cadre(place, ["merge", id]);
    expect(again.stderr).toContain("its changes are merged or discarded, or it changed nothing");
  });

  it("goes on with the same files at a worker of another home and state folder", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    const first = await startReadyWorker(place, "--clone", clone.remote);
    const id = await submitByGit(place, "halves");
    await expect
      .poll(() => checkouts(place).some((path) => has(path, "half.txt")), poll)
      .toBe(true);
    const home = createProject({ go: "" }).path;
    const other = { CADRE_STATE_DIR: join(home, "state"), XDG_STATE_HOME: join(home, "xdg") };
    const elsewhere = {
      ...place,
      home,
      environment: { ...place.environment, HOME: home, ...other },
    };
    await startReadyWorker(elsewhere, "--clone", clone.remote);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
    await ended(place);
    const list = clone.atRemote("show", `cadre/${id}:list.txt`).split("\n");
    // What the interrupted command wrote is not recorded, and is not there.
    expect(list).toContain("first.txt");
    expect(list).not.toContain("half.txt");
    expect(list).not.toContain("ignored");
    expect(clone.atRemote("show", `cadre/${id}:folder.txt`)).toMatch(`${home}/xdg/`);
    expect(refsOf(clone)).toEqual([`refs/heads/cadre/${id}`, "refs/heads/trunk"]);
    expect(checkouts(elsewhere)).toEqual([]);
    // The next worker of the first home deletes what the killed one left.
    expect(checkouts(place)).toHaveLength(1);
    await startReadyWorker(place, "--clone", clone.remote);
    expect(checkouts(place)).toEqual([]);
  });
});

/** The checkouts of the workers of a home. */
function checkouts({ environment, home }: Project): string[] {
  const state = join(environment["XDG_STATE_HOME"] ?? join(home, ".local/state"), "cadre");
  return globSync(join(state, "worktrees/families/*/*/"));
}

function has(folder: string, name: string): boolean {
  return existsSync(join(folder, name));
}
