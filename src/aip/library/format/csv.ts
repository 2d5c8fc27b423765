import { isRecord, type JsonObject, type JsonValue } from "../../../source/json.ts";
import {
  type AipModule,
  type Arguments,
  listArgument,
  optionsOf,
  textArgument,
  textOption,
} from "../arguments.ts";
import { writeSortedJson } from "./json.ts";

/** `aip.csv`. */
export const csv: AipModule = {
  parse_row: (args) => parseCsv(textArgument(args, 1), readFormat(args, 2, false))[0]?.fields ?? [],
  parse: (args) => readCsv(textArgument(args, 1), readFormat(args, 2, true)),
  values_to_row: (args) => writeRow(listArgument(args, 1), readFormat(args, 2, false)),
  value_lists_to_rows: (args) => {
    const format = readFormat(args, 2, false);
    return rowsOf(listArgument(args, 1), args.name).map((row) => writeRow(row, format));
  },
};

/** The format of a table. */
export interface CsvFormat {
  delimiter: string;
  quote: string;
  escape: string;
  trimsFields: boolean;
  hasHeader: boolean;
  skipsEmptyLines: boolean;
  /** The prefix of lines to skip. */
  comment: string | undefined;
  /** The labels of keys in the file. */
  labels: Record<string, string>;
  skipsHeader: boolean;
}

/** Reads the format from the options at `position`. */
export function readFormat(args: Arguments, position: number, hasHeader: boolean): CsvFormat {
  const options = optionsOf(args, position);
  const character = (key: string, otherwise: string): string =>
    (textOption(args, options, key) ?? otherwise).slice(0, 1) || otherwise;
  const labels = options["header_labels"];
  return {
    delimiter: character("delimiter", ","),
    quote: character("quote", '"'),
    escape: character("escape", '"'),
    trimsFields: options["trim_fields"] === true,
    hasHeader: typeof options["has_header"] === "boolean" ? options["has_header"] : hasHeader,
    skipsEmptyLines: options["skip_empty_lines"] !== false,
    comment: textOption(args, options, "comment"),
    labels: isRecord(labels) ? (labels as Record<string, string>) : {},
    skipsHeader: options["skip_header_row"] === true,
  };
}

/** A row with its position in the text. */
export interface CsvRow {
  fields: string[];
  start: number;
  /** The position after the last character, before the line break. */
  end: number;
}

/** Parses the rows of a text. Quoted fields may contain delimiters and line breaks. */
export function parseCsv(content: string, format: CsvFormat): CsvRow[] {
  const rows: CsvRow[] = [];
  let at = 0;
  while (at < content.length) {
    const start = at;
    const lineEnd = endOfLine(content, at);
    const line = content.slice(at, lineEnd);
    if (format.comment !== undefined && format.comment !== "" && line.startsWith(format.comment)) {
      at = afterLine(content, lineEnd);
      continue;
    }
    if (format.skipsEmptyLines && line.trim() === "") {
      at = afterLine(content, lineEnd);
      continue;
    }
    const row = parseRow(content, at, format);
    rows.push({ fields: row.fields, start, end: row.end });
    at = afterLine(content, row.end);
  }
  return rows;
}

function endOfLine(content: string, from: number): number {
  const at = content.indexOf("\n", from);
  if (at === -1) return content.length;
  return content.charAt(at - 1) === "\r" && at > from ? at - 1 : at;
}

function afterLine(content: string, end: number): number {
  return content.startsWith("\r\n", end) ? end + 2 : end + 1;
}

function parseRow(
  content: string,
  from: number,
  format: CsvFormat,
): { fields: string[]; end: number } {
  const fields: string[] = [];
  let at = from;
  for (;;) {
    const field =
      content.charAt(at) === format.quote
        ? parseQuoted(content, at + 1, format)
        : parseBare(content, at, format);
    fields.push(format.trimsFields ? field.text.trim() : field.text);
    at = field.end;
    if (content.charAt(at) !== format.delimiter) return { fields, end: at };
    at += 1;
  }
}

function parseBare(
  content: string,
  from: number,
  format: CsvFormat,
): { text: string; end: number } {
  const lineEnd = endOfLine(content, from);
  const delimiter = content.indexOf(format.delimiter, from);
  const end = delimiter === -1 || delimiter > lineEnd ? lineEnd : delimiter;
  return { text: content.slice(from, end), end };
}

function parseQuoted(
  content: string,
  from: number,
  format: CsvFormat,
): { text: string; end: number } {
  let text = "";
  let at = from;
  while (at < content.length) {
    const character = content.charAt(at);
    if (character === format.escape && content.charAt(at + 1) === format.quote) {
      text += format.quote;
      at += 2;
    } else if (character === format.quote) {
      const rest = parseBare(content, at + 1, format);
      return { text: text + rest.text.trim(), end: rest.end };
    } else {
      text += character;
      at += 1;
    }
  }
  return { text, end: at };
}

/** Parses a text into `{ headers, rows }`. */
export function readCsv(content: string, format: CsvFormat): JsonObject {
  const isWanted = (fields: readonly string[]): boolean =>
    !format.skipsEmptyLines || fields.some((field) => field.trim() !== "");
  const rows = parseCsv(content.replace(/^\uFEFF/, ""), format)
    .map((row) => row.fields)
    .filter(isWanted);
  const keys = new Map(Object.entries(format.labels).map(([key, label]) => [label, key]));
  const head = format.hasHeader ? (rows.shift() ?? []) : [];
  return { _type: "CsvContent", headers: head.map((label) => keys.get(label) ?? label), rows };
}

/** Checks a list of rows. */
export function rowsOf(lists: readonly JsonValue[], name: string): JsonValue[][] {
  return lists.map((row, index) => {
    if (Array.isArray(row)) return row;
    throw new Error(`${name} expects lists as rows; row ${index + 1} is not a list`);
  });
}

/** Formats one line, without its line break. Tables become JSON, null becomes empty. */
export function writeRow(values: readonly JsonValue[], format: CsvFormat): string {
  return values.map((value) => writeField(value, format)).join(format.delimiter);
}

function writeField(value: JsonValue, format: CsvFormat): string {
  if (value === null) return "";
  const isPlain =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  const text = isPlain ? String(value) : writeSortedJson(value);
  const { quote, escape, delimiter } = format;
  const needsQuotes =
    text.includes(quote) || text.includes(delimiter) || /[\r\n]/.test(text) || /^\s|\s$/.test(text);
  return needsQuotes ? quote + text.replaceAll(quote, () => escape + quote) + quote : text;
}

/** Returns the labels for the keys of a header. */
export function labelsOf(keys: readonly JsonValue[], format: CsvFormat): string[] {
  return keys.map((key) => {
    const name = typeof key === "string" ? key : writeSortedJson(key);
    return format.labels[name] ?? name;
  });
}
