import { readFileSync } from "node:fs";

/** A file of the page. */
export interface PageFile {
  path: string;
  type: string;
  content: string;
}

const files = [
  { path: "/", name: "index.html", type: "text/html; charset=utf-8" },
  { path: "/page.css", name: "page.css", type: "text/css; charset=utf-8" },
  { path: "/page.js", name: "page.js", type: "text/javascript; charset=utf-8" },
];

/**
 * Reads the files of the page, which the build puts beside this module. They contain no data of the project, so they need no token.
 * Returns none when Cadre runs from its sources.
 */
export function pageFiles(): PageFile[] {
  return files.flatMap(({ path, name, type }) => {
    const content = read(name);
    return content === undefined ? [] : [{ path, type, content }];
  });
}

function read(name: string): string | undefined {
  try {
    return readFileSync(new URL(`page/${name}`, import.meta.url), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
