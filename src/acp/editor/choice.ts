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
