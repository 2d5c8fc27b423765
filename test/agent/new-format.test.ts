import { registerHooks } from "node:module";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

const list = new URL("../fixtures/format/formats-with-memo.ts", import.meta.url).href;

/** Loads new instances of the modules with one more format in the list of formats. */
async function loadWithNewFormat() {
  using _hooks = replaceList();
  return {
    ...(await import("../../src/agent/check.ts")),
    ...(await import("../../src/agent/convert.ts")),
    ...(await import("../../src/agent/describe-agent.ts")),
    ...(await import("../../src/agent/discover.ts")),
    ...(await import("../../src/agent/find-format.ts")),
    ...(await import("../../src/agent/write-conversion.ts")),
    ...(await import("../../src/runtime/catalog/agent-reference.ts")),
    ...(await import("../../src/tool/control-file/is-control-file.ts")),
  };
}

/** Resolves the list of formats to a longer list, until it is disposed. */
function replaceList(): Disposable {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { url, ...resolved } = next(specifier, context);
      if (!url.includes("/src/")) return { ...resolved, url };
      const isReplaced = url.endsWith("/src/agent/formats.ts") && context.parentURL !== list;
      return { ...resolved, url: isReplaced ? list : `${url}?new-format` };
    },
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
}

describe("a format added to the list", () => {
  let parts: Awaited<ReturnType<typeof loadWithNewFormat>>;
  beforeAll(async () => {
    parts = await loadWithNewFormat();
  });

  let root = "";
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "cadre-format-")));
    await mkdir(join(root, ".git"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const isTrusted = (): boolean => false;
  const place = (): { cwd: string; home: string; isTrusted: () => boolean } => {
    return { cwd: root, home: join(root, "home"), isTrusted };
  };

  async function write(path: string, text: string): Promise<string> {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  }

  test("is discovered in its folders of the project and of the home, without the files it ignores", async () => {
    const own = await write(".memo/agents/team/a.memo", "# a: In the project.\nWork.\n");
    await write(".memo/agents/draft.memo", "# b: A draft.\nWork.\n");
    await write("home/.memo/agents/c.memo", "# c: In the home.\nWork.\n");
    const { agents } = await parts.discoverAgents(place());
    const found = agents.filter(({ source }) => source.format === "memo");
    expect(found.map(({ name, source }) => [name, source.scope])).toEqual([
      ["a", "project"],
      ["c", "user"],
    ]);
    expect(found[0]).toMatchObject({ systemPrompt: "Work.\n", source: { path: own } });
  });

  test("is checked in the project, by file, by folder and among other files", async () => {
    await write(".memo/agents/a.memo", "# a: \nWork.\n");
    const loose = await write("notes/b.memo", "# b: \nWork.\n");
    await write("notes/c.memo", "No agent.\n");
    const check = async (...paths: string[]): Promise<string[]> => {
      const findings = await parts.checkPaths(paths, place());
      return findings.map(({ path, code }) => `${path.slice(root.length + 1)} ${code}`);
    };
    expect(await check()).toEqual([".memo/agents/a.memo memo"]);
    expect(await check(".memo/agents")).toEqual([".memo/agents/a.memo memo"]);
    expect(await check(loose)).toEqual(["notes/b.memo memo"]);
    expect(await check("notes")).toEqual(["notes/b.memo memo"]);
  });

  test("is a source and a target of conversions, with its limits", async () => {
    const path = await write("a.memo", "# a: Says more than fits in twenty.\nWork.\n");
    const agent = await parts.loadAgentAt(path, [], {
      ...place(),
      environment: {},
      isLater: isTrusted,
      ownTools: () => [],
    });
    const native = parts.convertAgent(agent, "cadre");
    expect(native.text).toContain("description: Says more than fits in twenty.\n");
    const conversion = parts.convertAgent(agent, "memo");
    expect(conversion).toMatchObject({
      path: ".memo/agents/a.memo",
      text: "# a: Says more than fits…\nWork.\n",
    });
    expect(conversion.lost).toContainEqual({
      field: "description",
      message: "it is cut after 20 characters",
    });
    expect(await parts.writeConversion(root, conversion)).toBe(join(root, ".memo/agents/a.memo"));
  });

  test("is listed with the other formats, and explained with its defaults", async () => {
    expect(parts.textFormats.at(-1)).toBe("memo");
    await write(".memo/agents/a.memo", "# a: Does it.\nWork.\n");
    const { agents } = await parts.discoverAgents(place());
    const agent = agents.find(({ name }) => name === "a");
    expect(agent).toBeDefined();
    expect(agent === undefined ? [] : parts.explainAgent(agent)).toContainEqual({
      field: "timeoutSeconds",
      value: 60,
      origin: "default of memo",
    });
  });

  test("has its files named by path, and protected from agents", () => {
    expect(parts.isAgentPath("a.memo")).toBe(true);
    expect(parts.isControlFile(join(root, ".memo/agents/a.memo"), root)).toBe(true);
  });
});
