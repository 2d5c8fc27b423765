import type { FileRecorder } from "../../registry/file-recorder.ts";
import type { RegistrySource } from "../../registry/registry-source.ts";
import type { Registry } from "../../registry/registry.ts";
import { createMovePaths } from "./move-paths.ts";

/** Options of {@link moveRegistry}. */
export interface MovedRegistryOptions {
  /** The folder of the runs on the machine that submitted them, absolute. Journals name this folder. */
  recorded: string;
  /** The folder of their files on this machine, absolute. */
  here: string;
  /** The `RunSpec.definitionsAsOf` of the runs here. The files of a checkout are newer than the submission. */
  definitionsAsOf: number;
  /** Creates the recorder of the family's files. */
  createRecorder: (registry: Pick<Registry, "fail">) => FileRecorder;
  /** Called after this process becomes the owner of a family, before its runs continue. */
  onClaimed: (rootId: string, registry: Registry) => Promise<void>;
}

/**
 * Creates a source of registries in which a family's runs work in a different folder from the one that their journals name.
 * Journals keep the folder on the submitting machine. Each worker and each reader sees its own folder.
 */
export function moveRegistry(
  source: RegistrySource,
  options: MovedRegistryOptions,
): RegistrySource {
  return { openRegistry: (formerOwners) => moveOne(source.openRegistry(formerOwners), options) };
}

function moveOne(
  inner: Registry,
  { recorded, here, definitionsAsOf, createRecorder, onClaimed }: MovedRegistryOptions,
): Registry {
  const arrive = createMovePaths(recorded, here);
  const leave = createMovePaths(here, recorded);
  return {
    ...inner,
    files: createRecorder(inner),
    append: (runId, body) => arrive(inner.append(runId, leave(body))),
    subscribe: (listener) => inner.subscribe((event, run) => listener(arrive(event), arrive(run))),
    run: async (id) => arrive(await inner.run(id)),
    findRuns: async (part) => arrive(await inner.findRuns(part)),
    runs: async (filter) => arrive(await inner.runs(filter)),
    family: async (rootId) => arrive(await inner.family(rootId)),
    children: async (parentId) => arrive(await inner.children(parentId)),
    childOf: async (parentId, step) => arrive(await inner.childOf(parentId, step)),
    madeFrom: async (runId) => arrive(await inner.madeFrom(runId)),
    async spec(runId) {
      const spec = arrive(await inner.spec(runId));
      // Specs of earlier versions lack this time.
      return spec?.definitionsAsOf === undefined ? spec : { ...spec, definitionsAsOf };
    },
    events: async (runId, which) => arrive(await inner.events(runId, which)),
    async eventsAfter(position) {
      const found = await inner.eventsAfter(position);
      // The stored text has the paths of the submitting machine.
      return found.map(({ position: at, event }) => ({ position: at, event: arrive(event) }));
    },
    putContent: (content) => inner.putContent(leave(content)),
    content: async (hash) => arrive(await inner.content(hash)),
    requestsTo: async (runId) => arrive(await inner.requestsTo(runId)),
    request: async (runId, kind, data) => await inner.request(runId, kind, leave(data)),
    onRequest(handler) {
      inner.onRequest(async (request) => await handler(arrive(request)));
    },
    async claim(rootId) {
      const isClaimed = await inner.claim(rootId);
      if (isClaimed) await onClaimed(rootId, inner);
      return isClaimed;
    },
  };
}
