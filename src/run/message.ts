/** A message that enters the conversation of an active run before its next model step. */
export interface Message {
  /** Unique in the receiving run. For a result, the id of the run that produced it. */
  id: string;
  /** `steering`: a message from the user or another agent; `result`: the result of a background run. */
  kind: "steering" | "result";
  /** The sender: `user`, or an agent with its run. */
  from: string;
  text: string;
}
