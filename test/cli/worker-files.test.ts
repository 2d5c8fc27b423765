import { existsSync, globSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
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
  - when: { task: hello, turn: 1 }
    reply: { calls: [{ tool: Bash, input: { command: "cat dirty.txt > seen.txt" } }] }
  - when: { task: delegate, turn: 0 }
    reply: { calls: [{ tool: Agent, input: { type: alone, prompt: help } }] }
  - when: { task: pause, turn: 0 }
    reply: { calls: [{ tool: Bash, input: { command: "touch $HOME/begun; while [ ! -e $HOME/go ]; do sleep 0.05; done; echo x > x.txt" } }] }
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
    expect(globSync(join(place.home, ".local/state/cadre/worktrees/families/*/*"))).toEqual([]);
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
    const diff = JSON.parse((await cadre(place, ["diff", id, "--json"])).stdout) as unknown;
    expect(diff).toMatchObject({ files: [{ path: "first.txt", status: "added" }] });
    const other = elsewhere(place);
    const { home } = other;
    await startReadyWorker(other, "--clone", clone.remote);
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
    expect(checkouts(other)).toEqual([]);
    // The next worker of the first home deletes what the killed one left.
    expect(checkouts(place)).toHaveLength(1);
    await startReadyWorker(place, "--clone", clone.remote);
    expect(checkouts(place)).toEqual([]);
  });

  it("is refused by workers that may not clone, and waits for one that may", async () => {
    const place = await createGitPlace();
    await startReadyWorker(place, "--clone", "https://example.org/");
    const id = await submitByGit(place, "change");
    await expect
      .poll(async () => (await listWork(place)).waiting, poll)
      .toMatchObject([
        { rootId: id, reason: expect.stringContaining(`--clone ${place.clone.remote}`) as string },
      ]);
    await startReadyWorker(place, "--clone", place.clone.remote);
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
  });

  it("runs the setup commands once for each checkout, and says which one failed", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    const setup = (command: string): void => {
      place.write(".cadre/config.yaml", `worker:\n  workspace: git\n  setup: ["${command}"]\n`);
    };
    await startReadyWorker(place, "--trust", "--clone", clone.remote);
    setup("echo set > ignored; echo up > setup.txt");
    const id = await submit(place, "--trust", "change");
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
    expect(clone.atRemote("show", `cadre/${id}:setup.txt`)).toBe("up\n");
    setup("echo no such module; exit 3");
    const failing = await submit(place, "--trust", "change");
    const reason =
      "`worker.setup` failed (exit code 3) in the checkout of the family. Its last output: no such module";
    await expect
      .poll(async () => (await listWork(place)).waiting, poll)
      .toMatchObject([{ rootId: failing, reason: expect.stringContaining(reason) as string }]);
  });

  it("does not push secrets unless that is allowed, and records no run then", async () => {
    const place = await createGitPlace();
    place.write(".env", "TOKEN=1\n");
    const words = ["run", "--detach", "--workspace", "git", "change"];
    const { code, stderr } = await cadre(place, words);
    expect(code).toBe(2);
    expect(stderr).toContain("by their names these may be some: .env. Add them to .gitignore");
    expect(JSON.parse((await cadre(place, ["runs", "--json"])).stdout)).toEqual({ runs: [] });
    expect(refsOf(place.clone)).toEqual(["refs/heads/trunk"]);
    const allowed = await cadre(place, [...words, "--push-secrets"]);
    expect(allowed.code).toBe(0);
    expect(allowed.stderr).toContain("Pushed in spite of their names: .env.");
  });

  it("cancels the run when the push is refused, with what the remote said", async () => {
    const place = await createGitPlace();
    const hook = join(place.clone.remote, "hooks/pre-receive");
    writeFileSync(hook, "#!/bin/sh\necho you may not push >&2\nexit 1\n", { mode: 0o755 });
    const { code, stderr } = await cadre(place, [
      ...["run", "--detach", "--workspace", "git", "change"],
    ]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("you may not push");
    const { runs } = JSON.parse((await cadre(place, ["runs", "--json"])).stdout) as {
      runs: { status: string }[];
    };
    expect(runs).toMatchObject([{ status: "cancelled" }]);
    expect((await listWork(place)).waiting).toEqual([]);
  });

  it("says what is missing: a repository, a remote or a commit", async () => {
    const place = await createWorkerPlace(script);
    const refusal = async (): Promise<string> =>
      (await cadre(place, ["run", "--detach", "--workspace", "git", "change"])).stderr;
    rmSync(join(place.path, ".git"), { recursive: true });
    expect(await refusal()).toContain("Expected a git repository");
    place.write(".gitignore", "state\n");
    const clone = createClone(place.path);
    clone.git("remote", "remove", "origin");
    expect(await refusal()).toContain("to have the remote `origin`");
    clone.git("remote", "add", "origin", join(place.home, "gone.git"));
    expect(await refusal()).toContain("does not appear to be a git repository");
    clone.git("remote", "set-url", "origin", clone.remote);
    clone.git("update-ref", "-d", "HEAD");
    expect(await refusal()).toContain("Create the first one with `git commit`");
  });

  it("stops when somebody moves its ref, and goes on when it is restored", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    const worker = await startReadyWorker(place, "--clone", clone.remote);
    const id = await submitByGit(place, "pause");
    await expect.poll(() => has(place.home, "begun"), poll).toBe(true);
    const work = `refs/cadre/${id}/work`;
    const before = clone.atRemote("rev-parse", work).trim();
    clone.atRemote("update-ref", work, "trunk");
    place.write("../" + basename(place.home) + "/go", "");
    await worker.said(`${id} cannot be executed here: Expected ${work} at the remote to name`);
    clone.atRemote("update-ref", work, before);
    await startReadyWorker(place, "--clone", clone.remote);
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
  });

  it("is cancelled while it waits, and leaves no refs", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    const id = await submitByGit(place, "change");
    expect((await cadre(place, ["cancel", id])).code).toBe(0);
    expect(refsOf(clone)).toEqual([`refs/cadre/${id}/base`, "refs/heads/trunk"]);
    expect((await cadre(place, ["discard", id])).stderr).toBe("");
    expect(refsOf(clone)).toEqual(["refs/heads/trunk"]);
    const other = await submitByGit(place, "change");
    expect((await cadre(place, ["cancel", other])).code).toBe(0);
    await startReadyWorker(place, "--clone", clone.remote);
    await expect.poll(() => refsOf(clone), poll).toEqual(["refs/heads/trunk"]);
  });

  it("executes submitted code of agents in a trusted checkout without a question", async () => {
    const place = await createWorkerPlace(script);
    place.write(".gitignore", "state\n");
    place.write(
      ".cadre/agents/writer.mjs",
      `import { writeFileSync } from "node:fs";
export default {
  name: "writer",
  description: "Writes.",
  async run(task, { cwd, step }) {
    await step("write", async () => writeFileSync(cwd + "/one.txt", "one") ?? null);
    return "written";
  },
};`,
    );
    const clone = createClone(place.path);
    await startReadyWorker(place, "--trust", "--clone", clone.remote);
    const id = await submitByGit(place, "--trust", "writer", "write");
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded", text: "written" });
    expect(clone.atRemote("show", `cadre/${id}:one.txt`)).toBe("one");
    const { stdout } = await cadre(place, ["events", id, "--json"]);
    const steps = stdout.split("\n").filter((line) => line.includes('"program/write"'));
    expect(steps.join("\n")).toMatch(/"files":"[0-9a-f]{40}"/);
  });

  it("refuses agents that need a worktree of their own", async () => {
    const place = await createWorkerPlace(script);
    const about = "name: alone\ndescription: Works alone.\nisolation: worktree";
    place.write(".cadre/agents/alone.md", `---\n${about}\n---\nWork alone.\n`);
    place.write(".gitignore", "state\n");
    const clone = createClone(place.path);
    const words = ["run", "--detach", "--trust", "--workspace", "git", "alone", "help"];
    const { code, stderr } = await cadre(place, words);
    expect(code).not.toBe(0);
    expect(stderr).toContain("Submit the run with `--workspace same`");
    await startReadyWorker(place, "--trust", "--clone", clone.remote);
    const id = await submitByGit(place, "--trust", "delegate");
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
    const { stdout } = await cadre(place, ["logs", id]);
    expect(stdout).toContain("which needs a repository that stays");
  });

  it("leaves a family to a worker of another home at SIGTERM, and its own folders clean", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    const first = await startReadyWorker(place, "--clone", clone.remote, "--drain", "0s");
    const id = await submitByGit(place, "halves");
    await expect
      .poll(() => checkouts(place).some((path) => has(path, "half.txt")), poll)
      .toBe(true);
    await startReadyWorker(elsewhere(place), "--clone", clone.remote);
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    expect(checkouts(place)).toEqual([]);
    expect(await resultOf(place, id)).toMatchObject({ status: "succeeded" });
    const list = clone.atRemote("show", `cadre/${id}:list.txt`).split("\n");
    expect(list).toContain("first.txt");
    expect(list).not.toContain("half.txt");
  });

  it("continues a conversation with the files as they are by then", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    await startReadyWorker(place, "--clone", clone.remote);
    const id = await submitByGit(place, "hello");
    await resultOf(place, id);
    place.write("dirty.txt", "later\n");
    const next = await submitByGit(place, `--continue=${id}`, "go on");
    expect(await resultOf(place, next)).toMatchObject({ status: "succeeded" });
    expect(clone.atRemote("show", `cadre/${next}:seen.txt`)).toBe("later\n");
  });

  it("is only continued by workers", async () => {
    const place = await createGitPlace();
    const { clone } = place;
    const worker = await startReadyWorker(place, "--clone", clone.remote);
    const id = await submitByGit(place, "pause");
    await expect.poll(() => has(place.home, "begun"), poll).toBe(true);
    worker.child.kill("SIGKILL");
    await worker.ended;
    await expect
      .poll(async () => (await cadre(place, ["resume", id])).stderr, poll)
      .toContain("only workers have");
  });
});

/** The same place for a worker with another home and state folder. */
function elsewhere(place: Project): Project {
  const { path: home } = createProject({ go: "" });
  const folders = { CADRE_STATE_DIR: join(home, "state"), XDG_STATE_HOME: join(home, "xdg") };
  return { ...place, home, environment: { ...place.environment, HOME: home, ...folders } };
}

/** The checkouts of the workers of a home. */
function checkouts({ environment, home }: Project): string[] {
  const state = join(environment["XDG_STATE_HOME"] ?? join(home, ".local/state"), "cadre");
  return globSync(join(state, "worktrees/families/*/*.[0-9]/"));
}

function has(folder: string, name: string): boolean {
  return existsSync(join(folder, name));
}
