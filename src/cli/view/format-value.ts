/** Formats a duration in milliseconds: `0.4s`, `12s`, `3m05s`, `2h07m`, `3d04h`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
  return `${Math.floor(whole / 86_400)}d${two(Math.floor((whole % 86_400) / 3600))}h`;
}

/** Formats a number in about four characters: `999`, `1.2k`, `35k`, `1.4M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 9950) return `${(count / 1000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Formats US dollars with at least two significant digits: `$0.0042`, `$0.015`, `$1.20`; `unknown` for `null`. */
export function formatCost(dollars: number | null): string {
  if (dollars === null) return "unknown";
  if (dollars === 0) return "$0";
  const digits = dollars >= 0.1 ? 2 : 1 - Math.floor(Math.log10(dollars));
  return `$${dollars.toFixed(digits)}`;
}

/** Formats a time as local time: `2026-11-21 23:15:16`. */
export function formatTime(epochMilliseconds: number): string {
  const date = new Date(epochMilliseconds);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day} ${time}`;
}

/** Formats a number with its noun: `1 run`, `2 runs`. */
export function formatNumberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Formats a number of bytes: `820 B`, `12.4 KB`, `3.1 MB`. */
export function formatBytes(count: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let [value, unit] = [count, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
