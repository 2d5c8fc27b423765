import { basename } from "node:path";
import type { Diagnostic } from "../source/diagnostic.ts";
import type { JsonValue } from "../source/json.ts";
import type { Aip, AipScript } from "./document/aip.ts";
import type { LuaThread } from "./lua/lua-thread.ts";
import { placeTemplateError, templatesOf } from "./render-prompts.ts";

/** Checks a file's scripts and templates without executing them. {@link parseAip} checks its sections. */
export async function checkAip(
  aip: Aip,
  thread: Pick<LuaThread, "execute">,
): Promise<Diagnostic[]> {
  const scripts = Object.values(aip.scripts);
  const templates = templatesOf(aip);
  const name = basename(aip.path);
  const { signal } = new AbortController();
  const job = { type: "check", name, scripts, templates } as const;
  const outcome = await thread.execute(job, refuse, signal);
  if (outcome.type !== "problems") return [];
  const inLua = outcome.scripts.flatMap((message, index) => {
    if (message === null) return [];
    const [, line = scripts[index]?.line, text = message] =
      /^[^:\n]+:(\d+): ([\s\S]*)$/.exec(message) ?? [];
    return [finding(aip, Number(line), "aip-lua", `Expected Lua: ${text}.`)];
  });
  const inTemplates = outcome.templates.flatMap((message, index) => {
    if (message === null) return [];
    const { line, text } = placeTemplateError(aip, message, index);
    return [finding(aip, line, "aip-template", `Expected a Handlebars template. ${text}`)];
  });
  return [...inLua, ...inTemplates, ...(await findUnsupported(aip, scripts, thread))];
}

async function refuse(name: string): Promise<never> {
  throw new Error(`a check calls no functions, got ${name}`);
}

interface Reference {
  module: string;
  name: string;
  line: number;
}

/** Looks the functions up in the library itself, because parts of it are written in Lua. */
const lookUp = `
local missing = {}
for index, reference in ipairs(references) do
  local module = aip[reference.module]
  if type(module) ~= "table" or module[reference.name] == nil then missing[#missing + 1] = index end
end
return missing`;

/** Finds unsupported functions of `aip` in scripts. */
async function findUnsupported(
  aip: Aip,
  scripts: readonly AipScript[],
  thread: Pick<LuaThread, "execute">,
): Promise<Diagnostic[]> {
  const references = scripts.flatMap(findReferences);
  if (references.length === 0) return [];
  const globals = { references: references.map((reference): JsonValue => ({ ...reference })) };
  const job = { type: "script", name: "check", code: lookUp, line: 1, globals } as const;
  const outcome = await thread.execute(
    { ...job, seed: [0, 0] },
    refuse,
    new AbortController().signal,
  );
  const missing = outcome.type === "value" && Array.isArray(outcome.value) ? outcome.value : [];
  return missing.flatMap((index) => {
    const reference = references[Number(index) - 1];
    if (reference === undefined) return [];
    const { module, name, line } = reference;
    const message = `aip.${module}.${name} is not supported; calling it fails.`;
    return [{ ...finding(aip, line, "aip-unsupported", message), severity: "warning" as const }];
  });
}

/** Lists the functions of `aip` in a script, each once. */
function findReferences({ code, line: begin }: AipScript): Reference[] {
  const found = new Map<string, Reference>();
  // `utils` is the older name of `aip`, and a likely name of a pack's own module.
  const isOwn = /\butils\s*=/.test(code);
  for (const [index, text] of code.split("\n").entries()) {
    const [active = ""] = text.split("--", 1);
    for (const [, library, module = "", name = ""] of active.matchAll(
      /(?<![\w.:"'])(aip|utils)\.(\w+)\.(\w+)/g,
    )) {
      if (library === "utils" && isOwn) continue;
      const key = `${module}.${name}`;
      if (!found.has(key)) found.set(key, { module, name, line: begin + index });
    }
  }
  return [...found.values()];
}

function finding({ path }: Aip, line: number, code: string, message: string): Diagnostic {
  return { path, line, column: 1, severity: "error", code, message, fix: null };
}
