import type { Editor } from "../editor/editor.ts";
import type { RecipeSearch } from "../../host.ts";

/** The receiver of a session's questions. */
export interface QuestionTarget {
  editor: Editor;
  sessionId: string;
  /** The folder of the session, as the editor names it. */
  cwd: string;
  /** The user whose configuration receives the allowed rules. */
  user: Pick<RecipeSearch, "home" | "environment">;
  /** Marks a call as waiting for the user until the returned function is called. */
  waitFor: (callId: string) => () => void;
}
