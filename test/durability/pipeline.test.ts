import { expect, test } from "vitest";
import { isLong } from "../is-long.ts";
import { killAfterEvents } from "../fixtures/process/kill-agent-file.ts";
import { startModelServer } from "../fixtures/model-server.ts";
import {
  createResumedPipeline,
  playPipeline,
  steps,
} from "../fixtures/pipeline/resumed-pipeline.ts";

/** The last moment of a kill. Two more events follow it and are written together: the last step and the end. */
const lastMoment = 51;
const moments = Array.from({ length: lastMoment }, (_, index) => index + 1);

/** Kills it twice; with `npm run test:durability`, after every event. */
test.each(isLong ? moments : [3, 28])(
  "a pipeline killed after event %i runs each of its agents once",
  async (events) => {
    const server = await startModelServer((turn) => playPipeline(turn).reply);
    const project = createResumedPipeline(server);
    expect(await killAfterEvents(project, "prompt.md", events)).toBe("SIGKILL");
    const cadre = await project.open({ trust: true });
    const [run] = await cadre.resume();
    expect(await run?.result()).toMatchObject({ status: "succeeded" });
    const family = await cadre.tree(run?.id ?? "");
    expect(family.map(({ parentStep }) => parentStep)).toEqual(steps);
    expect(family.every(({ status }) => status === "succeeded")).toBe(true);
  },
);
