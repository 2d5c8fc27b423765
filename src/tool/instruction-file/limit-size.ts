import {
  type InstructionFile,
  maxInstructionBytes,
  maxAllInstructionBytes,
} from "./instruction-file.ts";

/** A file within a limit, and the problem if it was cut. Without `file`, nothing of it is left. */
interface Limited {
  file?: InstructionFile;
  problem?: string;
}

/** Cuts a file at {@link maxInstructionBytes}. */
export function limitFile(file: InstructionFile): Limited {
  return limit(file, maxInstructionBytes, `the limit for one file is ${maxInstructionBytes} bytes`);
}

/** Limits the total size to {@link maxAllInstructionBytes}: cuts the file that exceeds it, and leaves out the following ones. */
export function limitTotal(groups: readonly (readonly InstructionFile[])[]): {
  kept: InstructionFile[][];
  problems: string[];
} {
  const problems: string[] = [];
  const why = `the limit for all instruction files together is ${maxAllInstructionBytes} bytes`;
  let left = maxAllInstructionBytes;
  const kept = groups.map((files) =>
    files.flatMap((given): InstructionFile[] => {
      const { file, problem } = limit(given, left, why);
      if (problem !== undefined) problems.push(problem);
      left -= file === undefined ? 0 : Buffer.byteLength(file.text);
      return file === undefined ? [] : [file];
    }),
  );
  return { kept, problems };
}

function limit(file: InstructionFile, most: number, why: string): Limited {
  const { path, text, bytes } = file;
  if (Buffer.byteLength(text) <= most) return { file };
  const note = `\n\n[Cut here: ${path} has ${bytes} bytes. Read it if you need the rest.]`;
  const cut = cutAtLine(text, most - Buffer.byteLength(note));
  const used = Buffer.byteLength(cut);
  const what = used === 0 ? "was not used" : `was cut to its first ${used} bytes`;
  const problem = `The instruction file ${path} (${bytes} bytes) ${what}: ${why}. Shorten it, or move parts of it to files that agents read when they need them.`;
  return used === 0 ? { problem } : { file: { ...file, text: cut + note }, problem };
}

/** Returns the lines at the beginning of `text` that fit into `most` bytes, or the part of its first line that fits. */
function cutAtLine(text: string, most: number): string {
  const bytes = Buffer.from(text).subarray(0, Math.max(most, 0));
  // With `stream`, a character that is cut in two does not become U+FFFD.
  const whole = new TextDecoder().decode(bytes, { stream: true });
  const end = whole.lastIndexOf("\n");
  return (end > 0 ? whole.slice(0, end) : whole).trimEnd();
}
