import { type AipModule, type AskHost, type Several } from "../library/arguments.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { agent } from "../library/outside/sub-agent.ts";
import { cmd, git } from "../library/outside/command.ts";
import { code } from "../library/code.ts";
import { csv } from "../library/format/csv.ts";
import { file } from "../library/file/file.ts";
import { hash } from "../library/hash/hash.ts";
import { hbs } from "../library/format/hbs.ts";
import { html } from "../library/markup/html.ts";
import { json } from "../library/format/json.ts";
import { md } from "../library/markup/md.ts";
import { path } from "../library/path.ts";
import { run, task } from "../library/file/pin.ts";
import { semver } from "../library/semver.ts";
import { tag } from "../library/tag.ts";
import { text } from "../library/text.ts";
import { time } from "../library/time.ts";
import { toml } from "../library/format/toml.ts";
import { udiffx } from "../library/file/udiffx.ts";
import { uuid } from "../library/hash/uuid.ts";
import { userAgents, web } from "../library/outside/web.ts";
import { yaml } from "../library/format/yaml.ts";
import { zip } from "../library/file/zip.ts";

/** The modules of `aip` in scripts, besides `flow`, `lua` and `shape`, which are written in Lua. */
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

/** Constants of the modules, besides their functions. */
export const constants: Readonly<Record<string, Record<string, string>>> = { web: userAgents };

/**
 * Calls `module.function` with values from Lua.
 *
 * @throws Error for wrong arguments, and for calls that the host refuses.
 */
export function callModule(
  name: string,
  values: readonly LuaValue[],
  ask: AskHost,
): LuaValue | Several {
  const [module = "", action = ""] = name.split(".");
  const found = modules[module]?.[action];
  // The prelude calls only names from this table.
  if (found === undefined) throw new Error(`aip.${name} is not supported`);
  return found({ name: `aip.${name}`, values }, ask);
}
