import { homedir } from "node:os";
import type { Editor } from "../editor/editor.ts";
import { askForms, askParameters } from "../question/ask-form.ts";
import { askPermission } from "../question/ask-permission.ts";
import { readEditorText } from "./read-editor-text.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { type Cadre, type CadreOptions, createCadre, type PermissionMode } from "../../host.ts";

/** The parts of a session. */
export interface SessionSetup {
  editor: Editor;
  id: string;
  cwd: string;
  /** The MCP servers that the editor provides. */
  extensions: NonNullable<NonNullable<CadreOptions["config"]>["extensions"]>;
  options: CadreOptions;
  log: (line: string) => void;
}

/** Opens the Cadre of a session. Its questions go to the editor. `waitFor`: see `QuestionTarget`. */
export async function openSessionCadre(
  { editor, id, cwd, extensions, options, log }: SessionSetup,
  { mode, waitFor }: { mode: PermissionMode | undefined; waitFor: (callId: string) => () => void },
): Promise<Cadre> {
  const { home = homedir(), environment = process.env } = options;
  const target = { editor, sessionId: id, cwd, user: { home, environment }, waitFor };
  return await createCadre({
    telemetry: "environment",
    ...options,
    cwd,
    ...omitUndefined({ mode }),
    ...(Object.keys(extensions).length > 0 && { config: { ...options.config, extensions } }),
    onApproval: askPermission(target),
    onElicit: askForms(target),
    onParameter: askParameters(target),
    ...(editor.abilities().readsFiles && { readOpenText: readEditorText({ ...target, log }) }),
  });
}
