// Instruction files: AGENTS.md and CLAUDE.md, with the files that they import.

/** A file whose text instructs the agents that work in a folder. */
export interface InstructionFile {
  /** Absolute; symlinks are not resolved. */
  path: string;
  /** Its text, within {@link maxInstructionBytes}. */
  text: string;
  /** The size of the file in bytes. */
  bytes: number;
  /** The path of the file that imports it; absent for a file that was found by its name. */
  importedBy?: string;
}

/** The instruction files of a folder, the farthest first. */
export interface InstructionFiles {
  files: readonly InstructionFile[];
  /** What was cut or left out, and why; one sentence or two each. */
  problems: readonly string[];
}

/** The most bytes of one file. */
export const maxInstructionBytes: number = 32 * 1024;

/** The most bytes of all files together. */
export const maxAllInstructionBytes: number = 64 * 1024;

/** The most imports that lead from a file that was found by its name to another file. */
export const maxImportDepth = 5;

/** The most files, with their imports. */
export const maxFiles = 50;

/** The names in one folder. The first that exists and is not empty counts. */
export const instructionFileNames: readonly string[] = [
  "AGENTS.md",
  "CLAUDE.md",
  ".claude/CLAUDE.md",
];

/** The user's own file, relative to the home folder. */
export const userInstructionFile = ".cadre/AGENTS.md";
