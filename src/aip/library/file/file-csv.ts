import { isRecord, type JsonValue } from "../../../source/json.ts";
import type { LuaValue } from "../../lua/lua-value.ts";
import {
  type AipModule,
  anyOf,
  type Arguments,
  type AskHost,
  listArgument,
  textArgument,
  textsOf,
} from "../arguments.ts";
import { contentOf } from "./file-content.ts";
import { labelsOf, parseCsv, readCsv, readFormat, rowsOf, writeRow } from "../format/csv.ts";

/** The CSV functions of `aip.file`. */
export const fileCsv: AipModule = {
  load_csv: (args, ask) =>
    readCsv(contentOf(ask, textArgument(args, 1)), readFormat(args, 2, true)),
  load_csv_headers: (args, ask) =>
    readCsv(contentOf(ask, textArgument(args, 1)), readFormat(args, 2, true))["headers"],
  save_as_csv: saveAsCsv,
  save_records_as_csv: saveRecords,
  append_csv_rows: (args, ask) => append(args, ask, rowsOf(listArgument(args, 2), args.name)),
  append_csv_row: (args, ask) => append(args, ask, [listArgument(args, 2)]),
  csv_row_spans: (args, ask) => {
    const content = contentOf(ask, textArgument(args, 1));
    const bytes = (position: number): number => Buffer.byteLength(content.slice(0, position));
    const rows = parseCsv(content, readFormat(args, 2, false));
    return rows.map(({ start, end }) => [bytes(start), bytes(end)]);
  },
};

function save(args: Arguments, ask: AskHost, lines: readonly string[]): LuaValue {
  return ask(
    "file.write",
    textArgument(args, 1),
    lines.map((line) => `${line}\n`).join(""),
    "replace",
  );
}

function append(args: Arguments, ask: AskHost, rows: JsonValue[][]): LuaValue {
  const format = readFormat(args, 3, false);
  const lines = rows.map((row) => `${writeRow(row, format)}\n`);
  return ask("file.write", textArgument(args, 1), lines.join(""), "append");
}

function saveAsCsv(args: Arguments, ask: AskHost): LuaValue {
  const format = readFormat(args, 3, false);
  const data = anyOf(args, 2);
  const isStructured = isRecord(data);
  const matrix = isStructured
    ? rowsOf(Array.isArray(data["rows"]) ? data["rows"] : [], args.name)
    : rowsOf(listArgument(args, 2), args.name);
  const given = isStructured ? data["headers"] : format.hasHeader ? matrix.shift() : undefined;
  const head = Array.isArray(given) && !format.skipsHeader ? [labelsOf(given, format)] : [];
  return save(
    args,
    ask,
    [...head, ...matrix].map((row) => writeRow(row, format)),
  );
}

function saveRecords(args: Arguments, ask: AskHost): LuaValue {
  const format = readFormat(args, 4, false);
  const keys = textsOf(args, 3);
  const rows = listArgument(args, 2).map((record, index) => {
    if (isRecord(record))
      return keys.map((key) => (record as Record<string, JsonValue>)[key] ?? null);
    throw new Error(`${args.name} expects tables as records; record ${index + 1} is not a table`);
  });
  const head = format.skipsHeader ? [] : [labelsOf(keys, format)];
  return save(
    args,
    ask,
    [...head, ...rows].map((row) => writeRow(row, format)),
  );
}
