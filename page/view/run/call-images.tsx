import type { ReactNode } from "react";
import { artifactAddress } from "../../data/api.ts";
import { useArtifacts } from "../../data/queries.ts";
import type { ServedRun } from "../../data/types.ts";

/** The images that a call returned. */
export function CallImages({ run, step }: { run: ServedRun; step: string }): ReactNode {
  const { data = [] } = useArtifacts(run.id, run.lastSeq);
  const images = data.filter((one) => one.kind === "image" && one.step === step);
  return images.map(({ id }) => (
    <img
      key={id}
      className="image"
      alt="What the tool returned"
      src={artifactAddress(run.id, id)}
    />
  ));
}
