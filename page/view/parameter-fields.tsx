import type { ReactNode } from "react";
import { parameterPrefix } from "../data/start-request.ts";
import type { RecipeParameter } from "../data/types.ts";

/** A field for each parameter of a recipe. */
export function ParameterFields({
  parameters,
}: {
  parameters: readonly RecipeParameter[];
}): ReactNode {
  if (parameters.length === 0) return null;
  return (
    <fieldset className="fields parameters">
      <legend>Parameters</legend>
      {parameters.map((parameter) => (
        <label key={parameter.key}>
          <span>
            {parameter.key}
            {isRequired(parameter) && <span aria-hidden="true"> *</span>}
          </span>
          <Field parameter={parameter} />
          <small>{parameter.description}</small>
        </label>
      ))}
    </fieldset>
  );
}

/** Reports whether a parameter needs a value, because the server has no user to ask. */
function isRequired({ requirement, default: given }: RecipeParameter): boolean {
  return requirement !== "optional" && given === undefined;
}

function Field({ parameter }: { parameter: RecipeParameter }): ReactNode {
  const { key, inputType, options = [], default: given } = parameter;
  const placeholder =
    given === undefined ? "" : typeof given === "string" ? given : JSON.stringify(given);
  const shared = { name: `${parameterPrefix}${key}`, required: isRequired(parameter) };
  switch (inputType) {
    case "select":
    case "boolean":
      return (
        <select {...shared} defaultValue="">
          <option value="">{placeholder === "" ? "choose" : placeholder}</option>
          {(inputType === "boolean" ? ["true", "false"] : options).map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      );
    case "object":
    case "array":
      return <textarea {...shared} rows={2} placeholder={placeholder || "JSON"} />;
    case "number":
      return <input {...shared} type="number" step="any" placeholder={placeholder} />;
    case "date":
      return <input {...shared} type="date" />;
    case "file":
      return <input {...shared} placeholder={placeholder || "the path of a file"} />;
    case "string":
      return <input {...shared} placeholder={placeholder} />;
  }
}
