import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  defineAgent,
  type ProgramAgent,
  type ProgramContext,
} from "../../agent/program/program.ts";
import { replaceFile } from "./replace-file.ts";
import type { JsonObject } from "../../source/json.ts";
import { listFiles } from "../files/list-files.ts";
import {
  type FileSummary,
  fileSummarySchema,
  fitMap,
  readFileSummary,
  showFile,
} from "./file-map.ts";
import {
  asTable,
  chooseGlobs,
  type MaybeSubAgentInput,
  readAgentOptions,
  modelOption,
  numberOption,
  textsOption,
} from "./options.ts";
import { readTextWithin } from "./read-text.ts";
import { openSummaries } from "./summaries.ts";

interface MappedFile {
  path: string;
  hash: string;
  text: string;
}

/** The built-in agent that describes the files of a project. It describes a file again only after it changes. */
export const codeMap: ProgramAgent<MaybeSubAgentInput> = defineAgent({
  name: "code-map",
  description: "Maps the project: describes what each file is for and when it is needed.",
  timeoutSeconds: 3600,
  async run(input, context) {
    const params = input.coder_params ?? {};
    const options = readAgentOptions(input, "code_map");
    const files = await readAll(params, options, context);
    const { map, added } = await describeAll(files, options, context);
    const lines = files.map(({ path }) => showFile(path, map.get(path) ?? null));
    const text = `# Map of the project\n\n${lines.join("\n")}\n`;
    const path = await save(text, context);
    context.log(`${files.length} files in the map, ${added} of them newly described.`);
    const result = {
      path,
      files: files.length,
      described: added,
    };
    if (input.event === undefined) return { text, output: { ...result } };
    const handedOn = fitMap(map);
    if (handedOn.missing !== undefined) context.log(handedOn.missing);
    const isKnowledge = options["knowledge"] !== false;
    const knowledge = [...new Set([...textsOption(params["knowledge_globs"]), path])];
    return {
      ...(isKnowledge && { coder_params: { ...params, knowledge_globs: knowledge } }),
      agent_result: { ...result, file_map: Object.fromEntries(handedOn.files) },
      emit_events: ["code-map::end"],
    };
  },
});

/** Reads the text files that are not too large, and logs the ones left out. */
async function readAll(
  params: JsonObject,
  options: JsonObject,
  { cwd, signal, log }: ProgramContext,
): Promise<MappedFile[]> {
  const lists = [["structure_globs", "context_globs"]];
  const { globs, base = "" } = chooseGlobs(readOwnGlobs(options), params, lists);
  const { paths, problems } = await listFiles(globs, { cwd, base, signal });
  for (const problem of problems) log(problem);
  const most = numberOption(options["max_files"], { fallback: 500, max: 5000 });
  if (paths.length > most) {
    log(
      `${paths.length - most} of ${paths.length} files were left out: at most ${most} are mapped (\`max_files\`).`,
    );
  }
  const files: MappedFile[] = [];
  for (const path of paths.slice(0, most)) {
    signal.throwIfAborted();
    const text = await readTextWithin(cwd, path);
    if (text === null) {
      log(`${path} is not in the map, because it is empty, binary or larger than 256 KiB.`);
      continue;
    }
    files.push({ path, text, hash: createHash("sha256").update(text).digest("hex").slice(0, 32) });
  }
  return files;
}

/** Returns the agent's own globs, including those of pro@coder's named maps. Cadre puts all files into one map. */
function readOwnGlobs({ globs, named_maps: named }: JsonObject): string[] {
  const maps = Array.isArray(named) ? named : [];
  return [...textsOption(globs), ...maps.flatMap((map) => textsOption(asTable(map)["globs"]))];
}

/** Describes the files without a summary. Summaries made before a failure are saved. */
async function describeAll(
  files: readonly MappedFile[],
  options: JsonObject,
  context: ProgramContext,
): Promise<{ map: Map<string, FileSummary>; added: number }> {
  const summaries = await openSummaries(join(context.stateFolder, "summaries.json"));
  const missing = [...new Map(files.map((file) => [file.hash, file])).values()].filter(
    ({ hash }) => summaries.get(hash) === null,
  );
  const concurrency = numberOption(options["input_concurrency"], { fallback: 8, max: 32 });
  try {
    for (let start = 0; start < missing.length; start += concurrency) {
      const some = missing.slice(start, start + concurrency);
      await Promise.all(
        some.map(async (file) => {
          const summary = await describeFile(file, options, context);
          if (summary !== null) summaries.set(file.hash, summary);
        }),
      );
      context.progress(start + some.length, missing.length);
    }
  } finally {
    if (missing.length > 0) await summaries.save();
  }
  const known = files.flatMap(({ path, hash }) => {
    const summary = summaries.get(hash);
    return summary === null ? [] : [[path, summary] as const];
  });
  return { map: new Map(known), added: missing.length };
}

/** Read when the first file is described. */
let systemPrompt: string | undefined;

async function describeFile(
  { path, hash, text }: MappedFile,
  options: JsonObject,
  { ask }: ProgramContext,
): Promise<FileSummary | null> {
  const promptFile = new URL("./prompt/describe-file.md", import.meta.url);
  systemPrompt ??= readFileSync(promptFile, "utf8").trim();
  const question = {
    ...modelOption(options),
    system: systemPrompt,
    prompt: `The file ${path}:\n\n${text}`,
    outputSchema: fileSummarySchema,
  };
  return readFileSummary((await ask(question, { key: hash })).output);
}

/** Saves the map. Each map has its own file, because another pipeline may be reading an earlier one. */
async function save(text: string, { stateFolder }: ProgramContext): Promise<string> {
  const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const path = join(stateFolder, `map-${name}.md`);
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  await replaceFile(path, text);
  return path;
}
