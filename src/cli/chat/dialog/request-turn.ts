// The dialog of a conversation on the terminal: turns, `/commands` and mentioned files.

import { mentionedImages } from "./mentioned-images.ts";
import { agentAfter } from "./typed-command.ts";
import type { Cadre, FilledCommand, RunHandle } from "../../../host.ts";

/** The user's settings for the next turns. An absent setting keeps its previous or configured value. */
export interface TurnSettings {
  agent?: string;
  model?: string;
  /** Whether the next turn shortens the conversation first. */
  compact?: boolean;
}

/** The next turn. */
export interface TurnPlan {
  /** What the user typed. */
  text: string;
  /** The command that the text invokes. */
  command: FilledCommand | undefined;
  /** The settings of the turn after this one. */
  settings: TurnSettings;
  /** The previous turn. */
  last: RunHandle | undefined;
}

/** Requests a turn: the first of a conversation, or the next one. */
export async function requestTurn(cadre: Cadre, plan: TurnPlan): Promise<RunHandle> {
  const { text, command = { task: text, notes: [] }, settings, last } = plan;
  const images = await mentionedImages(text, process.cwd());
  const { compact = false, ...chosen } = settings;
  const { notes: _, ...own } = command;
  const request = { ...chosen, ...own, ...(images.length > 0 && { images }) };
  const after = await agentAfter(cadre, command, { chosen: settings.agent, last });
  const agent = request.agent ?? "main";
  const next = last?.continue({ ...request, compact }) ?? cadre.spawn({ ...request, agent });
  const run = await next;
  delete settings.compact;
  if (after !== undefined) settings.agent = after;
  return run;
}
