import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { oneRunProgram, type OneReplyModel, startOneReplyModel } from "./one-reply-model.ts";

/** The functions of a file that were called, as `start:end`. */
export type UsedFunctions = ReadonlySet<string>;

/** A file of V8's coverage. */
interface Coverage {
  result: readonly {
    url: string;
    functions: readonly {
      ranges: readonly { startOffset: number; endOffset: number; count: number }[];
    }[];
  }[];
}

/** Executes starts of the build in `folder`, and returns the functions that they call, by the file's path in `folder`. */
export async function findUsedFunctions(
  folder: string,
): Promise<ReadonlyMap<string, UsedFunctions>> {
  const place = await mkdtemp(join(tmpdir(), "cadre-starts-"));
  const model = await startOneReplyModel();
  try {
    await executeStarts(folder, place, model);
    return await readCoverage(folder, join(place, "coverage"));
  } finally {
    model.server.close();
    await rm(place, { recursive: true, force: true });
  }
}

const client = { clientInfo: { name: "build", version: "0" } };

/** The first request of a client of MCP or ACP. */
function initialize(params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
}

async function executeStarts(folder: string, place: string, model: OneReplyModel): Promise<void> {
  const program = join(place, "program.mjs");
  const library = pathToFileURL(join(folder, "index.js")).href;
  await writeFile(program, oneRunProgram(library));
  const command = join(folder, "cli", "main.js");
  const starts: readonly (readonly [words: readonly string[], input?: string])[] = [
    [[program]],
    [[command, "run", "go", "to", "work", "--model", "openai:mock"]],
    [[command, "agents"]],
    [[command, "runs"]],
    [[command, "--help"]],
    [[command, "mcp"], initialize({ ...client, protocolVersion: "2025-06-18", capabilities: {} })],
    [[command, "acp"], initialize({ protocolVersion: 1, clientCapabilities: {} })],
  ];
  const env = {
    HOME: place,
    NODE_V8_COVERAGE: join(place, "coverage"),
    ...model.environment,
  };
  for (const [words, input] of starts) {
    const child = spawn(process.execPath, words, { cwd: place, env, stdio: "pipe" });
    child.stdin.end(input);
    child.stdout.resume();
    const stderr = child.stderr.setEncoding("utf8").toArray();
    const [code] = (await once(child, "close")) as [number | null];
    if (code === 0) continue;
    throw new Error(`The build does not start: ${words.join(" ")}\n${(await stderr).join("")}`);
  }
}

async function readCoverage(
  folder: string,
  coverage: string,
): Promise<ReadonlyMap<string, UsedFunctions>> {
  const found = new Map<string, Set<string>>();
  for (const name of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, name), "utf8")) as Coverage;
    for (const { url, functions } of result) {
      const file = url.startsWith("file:") ? relative(folder, fileURLToPath(url)) : "..";
      if (file.startsWith("..")) continue;
      const used = found.get(file) ?? new Set();
      found.set(file, used);
      for (const { ranges } of functions) {
        const [range] = ranges;
        if (range !== undefined && range.count > 0)
          used.add(`${range.startOffset}:${range.endOffset}`);
      }
    }
  }
  return found;
}
