import type * as Library from "../src/index.ts";

// Not written where it is imported: it need not be built for its types to be checked.
const path = new URL("../dist/index.js", import.meta.url).href;

/** The library as users get it. */
export const library: typeof Library = (await import(path)) as typeof Library;
