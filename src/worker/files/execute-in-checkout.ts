import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { DispatchSetting } from "../../engine/engine.ts";
import { CadreError } from "../../errors.ts";
import type { RegistrySource } from "../../registry/registry-source.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Cadre } from "../../runtime/cadre.ts";
import { isInside } from "../../source/file/real-path.ts";
import type { ShellOptions } from "../../tool/builtin/shell.ts";
import { moveRegistry } from "./moved-registry.ts";
import { type Checkout, type CheckoutOptions, openCheckout } from "./open-checkout.ts";
import { type RecordedFiles, withinRecorded } from "../../registry/recorded-files.ts";
import { runSetup } from "./run-setup.ts";

/** Where a worker executes families whose files come through git. */
export interface FamilyFilesOptions extends CheckoutOptions {
  source: RegistrySource;
  /** The commands of `worker.setup` run in this shell. */
  shell: ShellOptions;
}

/** A family to execute in a checkout. */
export interface FamilyOfCheckout {
  files: RecordedFiles;
  attempt: number;
  setting: DispatchSetting;
  registry: Registry;
  /** Calls `work` with a separate Cadre over a registry, with a folder for long outputs. */
  withCadre: (
    setting: DispatchSetting,
    own: { registry: RegistrySource; stateDir: string },
    work: (cadre: Cadre) => Promise<void>,
  ) => Promise<void>;
  /** Executes the family to the end of its last run. */
  execute: (cadre: Cadre) => Promise<void>;
}

/**
 * Executes a family in a checkout of its files, and records them with the family's own Cadre. The checkout is deleted
 * however the execution ends: the next attempt begins with the recorded files.
 */
export async function executeInCheckout(
  options: FamilyFilesOptions,
  { files, attempt, setting, registry, withCadre, execute }: FamilyOfCheckout,
): Promise<void> {
  const { rootId, folder } = files;
  const checkout = await openCheckout(options, { files, attempt, registry });
  try {
    const moved = await moveSetting(setting, files, checkout);
    const source = moveRegistry(options.source, {
      recorded: folder,
      here: checkout.root,
      definitionsAsOf: checkout.definitionsAsOf,
      createRecorder: checkout.createRecorder,
      onClaimed: async (claimed, own) => {
        if (claimed === rootId) await checkout.claim(own);
      },
    });
    const own = { registry: source, stateDir: checkout.stateDir };
    await withCadre(moved, own, async (cadre) => {
      await runSetup(cadre, { folder: moved.cwd, rootId, shell: options.shell });
      await execute(cadre);
      // Runs that outlived the root may have changed files after its end.
      await finish(checkout, { files, registry });
    });
    await checkout.deleteRefs();
  } finally {
    await checkout.remove();
  }
}

/** Publishes the changes of an ended family, and deletes its other refs. */
export async function settleFiles(
  options: CheckoutOptions,
  family: Pick<FamilyOfCheckout, "files" | "attempt" | "registry">,
): Promise<void> {
  const checkout = await openCheckout(options, family);
  try {
    await finish(checkout, family);
    await checkout.deleteRefs();
  } finally {
    await checkout.remove();
  }
}

async function finish(
  checkout: Checkout,
  { files, registry }: Pick<FamilyOfCheckout, "files" | "registry">,
): Promise<void> {
  const spec = await registry.spec(files.rootId);
  const recorder = checkout.createRecorder({ fail: () => undefined });
  if (spec !== undefined) await recorder.finish(spec);
}

/** Returns the setting with the paths of the checkout. */
async function moveSetting(
  { cwd, agentFiles, ...rest }: DispatchSetting,
  files: RecordedFiles,
  { root }: Checkout,
): Promise<DispatchSetting> {
  const move = (path: string): string | undefined => {
    const part = withinRecorded(files, path);
    return part === undefined ? undefined : join(root, part);
  };
  const moved = move(cwd);
  const real = moved === undefined ? undefined : await realpath(moved).catch(() => undefined);
  // A symlink in the repository may lead anywhere.
  if (real === undefined || !isInside(real, root)) {
    const message = `Expected the folder ${cwd} of the family to be one of the repository ${files.folder}; it is not in the commit ${files.commit}.`;
    throw new CadreError("config-invalid", message);
  }
  return {
    ...rest,
    cwd: real,
    ...(agentFiles !== undefined && { agentFiles: agentFiles.map((path) => move(path) ?? path) }),
  };
}
