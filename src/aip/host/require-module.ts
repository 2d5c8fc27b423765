import { basename, dirname, join, relative } from "node:path";
import type { JsonValue } from "../../source/json.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { LuaValue } from "../lua/lua-value.ts";
import { pathKind } from "../location/resolve-aip.ts";
import { type HostCall, type HostContext, stringArgument } from "./host-call.ts";
import { readBytes } from "./read-bytes.ts";

/** Finds the modules of a pack for `require`. The code is part of the agent, so it is not recorded. */
export const requireCalls: Readonly<Record<string, HostCall>> = {
  require: { isRecorded: false, run: requireModule },
};

async function requireModule(args: readonly LuaValue[], context: HostContext): Promise<JsonValue> {
  const name = stringArgument(args, 0);
  const { location, port } = context;
  if (!/^[\w./-]+$/.test(name) || name.split("/").includes("..") || name.startsWith("/"))
    throw new Error(`module '${name}' is outside the pack; expected a name below its lua folder`);
  const own = dirname(location.path);
  const folders = [
    join(own, "lua"),
    ...(location.pack === undefined ? [] : [join(location.pack.folder, "lua")]),
  ];
  // A user's own agent may run in an untrusted workspace, whose modules are not trusted either.
  if (port.isWorkspaceTrusted !== false)
    folders.push(join(location.workspace, ".aipack", "custom", "lua"));
  const tried: string[] = [];
  for (const folder of folders) {
    for (const path of candidates(folder, name)) {
      if (tried.includes(path)) continue;
      tried.push(path);
      if ((await pathKind(path)) !== "file") continue;
      const real = port.confine(path, {
        workspace: folder,
        alsoReadable: [location.pack?.folder ?? folder],
      });
      const root = location.pack?.folder ?? own;
      const shown = isInside(path, root) ? relative(root, path) : basename(path);
      const { bytes } = await readBytes(real, name);
      return { name: shown, code: bytes.toString() };
    }
  }
  throw new Error(`module '${name}' not found; looked for: ${tried.join(", ")}`);
}

/** Returns the files that a name stands for. `a.b` and `a/b` mean the same. */
function candidates(folder: string, name: string): string[] {
  const plain = name
    .replace(/^\.\//, "")
    .replace(/^lua\//, "")
    .replace(/\.lua$/, "");
  const dotted = plain.replaceAll(".", "/");
  return [plain, dotted].flatMap((path) => [
    join(folder, `${path}.lua`),
    join(folder, path, "init.lua"),
  ]);
}
