import { asIs, type FormatWriter } from "../write/format-writer.ts";
import { writeDisplayModel } from "../write/write-model.ts";
import { writeReadOnly } from "../write/write-tools.ts";

/** Writes Cursor's format. */
export const cursorWriter: FormatWriter = {
  extension: ".md",
  fields: {
    name: asIs("name"),
    description: asIs("description"),
    model: (model, context) => {
      const written = writeDisplayModel(model, context);
      const { effort } = context.definition;
      if (typeof written.model !== "string" || effort === undefined) return written;
      return { model: `${written.model}[effort=${effort}]` };
    },
    // Written by `model`, as `[effort=high]`.
    effort: (_, { definition, lose }) => {
      if (definition.model === undefined) lose("it is part of the model, which is not set");
      return {};
    },
    tools: writeReadOnly({ readonly: true }),
    disallowedTools: (denied, context) =>
      denied.length > 0 ? writeReadOnly({ readonly: true })(denied, context) : {},
    permissionMode: (mode, { lose }) => {
      if (mode === "plan" || mode === "read-only") return { readonly: true };
      lose(`it has no equivalent of \`${mode}\``);
      return {};
    },
    background: asIs("is_background"),
  },
};
