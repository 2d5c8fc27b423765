import { splitFrontmatter } from "../source/yaml/frontmatter.ts";
import type { AgentFileFormat, FormatTable, ReadFormat } from "./format/agent-file-format.ts";
import { foldersOf, hasExtension, builtInFormats } from "./find-format.ts";
import { fallbackFormat } from "./formats.ts";

/** Returns the format of a file from its folder or extension; `undefined` for Markdown in any other folder. */
export function formatOfPath(
  path: string,
  table: FormatTable = builtInFormats,
): AgentFileFormat | undefined {
  const folder = foldersOf(path, table).find(({ format }) => hasExtension(path, format.extensions));
  if (folder !== undefined) return folder.format;
  return table.formats.find(({ extensions }) => {
    // Several formats read `.md`.
    const own = extensions.filter((extension) => extension !== ".md");
    return hasExtension(path, own);
  });
}

/** Returns the format that recognizes the keys of a file, otherwise {@link fallbackFormat}. */
export function recognizeFormat(
  path: string,
  text: string,
  { formats }: FormatTable = builtInFormats,
): ReadFormat {
  const file = { path, text, header: splitFrontmatter(text).header };
  const readable = formats.filter((format) => "parse" in format);
  return readable.findLast((format) => format.recognizes?.(file) === true) ?? fallbackFormat;
}
