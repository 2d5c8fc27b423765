import { basename, sep } from "node:path";
import { CadreError } from "../errors.ts";
import type {
  AgentDeclarations,
  AgentFileFormat,
  FormatTable,
  TextFormat,
} from "./format/agent-file-format.ts";
import { agentFileFormats } from "./formats.ts";

/** Cadre's own formats. */
export const builtInFormats: FormatTable = createFormatTable(agentFileFormats);

const textFileFormats = agentFileFormats.filter(isTextFormat);

/** The names of the text formats, to which agents can be converted. */
export const textFormats: readonly string[] = textFileFormats.map(({ name }) => name);

/** The extensions of text files, with the dot. */
export const textFileExtensions: readonly string[] = extensionsOf(textFileFormats);

/** Creates the table of `formats`, which are in order of precedence. */
export function createFormatTable(formats: readonly AgentFileFormat[]): FormatTable {
  return {
    formats,
    folders: formats.flatMap((format) => format.folders.map((folder) => ({ ...folder, format }))),
    declaringFiles: formats.flatMap((format) => declarationsOf(format)?.file ?? []),
    extensions: extensionsOf(formats),
  };
}

/** Returns how a format declares agents in its program's configuration; `undefined` if it does not. */
export function declarationsOf(format: AgentFileFormat): AgentDeclarations | undefined {
  return isTextFormat(format) ? format.declarations : undefined;
}

/** Reports whether the files of a format are text that Cadre also writes. */
export function isTextFormat(format: AgentFileFormat): format is TextFormat {
  return "writer" in format;
}

/**
 * Returns the text format with a name.
 *
 * @throws CadreError `invalid-argument` for an unknown name.
 */
export function findTextFormat(name: string): TextFormat {
  const format = textFileFormats.find((one) => one.name === name);
  if (format !== undefined) return format;
  const message = `Expected an agent file format, one of ${textFormats.join(", ")}; got ${name}.`;
  throw new CadreError("invalid-argument", message);
}

/** Reports whether a file name has one of the `extensions`, in any case. */
export function hasExtension(path: string, extensions: readonly string[]): boolean {
  const name = basename(path).toLowerCase();
  return extensions.some((extension) => name.endsWith(extension));
}

/** Returns the format folders that a path is equal to or inside of. */
export function foldersOf(
  path: string,
  { folders }: FormatTable = builtInFormats,
): FormatTable["folders"] {
  return folders.filter(({ path: own, userPath }) =>
    [own, userPath].some((one) => `${path}${sep}`.includes(`${sep}${one}${sep}`)),
  );
}

/** Extensions such as `.agent.md` end in another extension. */
function extensionsOf(formats: readonly AgentFileFormat[]): string[] {
  const all = formats.flatMap(({ extensions }) => extensions);
  return [...new Set(all.map((extension) => extension.slice(extension.lastIndexOf("."))))];
}
