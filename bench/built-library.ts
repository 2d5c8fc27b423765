import type * as Library from "../src/index.ts";

// A variable instead of a literal, so that the types can be checked without a build.
const path = new URL("../dist/index.js", import.meta.url).href;

/** The built library, as users get it. */
export const library: typeof Library = (await import(path)) as typeof Library;
