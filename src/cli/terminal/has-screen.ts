/** Reports whether the terminal can be drawn on: it can move the cursor and show UTF-8. */
export function hasScreen(
  environment: Readonly<Record<string, string | undefined>>,
  output: Pick<NodeJS.WriteStream, "isTTY">,
): boolean {
  const { TERM, LC_ALL, LC_CTYPE, LANG } = environment;
  const locale = [LC_ALL, LC_CTYPE, LANG].find((one) => one !== undefined && one !== "") ?? "";
  // Without a locale, the terminal is assumed to support UTF-8.
  const isUnicode = locale === "" || /utf-?8/i.test(locale);
  return output.isTTY && TERM !== "dumb" && isUnicode;
}
