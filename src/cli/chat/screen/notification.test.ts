import { expect, test } from "vitest";
import { notificationOf } from "./notification.ts";

const bell = "\u0007";
const osc9 = "\u001b]9;Cadre is done\u001b\\";
const osc777 = "\u001b]777;notify;Cadre;is done\u001b\\";

test.each([
  [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, osc9],
  [{ TERM: "xterm-kitty" }, osc9],
  [{ TERM_PROGRAM: "WarpTerminal" }, osc9],
  [{ TERM_PROGRAM: "WezTerm" }, osc777],
  [{ TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" }, osc777],
  [{ TERM: "foot-extra" }, osc777],
  [{ TERM: "xterm-256color" }, ""],
  [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", TMUX: "/tmp/tmux-0/default" }, ""],
  [{ TERM: "screen", TERM_PROGRAM: "iTerm.app", STY: "1.pts-0" }, ""],
])("the terminal %o gets the bell, and the notification that it shows", (environment, shown) => {
  expect(notificationOf("is done", "auto", environment)).toBe(`${bell}${shown}`);
});

test("the setting decides for any terminal", () => {
  const iterm = { TERM_PROGRAM: "iTerm.app" };
  expect(notificationOf("is done", "off", iterm)).toBe("");
  expect(notificationOf("is done", "bell", iterm)).toBe(bell);
  expect(notificationOf("is done", "osc777", iterm)).toBe(`${bell}${osc777}`);
  expect(notificationOf("is done", "osc9", {})).toBe(`${bell}${osc9}`);
});
