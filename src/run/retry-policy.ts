/** The checks of a run's answer, and the retries when they fail. */
export interface RetryPolicy {
  /** The number of attempts after the first. */
  maxRetries: number;
  /** Commands that run in the workspace. An attempt passes when all of them exit with 0. */
  checks: readonly { type: "shell"; command: string }[];
  /** A command that runs after a failed attempt, to clean up. */
  onFailure?: string;
  /** The time limit of each check, in seconds. Default 300. */
  timeoutSeconds?: number;
  /** The time limit of `onFailure`, in seconds. Default 600. */
  onFailureTimeoutSeconds?: number;
}
