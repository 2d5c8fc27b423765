/** Something that enters the conversation of a run that is at work, before its next model step. */
export interface Message {
  /** Unique within the run that receives it; for a result, the id of the run whose result it is. */
  id: string;
  /** `steering`: somebody's words; `result`: a run in the background ended. */
  kind: "steering" | "result";
  /** Who sent it: `user`, or an agent with its run. */
  from: string;
  text: string;
}
