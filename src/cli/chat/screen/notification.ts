import type { NotificationSetting } from "../../../host.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const bell = "\u0007";
const end = "\u001b\\";

/**
 * Returns the output that notifies the user: the bell, and a desktop notification that says "Cadre" and `text`. `text` must contain
 * no control characters and no semicolons.
 */
export function notificationOf(
  text: string,
  setting: NotificationSetting,
  environment: Environment,
): string {
  if (setting === "off") return "";
  const kind = setting === "auto" ? kindOf(environment) : setting;
  if (kind === "osc9") return `${bell}\u001b]9;Cadre ${text}${end}`;
  if (kind === "osc777") return `${bell}\u001b]777;notify;Cadre;${text}${end}`;
  return bell;
}

/** Returns the notification that a terminal supports, by the name that it gives itself. Multiplexers do not forward notifications. */
function kindOf({
  TERM = "",
  TERM_PROGRAM = "",
  TMUX,
  STY,
}: Environment): "osc9" | "osc777" | "bell" {
  if (TMUX !== undefined || STY !== undefined) return "bell";
  if (/^(iTerm\.app|WarpTerminal)$/.test(TERM_PROGRAM) || TERM === "xterm-kitty") return "osc9";
  if (/^(WezTerm|ghostty)$/.test(TERM_PROGRAM) || /^(foot|xterm-ghostty)/.test(TERM))
    return "osc777";
  return "bell";
}
