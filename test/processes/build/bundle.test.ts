import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { commandFile } from "../../cli/start-command.ts";

const dist = dirname(dirname(commandFile));

const staticImport = /(?:^|;)(?:import|export)\b[^;"]*?"(\.[^"]+)"(?=;)/gm;

/** Returns the files that Node loads with `file` before it executes it, as paths in `dist` without hashes, and the packages in them. */
function loadWith(file: string): { files: string[]; packages: string[] } {
  const found = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    const code = readFileSync(path, "utf8");
    for (const [, name = ""] of code.matchAll(staticImport)) visit(join(dirname(path), name));
    for (const [, name = ""] of code.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/\n]+)/gm))
      packages.add(name);
  };
  visit(join(dist, file));
  const files = [...found].map((path) => relative(dist, path).replace(/-[\w-]{8}\.js$/, ".js"));
  return { files, packages: [...packages] };
}

/** The files that `file` imports, at any depth, as paths in `dist`. */
function loadedBehind(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const code = readFileSync(join(dist, path), "utf8");
    for (const [, name = ""] of code.matchAll(staticImport)) {
      const imported = join(dirname(path), name);
      if (found.has(imported)) continue;
      found.add(imported);
      visit(imported);
    }
  };
  visit(file);
  return found;
}

describe("of the build,", () => {
  const threads = globSync("**/*-worker.js", { cwd: dist });
  const libraries = globSync("**/*-library.js", { cwd: dist });

  it.each([...threads, ...libraries])("%s loads none of the library", (file) => {
    const { files } = loadWith(file);
    expect(files).not.toContain("chunk/library.js");
    expect(files).not.toContain("chunk/engine.js");
  });

  it("every file is in ASCII, which V8 keeps in one byte a character", () => {
    const files = globSync("{*.js,chunk/*.js,**/*-{worker,library}.js}", { cwd: dist });
    expect(files.length).toBeGreaterThan(20);
    const wide = files.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(dist, file), "utf8")));
    expect(wide).toEqual([]);
  });

  it("a program loads the library when it opens Cadre, after Node's compile cache is on", () => {
    const { files } = loadWith("index.js");
    expect(files).toEqual(["index.js", "chunk/start.js", "chunk/index.js"]);
  });

  it("no file is there only to pass on what another one exports, or to import it", () => {
    const files = globSync("chunk/*.js", { cwd: dist });
    const empty = files.filter((file) =>
      /^(?:import "[^"]+";\s*|export \{[^}]*\}(?: from "[^"]+")?;\s*)*$/.test(
        readFileSync(join(dist, file), "utf8"),
      ),
    );
    expect(empty).toEqual([]);
  });

  it("no file imports one that imports it", () => {
    const files = globSync("{*.js,chunk/*.js}", { cwd: dist });
    const loaded = new Map(files.map((file) => [file, loadedBehind(file)]));
    const cycles = files.filter((file) => loaded.get(file)?.has(file));
    expect(cycles).toEqual([]);
  });

  it.each(["library", "host", "engine"])("the chunk %s loads nothing of the command", (name) => {
    const [chunk] = globSync(`chunk/${name}-????????.js`, { cwd: dist });
    const { files, packages } = loadWith(chunk ?? "");
    expect(files).not.toContain("chunk/command-line.js");
    expect(files).not.toContain("chunk/commands.js");
    expect(packages).not.toContain("commander");
  });

  it("the choice of a command loads none of the library", () => {
    const commands = globSync("chunk/commands-*.js", { cwd: dist });
    const { files } = loadWith(commands[0] ?? "");
    expect(files).toContain("chunk/command-line.js");
    expect(files).not.toContain("chunk/library.js");
    expect(files).not.toContain("chunk/engine.js");
  });

  it("the ACP agent loads nothing of the conversation on the terminal", () => {
    const agent = globSync("chunk/serve-acp-*.js", { cwd: dist });
    const { files } = loadWith(agent[0] ?? "");
    expect(files).toContain("chunk/changes.js");
    expect(files.filter((file) => file.startsWith("chunk/chat"))).toEqual([]);
  });

  it("a run loads no package that only some runs need", () => {
    const engine = globSync("chunk/engine-*.js", { cwd: dist });
    const { files, packages } = loadWith(engine[0] ?? "");
    expect(files).toContain("chunk/library.js");
    expect(packages).toContain("yaml");
    expect(packages.filter((name) => name.startsWith("@opentelemetry/"))).toEqual([]);
    for (const name of ["htmlparser2", "css-select", "entities", "@noble/hashes", "undici"])
      expect(packages).not.toContain(name);
  });
});
