import type { ReactNode } from "react";

/** A row of buttons, one of which is pressed. */
export function Choices<Choice extends string>({
  label,
  choices,
  chosen,
  isDisabled = false,
  onChoose,
}: {
  label: string;
  choices: readonly Choice[];
  chosen: Choice;
  isDisabled?: boolean;
  onChoose: (choice: Choice) => void;
}): ReactNode {
  return (
    <div role="group" aria-label={label} className="choices">
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === chosen}
          disabled={isDisabled}
          onClick={() => onChoose(choice)}
        >
          {choice}
        </button>
      ))}
    </div>
  );
}
