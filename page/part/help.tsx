import { type ReactNode, useEffect, useRef } from "react";

/** Lists the keys. */
export function Help({
  isOpen,
  views,
  onClose,
}: {
  isOpen: boolean;
  views: readonly { title: string; key: string }[];
  onClose: () => void;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const others: [string, string][] = [
    ["/", "search"],
    ["↑ ↓", "the run above or below, in a family"],
    ["y a p n", "answer the first question: once, always, by rule, no"],
    ["Esc", "leave a field"],
    ["?", "this list"],
  ];
  const rows = [...views.map(({ key, title }): [string, string] => [key, title]), ...others];
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl className="details">
        {rows.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  );
}
