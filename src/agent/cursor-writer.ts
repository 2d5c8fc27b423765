import { asIs, type FormatWriter } from "./format-writer.ts";
import { writeDisplayModel } from "./write-model.ts";
import { writeReadOnly } from "./write-tools.ts";

/** Cursor's format. */
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
    // Written with the model.
    effort: (_, { definition, lose }) => {
      if (definition.model === undefined) lose("it is a part of the model, and there is none");
      return {};
    },
    tools: writeReadOnly({ readonly: true }),
    disallowedTools: (denied, context) =>
      denied.length > 0 ? writeReadOnly({ readonly: true })(denied, context) : {},
    permissionMode: (mode, { lose }) => {
      if (mode === "plan" || mode === "read-only") return { readonly: true };
      lose(`it has nothing like \`${mode}\``);
      return {};
    },
    background: asIs("is_background"),
  },
};
