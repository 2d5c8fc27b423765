import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

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
  const server = createServer(answer).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    await executeStarts(folder, place, server);
    return await readCoverage(folder, join(place, "coverage"));
  } finally {
    server.close();
    await rm(place, { recursive: true, force: true });
  }
}

const reply = {
  id: "reply",
  object: "chat.completion",
  created: 0,
  model: "mock",
  choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

const answer: Parameters<typeof createServer>[1] = (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(reply));
};

const client = { clientInfo: { name: "build", version: "0" } };

/** The first request of a client of MCP or ACP. */
function initialize(params: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
}

async function executeStarts(folder: string, place: string, server: Server): Promise<void> {
  const program = join(place, "program.mjs");
  const library = pathToFileURL(join(folder, "index.js")).href;
  await writeFile(
    program,
    `import { createCadre } from ${JSON.stringify(library)};
const cadre = await createCadre({ model: "openai:mock" });
const run = await cadre.spawn({ agent: "main", task: "go to work" });
await run.result();
await cadre.close();
`,
  );
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
  const { port } = server.address() as AddressInfo;
  const env = {
    HOME: place,
    NODE_V8_COVERAGE: join(place, "coverage"),
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
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
