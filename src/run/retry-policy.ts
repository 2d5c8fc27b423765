/** When a run that came to an answer has to try again. */
export interface RetryPolicy {
  /** Attempts after the first. */
  maxRetries: number;
  /** Commands in the workspace; the attempt is good when all of them exit with 0. */
  checks: readonly { type: "shell"; command: string }[];
  /** A command that tidies up after an attempt that was not good. */
  onFailure?: string;
  /** Seconds each check may take. Default 300. */
  timeoutSeconds?: number;
  /** Seconds `onFailure` may take. Default 600. */
  onFailureTimeoutSeconds?: number;
}
