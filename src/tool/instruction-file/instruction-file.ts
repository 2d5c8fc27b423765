// Instruction files: AGENTS.md and CLAUDE.md, with the files that they import.

/** A file whose text instructs the agents that work in a folder. */
export interface InstructionFile {
  /** Absolute; symlinks are not resolved. */
  path: string;
  /** Its text, within {@link maxInstructionBytes}. */
  text: string;
  /** The size of the file in bytes. */
  bytes: number;
  /** The path of the file that imports it; absent for a file found by name. */
  importedBy?: string;
}

/** The instruction files of a folder, farthest first. */
export interface InstructionFiles {
  files: readonly InstructionFile[];
  /** The parts that were cut or left out, with the reasons; one or two sentences each. */
  problems: readonly string[];
}

/** The size limit of one file, in bytes. */
export const maxInstructionBytes: number = 32 * 1024;

/** The size limit of all files together, in bytes. */
export const maxAllInstructionBytes: number = 64 * 1024;

/** The maximum nesting depth of imports, counted from a file that was found by name. */
export const maxImportDepth = 5;

/** The maximum number of files, including imports. */
export const maxFiles = 50;

/** The file names in one folder. The first existing file that is not empty is used. */
export const instructionFileNames: readonly string[] = [
  "AGENTS.md",
  "CLAUDE.md",
  ".claude/CLAUDE.md",
];

/** The user's own file, relative to the home folder. */
export const userInstructionFile = ".cadre/AGENTS.md";
