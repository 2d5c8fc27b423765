import type { OnElicit } from "../extension/elicitation.ts";
import type { ExtensionHost, ExtensionHostOptions } from "../extension/extension-host.ts";

/** The host of the MCP servers, made when the first one is needed. */
export function createLazyExtensions({
  onElicit,
  ...place
}: LazyExtensionsOptions): LazyExtensions {
  let host: Promise<ExtensionHost> | undefined;
  const get = (): Promise<ExtensionHost> =>
    (host ??= import("../extension/extension-host.ts").then(({ createExtensionHost }) =>
      createExtensionHost({ ...place, ...(onElicit !== undefined && { onElicit }) }),
    ));
  return {
    get,
    // Nobody waits for it but whoever closes Cadre.
    release: (rootId) => void host?.then((there) => there.release(rootId)).catch(() => undefined),
    close: async () => await (await host)?.close(),
  };
}

/** What {@link createLazyExtensions} needs. */
export interface LazyExtensionsOptions extends Pick<
  ExtensionHostOptions,
  "environment" | "workspace"
> {
  onElicit: OnElicit | undefined;
}

/** The MCP servers of one Cadre. */
export interface LazyExtensions {
  get: () => Promise<ExtensionHost>;
  release: (rootId: string) => void;
  close: () => Promise<void>;
}
