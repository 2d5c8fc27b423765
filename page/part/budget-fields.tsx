import type { ReactNode } from "react";

/** The form fields for the budget of what the form starts. */
export function BudgetFields(): ReactNode {
  return (
    <>
      <label>
        Tokens at most <input name="tokens" type="number" min="1" placeholder="no limit" />
      </label>
      <label>
        Dollars at most
        <input name="usd" type="number" min="0.01" step="0.01" placeholder="no limit" />
      </label>
    </>
  );
}
