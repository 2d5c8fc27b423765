import { type AipModule, type AskHost } from "./arguments.ts";

const local = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `aip.time`. The host reports the time, once per call. */
export const time: AipModule = {
  now_iso_utc: (_, ask) => isoAt(now(ask), "UTC", 0),
  now_iso_local: (_, ask) => isoAt(now(ask), local, 0),
  now_iso_utc_micro: (_, ask) => isoAt(now(ask), "UTC", 6),
  now_iso_local_micro: (_, ask) => isoAt(now(ask), local, 6),
  now_utc_micro: (_, ask) => now(ask) * 1000,
  today_utc: (_, ask) => todayAt(now(ask), "UTC"),
  today_local: (_, ask) => todayAt(now(ask), local),
  today_iso_utc: (_, ask) => dateAt(now(ask), "UTC"),
  today_iso_local: (_, ask) => dateAt(now(ask), local),
  weekday_utc: (_, ask) => weekdayAt(now(ask), "UTC"),
  weekday_local: (_, ask) => weekdayAt(now(ask), local),
  local_tz_id: () => local,
};

/** Returns epoch milliseconds. */
function now(ask: AskHost): number {
  return ask("time.now") as number;
}

function partsAt(ms: number, timeZone: string): Record<string, string> {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    weekday: "long",
    timeZoneName: "longOffset",
  });
  return Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
}

function dateAt(ms: number, timeZone: string): string {
  const { year, month, day } = partsAt(ms, timeZone);
  return `${year}-${month}-${day}`;
}

function weekdayAt(ms: number, timeZone: string): string {
  return partsAt(ms, timeZone)["weekday"] ?? "";
}

function todayAt(ms: number, timeZone: string): string {
  return `${weekdayAt(ms, timeZone)} ${dateAt(ms, timeZone)}`;
}

function isoAt(ms: number, timeZone: string, digits: 0 | 6): string {
  const { hour, minute, second, timeZoneName = "GMT" } = partsAt(ms, timeZone);
  const fraction = digits === 0 ? "" : `.${String(ms % 1000).padStart(3, "0")}000`;
  const offset = timeZoneName.replace("GMT", "");
  const zone = timeZone === "UTC" ? "Z" : offset || "+00:00";
  return `${dateAt(ms, timeZone)}T${hour}:${minute}:${second}${fraction}${zone}`;
}
