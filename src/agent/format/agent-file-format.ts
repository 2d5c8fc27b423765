// The descriptor of an agent file format: its folders, parser and writer.

import type { Diagnostic } from "../../source/diagnostic.ts";
import type { AgentDefinition, AgentScope } from "../definition/agent.ts";
import type { AgentFile } from "../fields/common-fields.ts";
import type { FormatWriter } from "../write/format-writer.ts";
import type { AgentFolder } from "./agent-folder.ts";

/**
 * Everything Cadre knows about one kind of agent file. Discovery, checks and conversion loop over the list in
 * `formats.ts`, so a new format is a folder with such an object and a line in that list.
 */
export type AgentFileFormat = TextFormat | ReadFormat | CodeFormat;

/** The name and the files of a format. */
export interface CommonFormat {
  /** Unique; definitions carry it as `source.format`. */
  name: string;
  /** In order of precedence. A conversion writes to the last one. */
  folders: readonly AgentFolder[];
  /** Lower-case extensions with the dot. Several formats may read `.md`; any other extension belongs to one format. */
  extensions: readonly string[];
  /** Reports whether a file of the format's folders is not a definition, by its name. Absent = every file is one. */
  ignores?(fileName: string): boolean;
}

/** A format whose files are text that Cadre reads and does not write. */
export interface ReadFormat extends CommonFormat {
  /** Reads a definition; `null` for prose. Invalid text never throws: the definition's diagnostics describe it. */
  parse(file: AgentFile): AgentDefinition | null;
  /**
   * Reports whether a Markdown file outside of every format's folders has keys that only this format has. Later formats
   * of the list are asked first.
   */
  recognizes?(file: UnplacedFile): boolean;
}

/** A format whose files are text: prompts with settings. */
export interface TextFormat extends ReadFormat {
  writer: FormatWriter;
  /** The defaults of the format, where they differ from Cadre's. */
  defaults?: Partial<AgentDefinition>;
  /** Reports whether a file without a `name` is an agent, in a folder that also holds other files. */
  isNamelessAgent?(file: UnplacedFile): boolean;
  declarations?: AgentDeclarations;
}

/** A format whose files are code, which is executed to read a definition. */
export interface CodeFormat extends CommonFormat {
  load(file: AgentFileRequest): Promise<AgentDefinition>;
}

/** A file outside of the folders of agents. */
export interface UnplacedFile {
  path: string;
  text: string;
  /** The text of its frontmatter; empty without one. */
  header: string;
}

/** A file to load. */
export interface AgentFileRequest {
  /** Absolute. */
  path: string;
  /** Absent = derived from the path and the text, among `formats`. */
  format?: AgentFileFormat;
  /** Default: Cadre's own formats. */
  formats?: FormatTable;
  scope: AgentScope;
  isTrusted: (path: string) => boolean;
  /** Reports whether a file changed since Cadre was opened; a changed program is not executed. Absent = no file did. */
  isLater?: ((path: string) => boolean) | undefined;
  /** See `AgentFile.ownTools`. */
  ownTools?: readonly string[] | undefined;
}

/** Formats, with what follows from them. */
export interface FormatTable {
  /** In order of precedence. */
  formats: readonly AgentFileFormat[];
  /** The folders of every format, in order of precedence. */
  folders: readonly (AgentFolder & { format: AgentFileFormat })[];
  /** The files in which programs declare agents, relative to a project's folder and to the home. */
  declaringFiles: readonly string[];
  /** The extensions of the files of every format, with the dot. */
  extensions: readonly string[];
}

/** A folder of one format to search. */
export interface AgentSearch {
  format: AgentFileFormat;
  folder: AgentFolder;
  /** The folder of the project, or the home, to which the paths of `folder` are relative. */
  base: string;
  /** Symlinks must stay inside of it. */
  root: string;
  scope: AgentScope;
}

/** A folder with declarations of agents. */
export interface DeclarationSearch extends AgentSearch, Pick<AgentFileRequest, "ownTools"> {}

/** The declarations of agents in a program's configuration, in addition to agent files. */
export interface AgentDeclarations {
  /** The configuration file, relative to a project's folder and to the home. */
  file: string;
  /** Reads the declarations in `file`, which is absolute; a missing file declares none. */
  load(file: string, search: DeclarationSearch): Promise<DeclaredAgents>;
  /** Completes each definition of the format from those after it, which have lower precedence. */
  merge(definitions: readonly AgentDefinition[]): AgentDefinition[];
}

/** The agents that a configuration file declares. */
export interface DeclaredAgents {
  definitions: AgentDefinition[];
  /** The files that the declarations name, absolute. They are not definitions of their own. */
  files: ReadonlySet<string>;
  diagnostics: Diagnostic[];
}
