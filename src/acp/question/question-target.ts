import type { Editor } from "../editor/editor.ts";
import type { RecipeSearch } from "../../host.ts";

/** Where questions of a session go. */
export interface QuestionTarget {
  editor: Editor;
  sessionId: string;
  /** The folder of the session, as the editor names it. */
  cwd: string;
  /** The user whose configuration gets the rules that are allowed. */
  user: Pick<RecipeSearch, "home" | "environment">;
  /** Tells that the user is asked about a call, until the returned function is called. */
  waitFor: (callId: string) => () => void;
}
