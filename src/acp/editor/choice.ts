/** A setting of a session and its possible values. */
export interface Choice {
  id: string;
  name: string;
  category?: "mode" | "model";
  current: string;
  values: readonly ChoiceValue[];
}

/** A value of a setting. */
export interface ChoiceValue {
  value: string;
  name: string;
  description?: string | undefined;
}

/** Converts the values of a setting as all versions of ACP have them. */
export function toOptionValues({
  values,
}: Choice): { value: string; name: string; description: string | null }[] {
  return values.map(({ value, name, description = null }) => ({ value, name, description }));
}
