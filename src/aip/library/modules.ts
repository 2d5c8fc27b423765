import { type AipModule, type AskHost, type Several } from "./arguments.ts";
import type { LuaValue } from "../lua-value.ts";
import { agent } from "./sub-agent.ts";
import { cmd, git } from "./command.ts";
import { code } from "./code.ts";
import { csv } from "./csv.ts";
import { file } from "./file.ts";
import { hash } from "./hash.ts";
import { hbs } from "./hbs.ts";
import { html } from "./html.ts";
import { json } from "./json.ts";
import { md } from "./md.ts";
import { path } from "./path.ts";
import { run, task } from "./pin.ts";
import { semver } from "./semver.ts";
import { tag } from "./tag.ts";
import { text } from "./text.ts";
import { time } from "./time.ts";
import { toml } from "./toml.ts";
import { udiffx } from "./udiffx.ts";
import { uuid } from "./uuid.ts";
import { userAgents, web } from "./web.ts";
import { yaml } from "./yaml.ts";
import { zip } from "./zip.ts";

/** What scripts find in `aip`, beside `flow`, `lua` and `shape`, which are written in Lua. */
export const modules: Readonly<Record<string, AipModule>> = {
  agent,
  cmd,
  code,
  csv,
  editor: {},
  file,
  git,
  hash,
  hbs,
  html,
  json,
  md,
  path,
  pdf: {},
  run,
  rust: {},
  semver,
  tag,
  task,
  text,
  time,
  toml,
  udiffx,
  uuid,
  web,
  yaml,
  zip,
};

/** Values beside the functions, by module. */
export const constants: Readonly<Record<string, Record<string, string>>> = { web: userAgents };

/**
 * Calls `module.function` with values out of Lua.
 *
 * @throws Error for wrong arguments, and for what the host refuses.
 */
export function callModule(
  name: string,
  values: readonly LuaValue[],
  ask: AskHost,
): LuaValue | Several {
  const [module = "", action = ""] = name.split(".");
  const found = modules[module]?.[action];
  // The names come from the same table; only something that is none of ours asks for others.
  if (found === undefined) throw new Error(`aip.${name} is not supported`);
  return found({ name: `aip.${name}`, values }, ask);
}
