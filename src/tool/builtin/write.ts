import { z } from "zod";
import { writeAtomically } from "../control-file/atomic-write.ts";
import { confineForWriting, requireSeen } from "./editable-file.ts";
import { displayPath, pathSchema, resolvePath } from "../path/path-confinement.ts";
import { readToolPrompt } from "./prompt.ts";
import { readWhole, requireRegular, sha256, statusOf } from "../path/regular-file.ts";
import { createTool, type Tool } from "../tool.ts";
import { type ReadOpenText, requireSaved } from "../unsaved/unsaved-text.ts";

const input = z.object({
  file_path: pathSchema.describe("The file, absolute or relative to the workspace"),
  content: z.string().describe("The whole new content"),
});

/** Creates the `Write` tool. It refuses a file with unsaved changes in `readOpen`. */
export function createWriteTool({ readOpen }: { readOpen?: ReadOpenText } = {}): Tool {
  return createTool({
    name: "Write",
    description: readToolPrompt("write"),
    access: "edit",
    input,
    describe({ file_path }, { workspace }) {
      const path = resolvePath(file_path, workspace);
      const shown = displayPath(path, workspace);
      return { title: `Write ${shown}`, subject: shown, paths: [path] };
    },
    async execute({ file_path, content }, context, call) {
      const path = confineForWriting(file_path, context, call);
      const existing = await statusOf(path);
      if (existing !== undefined) {
        requireRegular(path, existing);
        const { content: before, hash } = await readWhole(path);
        await requireSaved(readOpen, { path, content: before }, context);
        requireSeen(path, hash, context);
      }
      await writeAtomically(path, content);
      const verb = existing === undefined ? "Created" : "Overwrote";
      return {
        text: `${verb} ${displayPath(path, context.workspace)} (${Buffer.byteLength(content)} bytes).`,
        files: [{ path, hash: sha256(content), change: "written" }],
      };
    },
  });
}
