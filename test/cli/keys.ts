/** What a terminal sends for Ctrl with a letter. */
export const ctrl = (key: string): string => String.fromCharCode(key.charCodeAt(0) - 96);

/** What a terminal sends for Esc; the first character of other keys. */
export const escape = "\u001b";
