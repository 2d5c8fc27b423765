/** The result of deleting runs. */
export interface Pruned {
  /** The deleted runs. */
  runIds: readonly string[];
  /** The space returned to the file system, in bytes; 0 while a reader still holds the old content. */
  freedBytes: number;
}
