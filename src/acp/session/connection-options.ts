import type { Editor } from "../editor/editor.ts";
import type { Sessions } from "./sessions.ts";

/** Options of a connection's agent, in either version of the protocol. */
export interface ConnectionOptions {
  /** The version of Cadre. */
  version: string;
  /** Creates the sessions of the connection with an editor. */
  serve: (editor: Editor) => Sessions;
}
