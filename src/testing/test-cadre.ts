// The test kit for users: a Cadre with scripted models, a clock, faults and matchers.

import { mkdtemp, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { CadreError } from "../errors.ts";
import { hostedProviders } from "../model/model-reference.ts";
import type { ModelProvider } from "../model/provider/given-provider.ts";
import type { ScriptRule } from "../model/script/script-rule.ts";
import type { Script } from "../model/script/scripted-model.ts";
import type { Cadre, CadreOptions } from "../runtime/cadre.ts";
import { createCadre } from "../runtime/create/create-cadre.ts";
import { type ScriptedModel, scriptedModel } from "./scripted-model.ts";

/** Options of {@link createTestCadre}, in addition to those of `createCadre`. */
export interface TestCadreOptions extends Omit<CadreOptions, "cwd" | "home"> {
  /** The files of the project by path: agents, recipes, and files that tools read. */
  files?: Readonly<Record<string, string>>;
  /** The replies of every model: rules or a function for {@link scriptedModel}. Default: no rule matches. */
  script?: readonly ScriptRule[] | Script;
}

/** A Cadre for one test. */
export interface TestCadre extends Cadre {
  /** The absolute path of the project's folder. */
  readonly folder: string;
  /** The model that `script` defines. */
  readonly model: ScriptedModel;
  /** Closes Cadre and opens it again, as a later process would. `leaveRuns` leaves unfinished runs for it to resume. */
  reopen(options?: { leaveRuns?: boolean }): Promise<void>;
}

/**
 * Opens Cadre in a new project in a temporary folder, with its own home folder. `await using` closes it, deletes the
 * folder, and throws the error of a request that no rule of the script matched.
 *
 * No request leaves the process: the script replies for the default model, and for every model of Anthropic, OpenAI and Google that
 * an agent names. A `model` or `providers` in the options replaces it. Defaults that differ from `createCadre`: the mode `auto`,
 * no sandbox, an environment with only `PATH`, and a default model without cost.
 *
 * @throws CadreError as `createCadre` does, and `invalid-argument` for a file outside the project.
 */
export async function createTestCadre(options: TestCadreOptions = {}): Promise<TestCadre> {
  const { files = {}, script = [], ...given } = options;
  const model = scriptedModel(script, given.clock === undefined ? {} : { clock: given.clock });
  const root = await realpath(await mkdtemp(join(tmpdir(), "cadre-test-")));
  const remove = async (): Promise<void> => await rm(root, { recursive: true, force: true });
  try {
    const [folder, home] = [join(root, "project"), join(root, "home")];
    await Promise.all([mkdir(join(folder, ".git"), { recursive: true }), mkdir(home)]);
    for (const [path, text] of Object.entries(files)) await writeProjectFile(folder, path, text);
    const open = async (): Promise<Cadre> =>
      await createCadre({
        mode: "auto",
        sandbox: "off",
        engine: "local",
        model,
        environment: { PATH: process.env["PATH"] },
        ...(given.model === undefined && { price: { input: 0, output: 0 } }),
        ...given,
        providers: { ...scriptedProviders(model), ...given.providers },
        cwd: folder,
        home,
      });
    return await wrap({ open, remove, folder, model });
  } catch (error) {
    await remove();
    throw error;
  }
}

interface TestSetup {
  open: () => Promise<Cadre>;
  remove: () => Promise<void>;
  folder: string;
  model: ScriptedModel;
}

async function wrap({ open, remove, folder, model }: TestSetup): Promise<TestCadre> {
  let current = await open();
  const own = {
    folder,
    model,
    async reopen({ leaveRuns = false }: { leaveRuns?: boolean } = {}) {
      await current.close({ leaveRuns });
      current = await open();
    },
    async [Symbol.asyncDispose]() {
      await current.close();
      await remove();
      const [error] = model.unmatched;
      if (error !== undefined) throw error;
    },
  };
  // Forwards to the members of the currently open Cadre.
  return new Proxy(own as TestCadre, {
    get: (target, key): unknown => Reflect.get(Object.hasOwn(own, key) ? target : current, key),
    has: (target, key) => key in target || key in current,
  });
}

function scriptedProviders(model: LanguageModelV4): Record<string, ModelProvider> {
  const provider: ModelProvider = { specificationVersion: "v4", languageModel: () => model };
  return Object.fromEntries(hostedProviders.map((name) => [name, provider]));
}

async function writeProjectFile(folder: string, path: string, text: string): Promise<void> {
  const file = resolve(folder, path);
  if (!file.startsWith(`${folder}${sep}`)) {
    const message = `Expected the path of a file in the project, got ${JSON.stringify(path)}.`;
    throw new CadreError("invalid-argument", message);
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
