import { z } from "zod";
import { CadreError } from "../../errors.ts";
import { writeAtomically } from "../control-file/atomic-write.ts";
import { confineForWriting, requireSeen } from "./editable-file.ts";
import { displayPath, pathSchema, resolvePath } from "../path/path-confinement.ts";
import { readToolPrompt } from "./prompt.ts";
import { readWhole, sha256 } from "../path/regular-file.ts";
import { replaceText } from "./replace-text.ts";
import { createTool, type Tool } from "../tool.ts";
import { type ReadOpenText, requireSaved } from "../unsaved/unsaved-text.ts";

const input = z.object({
  file_path: pathSchema.describe("The file, absolute or relative to the workspace"),
  old_string: z.string().min(1, "expected the text to replace; use Write to create a file"),
  new_string: z.string(),
  replace_all: z.boolean().default(false).describe("Replace every occurrence"),
});

/** Creates the `Edit` tool. It refuses a file with unsaved changes in `readOpen`. */
export function createEditTool({ readOpen }: { readOpen?: ReadOpenText } = {}): Tool {
  return createTool({
    name: "Edit",
    description: readToolPrompt("edit"),
    access: "edit",
    input,
    describe({ file_path }, { workspace }) {
      const path = resolvePath(file_path, workspace);
      const shown = displayPath(path, workspace);
      return { title: `Edit ${shown}`, subject: shown, paths: [path] };
    },
    async execute({ file_path, old_string, new_string, replace_all }, context, call) {
      if (old_string === new_string) {
        throw new CadreError(
          "tool-failed",
          "old_string and new_string are identical: nothing to change.",
        );
      }
      const path = confineForWriting(file_path, context, call);
      const { content, hash } = await readWhole(path);
      await requireSaved(readOpen, { path, content }, context);
      requireSeen(path, hash, context);
      const shown = displayPath(path, context.workspace);
      const change = { old: old_string, new: new_string, all: replace_all };
      const edited = replaceText(content, change, shown);
      await writeAtomically(path, edited.content);
      const times = edited.count === 1 ? "" : ` in ${edited.count} places`;
      return {
        text: `Edited ${shown}${times}.\n${edited.snippet}`,
        files: [{ path, hash: sha256(edited.content), change: "written" }],
      };
    },
  });
}
