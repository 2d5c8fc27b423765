/** Options of `exportTraces`. */
export interface TraceExportOptions {
  /** Whether spans contain texts, inputs and outputs. */
  hasContent: boolean;
  /** The environment whose secrets are replaced. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The version of Cadre. */
  version: string;
}
