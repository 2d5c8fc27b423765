import type { CadreOptions } from "../../host.ts";

/** A conversation to begin or to continue. */
export interface ChatRequest {
  /** Default: `main`, or the conversation's agent. */
  agent?: string | undefined;
  /** A run of the conversation to continue; the empty string means the latest conversation. */
  continue?: string | undefined;
  options: CadreOptions;
}
