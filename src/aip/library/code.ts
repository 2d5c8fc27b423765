import { type AipModule, textArgument } from "./arguments.ts";

const slashes =
  "rs js ts jsx tsx mjs cjs java c h cpp hpp cc cs go kt kts swift scala php dart zig proto jsonc";
const hashes = "py rb sh bash zsh toml yaml yml pl r make dockerfile conf ps1 ex exs jl nim tf";

/** The text before and after a comment, by file extension. */
const comments: Readonly<Record<string, readonly [string, string]>> = {
  ...Object.fromEntries(slashes.split(" ").map((extension) => [extension, ["// ", ""]])),
  ...Object.fromEntries(hashes.split(" ").map((extension) => [extension, ["# ", ""]])),
  ...Object.fromEntries(["lua", "sql", "hs", "elm", "ada"].map((name) => [name, ["-- ", ""]])),
  ...Object.fromEntries(["css", "pcss", "scss", "less"].map((name) => [name, ["/* ", " */"]])),
  ...Object.fromEntries(
    ["html", "htm", "xml", "svg", "md", "vue", "svelte"].map((name) => [name, ["<!-- ", " -->"]]),
  ),
};

/** `aip.code`. */
export const code: AipModule = {
  comment_line: (args) => {
    const extension = textArgument(args, 1).toLowerCase().replace(/^\./, "");
    const found = Object.hasOwn(comments, extension) ? comments[extension] : undefined;
    const [before, behind] = found ?? ["// ", ""];
    return `${before}${textArgument(args, 2)}${behind}`;
  },
};
