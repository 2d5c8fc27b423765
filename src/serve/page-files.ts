import { readFileSync } from "node:fs";

/** A file of the page. */
export interface PageFile {
  path: string;
  type: string;
  content: string;
}

const scripts = ["page", "dom", "run-list", "run", "talk", "questions"];

const files = [
  { path: "/", name: "index.html", type: "text/html; charset=utf-8" },
  { path: "/page.css", name: "page.css", type: "text/css; charset=utf-8" },
  ...scripts.map((script) => ({
    path: `/${script}.js`,
    name: `${script}.js`,
    type: "text/javascript; charset=utf-8",
  })),
];

/** Reads the files of the page. They hold no data of the project, so that anybody may read them. */
export function pageFiles(): PageFile[] {
  return files.map(({ path, name, type }) => ({
    path,
    type,
    content: readFileSync(new URL(`page/${name}`, import.meta.url), "utf8"),
  }));
}
