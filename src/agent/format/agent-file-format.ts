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
  /** Unique. Definitions have it as `source.format`. */
  name: string;
  /** In order of precedence. A conversion writes to the last one. */
  folders: readonly AgentFolder[];
  /** Lower-case extensions with the dot. Several formats may read `.md`; any other extension belongs to one format. */
  extensions: readonly string[];
  /** Reports whether a file of the format's folders is not a definition, by its name. Absent = every file is one. */
  ignores?(fileName: string): boolean;
}

/** A text format that Cadre reads but does not write. */
export interface ReadFormat extends CommonFormat {
  /** Reads a definition; `null` for prose. Invalid text never throws: the definition's diagnostics describe it. */
  parse(file: AgentFile): AgentDefinition | null;
  /**
   * Reports whether a Markdown file outside every format's folders has keys that only this format has. Later formats
   * of the list are asked first.
   */
  recognizes?(file: UnplacedFile): boolean;
}

/** A text format: prompts with settings. */
export interface TextFormat extends ReadFormat {
  writer: FormatWriter;
  /** The defaults of the format, where they differ from Cadre's. */
  defaults?: Partial<AgentDefinition>;
  /** Reports whether a file without a `name` is an agent, in a folder that also holds other files. */
  isNamelessAgent?(file: UnplacedFile): boolean;
  declarations?: AgentDeclarations;
}

/** A format whose files are code. Reading a definition executes the code. */
export interface CodeFormat extends CommonFormat {
  load(file: AgentFileRequest): Promise<AgentDefinition>;
}

/** A file outside of agent folders. */
export interface UnplacedFile {
  path: string;
  text: string;
  /** The text of its frontmatter; empty if there is none. */
  header: string;
}

/** A file to load. */
export interface AgentFileRequest {
  /** Absolute. */
  path: string;
  /** Absent = determined from the path and the text, among `formats`. */
  format?: AgentFileFormat;
  /** Default: Cadre's own formats. */
  formats?: FormatTable;
  scope: AgentScope;
  isTrusted: (path: string) => boolean;
  /** Reports whether a file changed after Cadre was opened. A changed program is not executed. Absent = no file changed. */
  isLater?: ((path: string) => boolean) | undefined;
  /** See `AgentFile.ownTools`. */
  ownTools?: readonly string[] | undefined;
}

/** A list of formats with derived tables. */
export interface FormatTable {
  /** In order of precedence. */
  formats: readonly AgentFileFormat[];
  /** The folders of every format, in order of precedence. */
  folders: readonly (AgentFolder & { format: AgentFileFormat })[];
  /** The files in which programs declare agents, relative to a project's folder and to the home folder. */
  declaringFiles: readonly string[];
  /** The extensions of the files of every format, with the dot. */
  extensions: readonly string[];
}

/** A folder of one format to search. */
export interface AgentSearch {
  format: AgentFileFormat;
  folder: AgentFolder;
  /** The project's folder or the home folder, to which the paths of `folder` are relative. */
  base: string;
  /** The folder that symlinks must not leave. */
  root: string;
  scope: AgentScope;
}

/** A folder with declarations of agents. */
export interface DeclarationSearch extends AgentSearch, Pick<AgentFileRequest, "ownTools"> {}

/** The declarations of agents in a program's configuration, in addition to agent files. */
export interface AgentDeclarations {
  /** The configuration file, relative to a project's folder and to the home folder. */
  file: string;
  /** Reads the declarations in `file`, an absolute path. A missing file declares none. */
  load(file: string, search: DeclarationSearch): Promise<DeclaredAgents>;
  /** Completes each definition of the format from later definitions, which have lower precedence. */
  merge(definitions: readonly AgentDefinition[]): AgentDefinition[];
}

/** The agents that a configuration file declares. */
export interface DeclaredAgents {
  definitions: AgentDefinition[];
  /** The absolute paths of files that the declarations name. They are not separate definitions. */
  files: ReadonlySet<string>;
  diagnostics: Diagnostic[];
}
