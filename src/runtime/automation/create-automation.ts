// Automation: triggers, schedules and webhooks of the configuration.

import { timingSafeEqual, createHash } from "node:crypto";
import { resolve } from "node:path";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Registry } from "../../registry/registry.ts";
import type { TriggerSetting } from "../../config/automation-setting.ts";
import type { Automation, Trigger } from "../automation.ts";
import type { RunHandle } from "../run-handle.ts";
import {
  findTrigger,
  startTrigger,
  type TriggerServices,
  type TriggerStart,
} from "./start-trigger.ts";

/** Options of {@link createAutomation}. */
export interface AutomationOptions {
  configuration: LoadedConfig;
  project: { cwd: string; environment: Readonly<Record<string, string | undefined>> };
  store: { open: () => Registry; openExisting: () => Registry | undefined };
  /** Returns the services that start runs. Reopens a failed registry. */
  services: { getToExecute: () => Promise<TriggerServices & SubmittingServices> };
  handle: (id: string) => RunHandle;
}

interface SubmittingServices {
  engine: Pick<Engine, "resume">;
  /** Whether another process executes the runs that start here. */
  submits: boolean;
}

/** Creates the automation of one Cadre. The code that executes it is loaded on use. */
export function createAutomation(options: AutomationOptions): Automation {
  const { configuration, project, store, services, handle } = options;
  const { triggers, webhooks } = configuration.config;

  async function start(name: string, given: TriggerStart): Promise<string> {
    const trigger = findTrigger(triggers, name);
    const resolvePath = (path: string): string => resolve(project.cwd, path);
    return await startTrigger(await services.getToExecute(), { ...trigger, resolvePath }, given);
  }

  function readSecret({ secretEnv }: TriggerSetting): string | undefined {
    const secret = secretEnv === undefined ? "" : project.environment[secretEnv];
    return secret === "" ? undefined : secret;
  }

  /** A process that was killed may have recorded the run without giving it to the workers. */
  async function submitAgain(id: string): Promise<void> {
    const { submits, engine } = await services.getToExecute();
    if (submits && (await store.open().abandoned()).includes(id)) await engine.resume(id);
  }

  return {
    start: async (name, given = {}) => handle(await start(name, given)),
    permits(name, secret) {
      const expected = Object.hasOwn(triggers, name) ? readSecret(triggers[name] ?? {}) : undefined;
      return expected !== undefined && isSame(expected, secret);
    },
    triggers: () =>
      Object.entries(triggers).map(([key, setting]) => describeTrigger(key, setting, readSecret)),
    async schedules() {
      const { listSchedules } = await import("./list-automation.ts");
      return await listSchedules(configuration.config, {
        registry: store.openExisting(),
        project: project.cwd,
      });
    },
    async webhooks() {
      const { listWebhooks } = await import("./list-automation.ts");
      const { environment } = project;
      const registry = store.openExisting();
      return await listWebhooks(webhooks, { registry, project: project.cwd, environment });
    },
    async execute({ signal, onNote = () => undefined }) {
      const { executeAutomation } = await import("./execute-automation.ts");
      const { environment } = project;
      const open = async (): Promise<Registry> => {
        await services.getToExecute();
        return store.open();
      };
      const { config } = configuration;
      await executeAutomation({
        config,
        environment,
        project: project.cwd,
        open,
        start,
        submitAgain,
        signal,
        onNote,
      });
    },
  };
}

function describeTrigger(
  name: string,
  setting: TriggerSetting,
  readSecret: (setting: TriggerSetting) => string | undefined,
): Trigger {
  const { start, graph = null, data = "input" } = setting;
  const nameIn = (key: string): string | null => {
    const given = start?.[key];
    return typeof given === "string" ? given : null;
  };
  return {
    name,
    agent: nameIn("agent"),
    recipe: nameIn("recipe"),
    graph,
    data: graph === null ? data : null,
    hasSecret: readSecret(setting) !== undefined,
  };
}

/** Compares two texts in a time that does not depend on their content. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
