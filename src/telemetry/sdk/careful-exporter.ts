import { type ExportResult, ExportResultCode } from "@opentelemetry/core";

/** An exporter of traces or metrics. */
interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}

/** The exporters of a process. Their failures never affect runs. */
export interface CarefulExports {
  /** Wraps `exporter` so that it never fails. Its first failure becomes a warning. */
  wrap<Items, Kind extends Exporter<Items>>(exporter: Kind): Kind;
  /** Abandons exports in progress. */
  abandon(): void;
}

/** Creates {@link CarefulExports}. `warn` receives the first failure. */
export function createCarefulExports(warn: (problem: string) => void): CarefulExports {
  const open = new Set<() => void>();
  let isReported = false;

  function report(problem: string): void {
    if (isReported) return;
    isReported = true;
    warn(problem);
  }

  return {
    wrap<Items, Kind extends Exporter<Items>>(exporter: Kind): Kind {
      const send = exporter.export.bind(exporter);
      exporter.export = (items, done) => {
        const complete = (): void => {
          if (open.delete(complete)) done({ code: ExportResultCode.SUCCESS });
        };
        open.add(complete);
        send(items, ({ code, error }) => {
          if (code !== ExportResultCode.SUCCESS) report(error?.message ?? "the export failed");
          complete();
        });
      };
      return exporter;
    },
    abandon() {
      if (open.size > 0) report("it did not answer in time");
      for (const complete of open) complete();
    },
  };
}
