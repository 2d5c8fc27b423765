import type { OnElicit } from "../../extension/elicitation/elicitation.ts";
import type { ExtensionHost, ExtensionHostOptions } from "../../extension/host/extension-host.ts";
import { omitUndefined } from "../../omit-undefined.ts";

/** The host of MCP servers, created when the first one is needed. */
export function createLazyExtensions({
  onElicit,
  ...resources
}: LazyExtensionsOptions): LazyExtensions {
  let host: Promise<ExtensionHost> | undefined;
  const get = (): Promise<ExtensionHost> =>
    (host ??= import("../../extension/host/extension-host.ts").then(({ createExtensionHost }) =>
      createExtensionHost({ ...resources, ...omitUndefined({ onElicit }) }),
    ));
  return {
    get,
    // Only closing Cadre waits for it.
    release: (rootId) => void host?.then((there) => there.release(rootId)).catch(() => undefined),
    close: async () => await (await host)?.close(),
  };
}

/** Options of {@link createLazyExtensions}. */
export interface LazyExtensionsOptions extends Pick<
  ExtensionHostOptions,
  "environment" | "workspace"
> {
  onElicit: OnElicit | undefined;
}

/** Creates the MCP servers of one Cadre. */
export interface LazyExtensions {
  get: () => Promise<ExtensionHost>;
  release: (rootId: string) => void;
  close: () => Promise<void>;
}
