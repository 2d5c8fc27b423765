import type { HookCommand, HookEvent, HookGroup } from "../run/hook/hook-commands.ts";
import type { ScheduleSetting, TriggerSetting, WebhookSetting } from "./automation-setting.ts";
import type { Config, LimitsConfig, SandboxConfig } from "./config.ts";
import type { ExtensionSetting } from "./extension-setting.ts";

/** A hook command in the form of configuration files; `timeout` is in seconds. */
export type GivenHookCommand = Omit<HookCommand, "timeoutSeconds"> & {
  type?: "command";
  timeout?: number;
};

/** Hooks in the form of configuration files. */
export type GivenHooks = {
  [Event in HookEvent]?: readonly (Omit<HookGroup, "hooks"> & {
    hooks: readonly GivenHookCommand[];
  })[];
};

/** The form of each setting in a file. */
export interface GivenSettings {
  model: string;
  fallbacks: readonly string[];
  models: Partial<Config["models"]>;
  permissions: Partial<Config["permissions"]>;
  limits: Partial<LimitsConfig>;
  extensions: Readonly<Record<string, Partial<ExtensionSetting>>>;
  hooks: GivenHooks;
  claudeHooks: boolean;
  delegation: Partial<Config["delegation"]>;
  /** A string sets `mode`. */
  sandbox: SandboxConfig["mode"] | Partial<SandboxConfig>;
  instructions: boolean;
  notifications: Config["notifications"];
  stateDir: string;
  registry: Partial<Config["registry"]>;
  engine: Config["engine"];
  worker: Partial<Config["worker"]>;
  triggers: Readonly<Record<string, TriggerSetting>>;
  schedules: Readonly<Record<string, ScheduleSetting>>;
  webhooks: Readonly<Record<string, WebhookSetting>>;
  queue: Partial<Config["queue"]>;
}

/**
 * Every setting of `.cadre/config.yaml`, in the same form. Lists are joined with those of the files; all other settings take
 * precedence over the files.
 */
export type GivenConfig = { [Key in keyof Config]?: GivenSettings[Key] };
