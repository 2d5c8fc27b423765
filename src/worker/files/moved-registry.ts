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
  const toLocalPaths = createMovePaths(recorded, here);
  const toRecordedPaths = createMovePaths(here, recorded);
  return {
    ...inner,
    files: createRecorder(inner),
    append: (runId, body) => toLocalPaths(inner.append(runId, toRecordedPaths(body))),
    subscribe: (listener) =>
      inner.subscribe((event, run) => listener(toLocalPaths(event), toLocalPaths(run))),
    run: async (id) => toLocalPaths(await inner.run(id)),
    findRuns: async (part) => toLocalPaths(await inner.findRuns(part)),
    runs: async (filter) => toLocalPaths(await inner.runs(filter)),
    family: async (rootId) => toLocalPaths(await inner.family(rootId)),
    children: async (parentId) => toLocalPaths(await inner.children(parentId)),
    childOf: async (parentId, step) => toLocalPaths(await inner.childOf(parentId, step)),
    madeFrom: async (runId) => toLocalPaths(await inner.madeFrom(runId)),
    async spec(runId) {
      const spec = toLocalPaths(await inner.spec(runId));
      // Specs of earlier versions lack this time.
      return spec?.definitionsAsOf === undefined ? spec : { ...spec, definitionsAsOf };
    },
    events: async (runId, which) => toLocalPaths(await inner.events(runId, which)),
    async eventsAfter(position) {
      const found = await inner.eventsAfter(position);
      // The stored text has the paths of the submitting machine.
      return found.map(({ position: at, event }) => ({ position: at, event: toLocalPaths(event) }));
    },
    putContent: (content) => inner.putContent(toRecordedPaths(content)),
    content: async (hash) => toLocalPaths(await inner.content(hash)),
    requestsTo: async (runId) => toLocalPaths(await inner.requestsTo(runId)),
    request: async (runId, kind, data) => await inner.request(runId, kind, toRecordedPaths(data)),
    onRequest(handler) {
      inner.onRequest(async (request) => await handler(toLocalPaths(request)));
    },
    async claim(rootId) {
      const isClaimed = await inner.claim(rootId);
      if (isClaimed) await onClaimed(rootId, inner);
      return isClaimed;
    },
  };
}
