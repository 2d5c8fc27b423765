/** A file or an image that a run produced or was given, other than its texts. */
export interface RunArtifact {
  /** Its name in the run. */
  id: string;
  /** `output`: the whole output of a call that was too long for the model; `image`: of a result; `task-image`: of the task. */
  kind: "output" | "image" | "task-image";
  /** The key of the step that produced it; `null` = unknown, or it belongs to the task. */
  step: string | null;
  /** Such as `text/plain` or `image/png`. */
  mediaType: string;
  bytes: number;
}

/** The content of an artifact. */
export interface ArtifactContent {
  mediaType: string;
  bytes: number;
  /** Read it to its end, or cancel it. */
  content: ReadableStream<Uint8Array>;
}
